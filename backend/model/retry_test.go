package model

import (
	"net/http"
	"testing"
	"time"
)

func TestAServerSaysHowLongToWait(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"3": 3 * time.Second, " 0.5 ": 500 * time.Millisecond, "0": 0, "Tue, 01 Dec 2026 09:00:30 GMT": 30 * time.Second, "Tue, 01 Dec 2026 08:00:00 GMT": 0,
	} {
		if got, ok := retryAfter(http.Header{"Retry-After": {value}}, now); !ok || got != want {
			t.Errorf("%q is %v, %v", value, got, ok)
		}
	}
	for _, value := range []string{"", "-1", "soon", "NaN", "1e300", "Inf"} {
		if got, ok := retryAfter(http.Header{"Retry-After": {value}}, now); ok {
			t.Errorf("%q is %v", value, got)
		}
	}
}

func TestOnlyWhatPassesIsTriedAgain(t *testing.T) {
	for status, want := range map[int]bool{400: false, 401: false, 404: false, 408: true, 425: true, 429: true, 500: true, 501: false, 502: true, 503: true, 504: true, 505: false, 529: true} {
		if got := (&refusal{status: status}).passing(); got != want {
			t.Errorf("status %d: %v", status, got)
		}
	}
	if (&refusal{status: 429, body: []byte(`{"error":{"code":"insufficient_quota"}}`)}).passing() || (&refusal{status: 500, body: []byte(`{"error":{"message":"context size exceeded"}}`)}).passing() {
		t.Error("an empty account or a conversation that is too long is tried again")
	}
}
