package memory

import (
	"context"
	"strings"

	"portico/backend/capability"
	"portico/backend/extension"
)

// Service is the memories as extensions reach them (loca-notes.md, 4): by title, and only those that are on.
type Service struct{ store *Store }

var _ capability.Memories = Service{}

// Service gives what stands behind ctx.memories.
func (s *Store) Service() Service { return Service{s} }

func listed(r *record) capability.Memory {
	return capability.Memory{Title: r.Title, Kind: r.Kind, Summary: r.Summary, UpdatedAtMs: r.UpdatedAtMs}
}

// List gives the memories that are on, by title.
func (m Service) List(ctx context.Context) ([]capability.Memory, error) {
	s := m.store
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]capability.Memory, 0, len(v.served))
	for _, r := range v.records {
		if v.serves(r) {
			list = append(list, listed(r))
		}
	}
	return list, nil
}

// named gives the record that a title stands for; one that is there and can't be used is a Problem that says why.
func (s *Store) named(ctx context.Context, title string) (*record, error) {
	v, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	key := fold(title)
	if n, ok := v.served[key]; ok {
		return v.records[n], nil
	}
	for n, r := range v.records {
		if r.key == key && v.items[n].Enabled && v.items[n].Problem != nil {
			return nil, v.items[n].Problem
		}
	}
	return nil, missing(title)
}

// Get gives a memory's text.
func (m Service) Get(ctx context.Context, title string) (capability.MemoryText, error) {
	s := m.store
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.named(ctx, title)
	if err != nil {
		return capability.MemoryText{}, err
	}
	text, err := s.readGood(ctx, r)
	return capability.MemoryText{Title: r.Title, Content: text}, err
}

// readGood reads a record's text as it is now. A file that went bad since it was looked at is not given out.
func (s *Store) readGood(ctx context.Context, r *record) (string, error) {
	text, err := s.read(ctx, r)
	if err != nil {
		s.stale.Store(true)
		return "", unreadable(r.Title, err)
	}
	return text, nil
}

// File gives the text of a file that a skill bundles.
func (m Service) File(ctx context.Context, title, name string) (capability.MemoryFile, error) {
	s := m.store
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.named(ctx, title)
	if err != nil {
		return capability.MemoryFile{}, err
	}
	text, err := s.readFile(ctx, r, name)
	return capability.MemoryFile{Title: r.Title, Name: name, Content: text}, err
}

// Write replaces knowledge of the person's, or creates it.
func (m Service) Write(ctx context.Context, title, content string) (capability.MemoryChange, error) {
	s := m.store
	s.mu.Lock()
	defer s.mu.Unlock()
	title, err := checkTitle(title)
	if err != nil {
		return capability.MemoryChange{}, err
	}
	if err := checkContent(title, content); err != nil {
		return capability.MemoryChange{}, err
	}
	v, err := s.look(ctx)
	if err != nil {
		return capability.MemoryChange{}, err
	}
	key := fold(title)
	if n, ok := v.served[key]; ok {
		r := v.records[n]
		if r.Kind == capability.Skill && !r.ReadOnly {
			return capability.MemoryChange{}, extension.NewProblem("memory.is-skill", "{title} is a skill, and only knowledge can be written as a whole.", "Choose another title, or edit a place in it.", "title", r.Title)
		}
		before, err := s.changeable(ctx, r)
		if err != nil {
			return capability.MemoryChange{}, err
		}
		return s.change(ctx, r, before, content)
	}
	for n, r := range v.records { // what is there and out of use keeps its title: nothing is overwritten unseen
		switch {
		case r.key != key || r.source != nil:
		case !v.items[n].Enabled:
			return capability.MemoryChange{}, switchedOff(r.Title)
		default:
			return capability.MemoryChange{}, v.items[n].Problem
		}
	}
	if _, err := s.create(ctx, title, capability.Knowledge, content); err != nil {
		return capability.MemoryChange{}, err
	}
	return capability.MemoryChange{Title: title, After: content, Created: true}, nil
}

// Edit replaces the one place where find stands.
func (m Service) Edit(ctx context.Context, title, find, replace string) (capability.MemoryChange, error) {
	s := m.store
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.named(ctx, title)
	if err != nil {
		return capability.MemoryChange{}, err
	}
	before, err := s.changeable(ctx, r)
	if err != nil {
		return capability.MemoryChange{}, err
	}
	if find == "" {
		return capability.MemoryChange{}, extension.NewProblem("memory.nothing-to-find", "There is no text to find.", "Give the text that is to be replaced.")
	}
	if strings.Contains(before, "\r\n") && !strings.Contains(find, "\r") { // a file with Windows's line ends keeps them
		find, replace = windowsLines(find), windowsLines(strings.ReplaceAll(replace, "\r\n", "\n"))
	}
	at := strings.Index(before, find)
	if at < 0 {
		return capability.MemoryChange{}, extension.NewProblem("memory.not-found", "The text to replace does not stand in {title}.", "Read it, and give the text exactly as it stands there.", "title", r.Title)
	}
	if strings.Contains(before[at+1:], find) { // counted so, "aa" stands in "aaa" twice
		return capability.MemoryChange{}, extension.NewProblem("memory.found-often", "The text to replace stands in {title} more than once.", "Give more of what stands around it.", "title", r.Title)
	}
	after := before[:at] + replace + before[at+len(find):]
	if err := checkContent(r.Title, after); err != nil {
		return capability.MemoryChange{}, err
	}
	if r.Kind == capability.Skill {
		if _, _, err := splitFront(after); err != nil {
			return capability.MemoryChange{}, extension.NewProblem("memory.breaks-skill", "The head of the skill {title} could not be read any more: {why}.", "Leave its first lines as they are.", "title", r.Title, "why", err.Error())
		}
	}
	return s.change(ctx, r, before, after)
}

func windowsLines(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// changeable gives the text of a record that may be changed.
func (s *Store) changeable(ctx context.Context, r *record) (string, error) {
	if r.ReadOnly {
		return "", readOnly(r)
	}
	return s.readGood(ctx, r)
}

func (s *Store) change(ctx context.Context, r *record, before, after string) (capability.MemoryChange, error) {
	if after != before {
		if err := s.put(r.textFile(), after); err != nil {
			return capability.MemoryChange{}, unwritable(r.Title, err)
		}
		if _, err := s.written(ctx, r.ID); err != nil {
			return capability.MemoryChange{}, err
		}
	}
	return capability.MemoryChange{Title: r.Title, Before: before, After: after}, nil
}

// Mentions gives the memories that a text mentions as @title or @"title", in order, each once. Of two titles that begin
// alike the longer one is meant; a name that is none is text.
func (s *Store) Mentions(ctx context.Context, text string) ([]capability.Memory, error) {
	if !strings.Contains(text, "@") {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	var found []capability.Memory
	for _, key := range mentioned(text, func(key string) bool { _, ok := v.served[key]; return ok }) {
		found = append(found, listed(v.records[v.served[key]]))
	}
	return found, nil
}
