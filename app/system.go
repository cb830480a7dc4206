package app

import (
	"context"

	"portico/backend/core"
)

// System is the window and the computer around it.
type System struct {
	core   *core.Core
	window Window
}

// Window is what a carrier can do for the frontend beyond calls and events. In a browser, dialogs are not native.
type Window interface {
	ChooseFolder(ctx context.Context, title string) (string, error) // empty: cancelled
	OpenURL(url string) error
	OpenPath(path string) error
	Ready() // the first frame is drawn: show the window
	Native() bool
}

type Dialog struct {
	Title string `json:"title"`
}

type Chosen struct {
	Path string `json:"path"` // empty: cancelled
}

type Link struct {
	URL string `json:"url"`
}

// About says what this Portico is.
func (s *System) About(ctx context.Context, _ None) (core.About, error) {
	about := s.core.About(ctx)
	about.Native = s.window.Native()
	return about, nil
}

// Doctor checks what works here.
func (s *System) Doctor(ctx context.Context, _ None) ([]core.Check, error) {
	return s.core.Doctor(ctx), nil
}

// ChooseFolder opens the system's folder dialog.
func (s *System) ChooseFolder(ctx context.Context, r Dialog) (Chosen, error) {
	path, err := s.window.ChooseFolder(ctx, r.Title)
	return Chosen{path}, err
}

// OpenLink opens a web address in the person's browser. Only http, https and mailto.
func (s *System) OpenLink(_ context.Context, r Link) (None, error) {
	return None{}, s.window.OpenURL(r.URL)
}

// Ready says that the first frame is drawn.
func (s *System) Ready(_ context.Context, _ None) (None, error) {
	s.window.Ready()
	return None{}, nil
}
