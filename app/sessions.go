package app

import (
	"context"

	"portico/backend/core"
	"portico/backend/session"
)

// Sessions is the sidebar: the list of conversations and what can be done to one.
type Sessions struct{ core *core.Core }

type SessionID struct {
	ID string `json:"id"`
}

type NewSession struct {
	Project string       `json:"project,omitempty"`
	Mode    session.Mode `json:"mode,omitempty"`
	Model   string       `json:"model,omitempty"`
}

type Transcript struct {
	Session session.Session `json:"session"`
	Entries []session.Entry `json:"entries"`
}

type RenameSession struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type SessionView struct {
	ID     string         `json:"id"`
	Draft  string         `json:"draft"`
	Scroll session.Scroll `json:"scroll"`
}

type SessionChoice struct {
	ID    string        `json:"id"`
	Mode  *session.Mode `json:"mode,omitempty"`
	Model *string       `json:"model,omitempty"`
}

// List gives all sessions, the newest first, without deleted ones.
func (s *Sessions) List(ctx context.Context, _ None) ([]session.Session, error) {
	return s.core.Sessions.List(ctx)
}

// Create makes an empty session.
func (s *Sessions) Create(ctx context.Context, r NewSession) (session.Session, error) {
	return s.core.Sessions.Create(ctx, session.Session{Project: r.Project, Mode: r.Mode, Model: r.Model})
}

// Open gives a session with its whole transcript, in order.
func (s *Sessions) Open(ctx context.Context, r SessionID) (Transcript, error) {
	found, err := s.core.Sessions.Get(ctx, r.ID)
	if err != nil {
		return Transcript{}, err
	}
	entries, err := s.core.Sessions.Entries(ctx, r.ID)
	return Transcript{found, entries}, err
}

// Rename gives a session a title of the person's own.
func (s *Sessions) Rename(ctx context.Context, r RenameSession) (session.Session, error) {
	return s.core.Sessions.Rename(ctx, r.ID, r.Title)
}

// Delete hides a session; Restore brings it back until it is purged at a later start.
func (s *Sessions) Delete(ctx context.Context, r SessionID) (None, error) {
	return None{}, s.core.DeleteSession(ctx, r.ID)
}

// Restore undoes Delete.
func (s *Sessions) Restore(ctx context.Context, r SessionID) (session.Session, error) {
	return s.core.Sessions.Restore(ctx, r.ID)
}

// SaveView keeps the draft and the place in the transcript.
func (s *Sessions) SaveView(ctx context.Context, r SessionView) (None, error) {
	return None{}, s.core.Sessions.SaveView(ctx, r.ID, r.Draft, r.Scroll)
}

// Choose sets the mode or the model of a session; what is absent stays.
func (s *Sessions) Choose(ctx context.Context, r SessionChoice) (session.Session, error) {
	return s.core.Sessions.Choose(ctx, r.ID, r.Mode, r.Model)
}
