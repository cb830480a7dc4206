package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxRetries = 4 // with firstPause: 7.5 s in all, enough for most restarts and short bursts
	firstPause = 500 * time.Millisecond
	// maxPause is the longest pause that a server may ask for; with a longer one the person is told instead of kept waiting.
	maxPause = 20 * time.Second
)

// retry says when a request that failed before its answer began is made again.
type retry struct {
	times int
	first time.Duration
}

func (r retry) after(err error, attempt int) (time.Duration, bool) {
	if attempt >= r.times {
		return 0, false
	}
	pause := r.first << attempt
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		if !refused.passing() {
			return 0, false
		}
		if asked, ok := retryAfter(refused.header, time.Now()); ok {
			return asked, asked <= maxPause
		}
		return pause, true
	case brokeOff(err):
		return pause, true
	}
	return 0, false
}

// passing says whether the same request may well succeed in a moment.
func (r *refusal) passing() bool {
	switch r.status {
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	case http.StatusTooManyRequests:
		return !r.outOfCredit()
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return r.status >= 500 && !r.tooLong() // llama.cpp once said so with a 500
}

// retryAfter reads the header as seconds or as a date.
func retryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 && seconds < float64(time.Duration(1<<62)/time.Second) {
		return time.Duration(seconds * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
