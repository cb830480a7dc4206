//go:build unix

package core

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestATravellersTimeZoneIsTheOneOfNow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "localtime")
	in := zoneIn(file)
	if got := in(); got != time.Local {
		t.Errorf("without a file it is %s", got)
	}
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"Europe/Madrid": "14:00", "America/Bogota": "07:00", "Asia/Kolkata": "17:30"} {
		data, err := os.ReadFile(filepath.Join("/usr/share/zoneinfo", zone))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := noon.In(in()).Format("15:04"); got != want {
			t.Errorf("in %s noon is %s, wanted %s", zone, got, want)
		}
	}
	if err := os.WriteFile(file, []byte("half a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := in(); got == time.Local || got == nil {
		t.Errorf("while the file is written it is %s", got)
	}
}
