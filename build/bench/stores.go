package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portico/backend/memory"
	"portico/backend/schedule"
	"portico/backend/store"
)

const (
	manySchedules = 10_000
	manyMemories  = 5_000
	searches      = 30
	wakes         = 9
)

// benchStores measures how long it takes to find what is due among many schedules, and what fits a message among many
// memories.
func benchStores(ctx context.Context) ([]measure, error) {
	folder, err := os.MkdirTemp("", "portico-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	due, err := benchSchedules(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("schedules: %w", err)
	}
	found, err := benchMemories(ctx, filepath.Join(folder, "memories"))
	if err != nil {
		return []measure{due}, fmt.Errorf("memories: %w", err)
	}
	return []measure{due, found}, nil
}

// benchSchedules: from the moment one of 10,000 is due until it is handed to whoever runs it, against reading all of them.
func benchSchedules(ctx context.Context, folder string) (m measure, err error) {
	db, err := store.Open(ctx, filepath.Join(folder, "portico.db"))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := start
	s := schedule.NewStore(schedule.Options{DB: db, Process: "bench", Now: func() time.Time { return now }, In: func() *time.Location { return time.UTC }})
	for n := range manySchedules {
		draft := schedule.Draft{Title: fmt.Sprint("Number ", n), Instruction: "Say the time.", Recurrence: schedule.Recurrence{Kind: schedule.Once, AtMs: start.Add(time.Duration(n+1) * time.Hour).UnixMilli()}}
		owner := schedule.Owner{Key: fmt.Sprint("owner-", n/schedule.MaxPerOwner), Name: "Owner"}
		if _, err := s.Add(ctx, owner, "", draft); err != nil {
			return m, err
		}
	}
	var took, floor []float64
	for n := range wakes {
		now = start.Add(time.Duration(n+1)*time.Hour + time.Second)
		ran := make(chan time.Time, 1)
		runner := schedule.NewRunner(s, func(context.Context, schedule.Schedule, time.Time, func(string) error) error {
			ran <- time.Now()
			return nil
		})
		begin := time.Now()
		keeping, stop := context.WithCancel(ctx)
		kept := make(chan struct{})
		go func() {
			defer close(kept)
			runner.Keep(keeping)
		}()
		took = append(took, milliseconds((<-ran).Sub(begin)))
		stop()
		<-kept
		runner.Close()

		begin = time.Now()
		rows, err := db.Read().QueryContext(ctx, `SELECT id, title, due FROM schedules`)
		if err != nil {
			return m, err
		}
		for rows.Next() {
			var id, title string
			var at *int64
			if err := rows.Scan(&id, &title, &at); err != nil {
				return m, errors.Join(err, rows.Close())
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return m, err
		}
		floor = append(floor, milliseconds(time.Since(begin)))
	}
	return measure{"schedule-due", median(took), median(floor), "ms", 1, "a runner that finds the one of 10,000 schedules that is due, against reading all of them"}, nil
}

type noSwitches struct{}

func (noSwitches) Switched(context.Context) (map[string]bool, error) { return nil, nil }
func (noSwitches) Switch(context.Context, string, bool) error        { return nil }
func (noSwitches) Forget(context.Context, string) error              { return nil }

// benchMemories: what fits a message among 5,000 memories, against looking for one of its words in their texts.
func benchMemories(ctx context.Context, folder string) (m measure, err error) {
	knowledge := filepath.Join(folder, "knowledge")
	if err := os.MkdirAll(knowledge, 0o700); err != nil {
		return m, err
	}
	texts := make([]string, manyMemories)
	for n := range texts {
		texts[n] = fmt.Sprintf("# %s and %s\n\n", word(n), word(n+1))
		for at := range 60 {
			texts[n] += word(n*31+at*at*7) + " "
		}
		if err := os.WriteFile(filepath.Join(knowledge, fmt.Sprintf("%s-%d.md", word(n), n)), []byte(texts[n]), 0o600); err != nil {
			return m, err
		}
	}
	s := memory.New(memory.Options{Folder: folder, Sources: func(context.Context) ([]memory.Source, error) { return nil, nil }, Switches: noSwitches{}, Changed: func() {}, Now: time.Now})
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Relevant(ctx, word(1), 8); err != nil { // reads the files
		return m, err
	}
	var took, floor []float64
	for n := range searches {
		message := fmt.Sprintf("Where did I put the %s that stood near the %s?", word(n*97), word(n*97+1))
		begin := time.Now()
		found, err := s.Relevant(ctx, message, 8)
		if err != nil {
			return m, err
		}
		took = append(took, milliseconds(time.Since(begin)))
		if len(found) == 0 {
			return m, fmt.Errorf("%q found nothing", message)
		}
		begin = time.Now()
		hits := 0
		for _, text := range texts {
			if strings.Contains(strings.ToLower(text), word(n*97)) {
				hits++
			}
		}
		floor = append(floor, milliseconds(time.Since(begin)))
		if hits == 0 {
			return m, errors.New("the floor found nothing")
		}
	}
	return measure{"memory-search", median(took), median(floor), "ms", 2, "what fits a message among 5,000 memories (at most 10 ms), against looking for one word in all of them"}, nil
}

// word makes up one of some ten thousand words.
func word(n int) string {
	syllables := [...]string{"ba", "re", "mi", "lon", "ta", "ve", "dor", "si", "nu", "gal", "pe", "ko", "fi", "zan", "ru", "el", "tri", "mo", "las", "quen", "hi", "jor"}
	n %= 22 * 22 * 21
	return syllables[n%22] + syllables[n/22%22] + syllables[n/484]
}
