package grant

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"portico/backend/extension"
)

// Database is where what lasts is remembered.
type Database interface {
	Read() *sql.DB
	Write(ctx context.Context, fn func(*sql.Tx) error) error
}

// Store remembers answers: for always in the database, for a session in memory. It is safe for concurrent use.
type Store struct {
	db Database

	mu       sync.Mutex
	sessions map[string]map[Subject]map[string]Decision // by session
}

// NewStore makes a store on a database that has the table "grants".
func NewStore(db Database) *Store {
	return &Store{db: db, sessions: map[string]map[Subject]map[string]Decision{}}
}

// Remembered gives the decisions by permission key that count for a subject: those for always, with those of the session
// over them. An empty session has none of its own.
func (s *Store) Remembered(ctx context.Context, of Subject, session string) (map[string]Decision, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT key, decision FROM grants WHERE scope=? AND project=? AND format=? AND id=? AND tool=?`,
		of.Scope, of.Project, of.Format, of.ID, of.Tool)
	if err != nil {
		return nil, fmt.Errorf("read what %s is allowed: %w", extension.Address(of.ID, of.Tool), err)
	}
	defer rows.Close()
	decisions := map[string]Decision{}
	for rows.Next() {
		var key string
		var decision Decision
		if err := rows.Scan(&key, &decision); err != nil {
			return nil, fmt.Errorf("read what %s is allowed: %w", extension.Address(of.ID, of.Tool), err)
		}
		if decision == Allow || decision == Deny {
			decisions[key] = decision
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, decision := range s.sessions[session][of] {
		// A denial for always is the person's last word until they take it back; a session only adds to it.
		if decisions[key] != Deny {
			decisions[key] = decision
		}
	}
	return decisions, rows.Err()
}

// Remember keeps an answer for as long as it should last. One for once is not kept.
func (s *Store) Remember(ctx context.Context, of Subject, session, key string, answer Answer) error {
	switch {
	case answer.Lasting == Always:
		return s.Set(ctx, of, key, answer.Decision)
	case answer.Lasting == Session && session != "":
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sessions[session] == nil {
			s.sessions[session] = map[Subject]map[string]Decision{}
		}
		if s.sessions[session][of] == nil {
			s.sessions[session][of] = map[string]Decision{}
		}
		s.sessions[session][of][key] = answer.Decision
	}
	return nil
}

// Set decides for always; Ask forgets. What a session had been told is forgotten too: the newest word counts.
func (s *Store) Set(ctx context.Context, of Subject, key string, decision Decision) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if decision == Ask {
			_, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE scope=? AND project=? AND format=? AND id=? AND tool=? AND key=?`,
				of.Scope, of.Project, of.Format, of.ID, of.Tool, key)
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO grants(scope,project,format,id,tool,key,decision) VALUES(?,?,?,?,?,?,?)
			ON CONFLICT(scope,project,format,id,tool,key) DO UPDATE SET decision=excluded.decision`,
			of.Scope, of.Project, of.Format, of.ID, of.Tool, key, decision)
		return err
	})
	if err != nil {
		return fmt.Errorf("remember what %s is allowed: %w", extension.Address(of.ID, of.Tool), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, subjects := range s.sessions {
		delete(subjects[of], key)
	}
	return nil
}

// Forget drops everything about an extension.
func (s *Store) Forget(ctx context.Context, ref extension.Ref) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE scope=? AND project=? AND format=? AND id=?`, ref.Scope, ref.Project, ref.Format, ref.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget what %s was allowed: %w", ref.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, subjects := range s.sessions {
		for subject := range subjects {
			if subject.Ref == ref {
				delete(subjects, subject)
			}
		}
	}
	return nil
}

// Decide pairs what a tool declares with what is remembered. Nothing remembered is Ask; what is remembered and no longer
// declared does not count.
func Decide(declared []extension.Permission, remembered map[string]Decision) []Decided {
	decided := make([]Decided, len(declared))
	for n, p := range declared {
		decided[n] = Decided{Permission: p, Decision: Ask}
		if decision, ok := remembered[p.Key()]; ok {
			decided[n].Decision = decision
		}
	}
	return decided
}
