package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"portico/backend/capability"
	"portico/backend/extension"
)

// record is one memory as it was read last.
type record struct {
	Item             // without Enabled; Problem is about its files alone
	source   *Source // nil: the person's
	place    string  // of the file, or of the skill's folder, relative with "/"
	key      string  // the folded title
	stamp    stamp
	rested   bool  // the stamp can be trusted
	document int32 // in the index; noDocument: not there
}

// stamp tells whether a file is still what it was.
type stamp struct {
	size     int64
	modified time.Time
	mode     fs.FileMode
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime(), info.Mode()} }

// textFile is where the record's text lies, relative.
func (r *record) textFile() string {
	if r.Kind == capability.Skill {
		return path.Join(r.place, skillFile)
	}
	return r.place
}

// view is what all records are together, with their switches.
type view struct {
	records []*record
	items   []Item // of the same length
	byID    map[string]int
	served  map[string]int // by folded title: what a tool or a message reaches
}

// look gives the memories as they are now. The folder is read again only when it may have changed.
func (s *Store) look(ctx context.Context) (*view, error) {
	if s.closed {
		return nil, extension.NewProblem("memory.closed", "Portico is closing.", "")
	}
	again := false
	if s.stale.Swap(false) || !s.watch.works() {
		if err := s.lookAtOwn(ctx); err != nil {
			s.stale.Store(true)
			return nil, err
		}
		if s.problem != nil { // its end may come unseen
			s.stale.Store(true)
		}
		again = true
	}
	if s.shipped.Swap(false) {
		if err := s.lookAtForeign(ctx); err != nil {
			s.shipped.Store(true)
			return nil, err
		}
		again = true
	}
	switched, err := s.switches(ctx)
	if err != nil {
		return nil, err
	}
	if again || s.view == nil || !maps.Equal(switched, s.switched) {
		s.view, s.switched = assemble(s.own, s.foreign, switched), switched
	}
	return s.view, nil
}

func (s *Store) switches(ctx context.Context) (map[string]bool, error) {
	if s.options.Switches == nil {
		return nil, nil
	}
	return s.options.Switches.Switched(ctx)
}

// lookAtOwn reads what changed in the person's folder.
func (s *Store) lookAtOwn(ctx context.Context) error {
	if !s.opened {
		s.opened = true
		s.purge()
	}
	s.problem = nil
	found := map[string]*record{}
	for _, kind := range []string{capability.Knowledge, capability.Skill} {
		// Watched first and read then: what changes in between is seen again.
		folder, err := s.kindFolder(kind)
		if err != nil {
			s.problem = extension.AsProblem(err, "", "", "")
			continue
		}
		s.startWatch(folder)
		if err := s.lookAtKind(ctx, kind, found); err != nil {
			if ctx.Err() != nil {
				s.drop(found, s.own)
				return ctx.Err()
			}
			s.problem = badFolder(folder, err)
		}
	}
	s.drop(s.own, found)
	s.own = found
	return nil
}

// drop takes the records that are not among those that stay out of the index.
func (s *Store) drop(all, stay map[string]*record) {
	for id, r := range all {
		if stay[id] != r {
			s.index.remove(r)
		}
	}
}

func (s *Store) lookAtKind(ctx context.Context, kind string, found map[string]*record) error {
	root, err := os.OpenRoot(s.options.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	folder, err := root.Open(folderOf(kind))
	if err != nil {
		return err
	}
	entries, err := folder.ReadDir(-1)
	folder.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for n, entry := range entries {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		name := entry.Name()
		if byTheWay(name, entry.IsDir()) {
			continue
		}
		if len(found) >= maxMemories {
			s.problem = extension.NewProblem("memory.too-many", "There are more than {limit} memories; the rest is not read.", "Move some out of the memories' folder.", "limit", fmt.Sprint(maxMemories))
			return nil
		}
		place := path.Join(folderOf(kind), name)
		if kind == capability.Skill && entry.IsDir() {
			s.watch.add(root, place)
		}
		id := idOf(place)
		if before := s.own[id]; before != nil && before.unchanged(root) {
			found[id] = before
			continue
		}
		r := s.readRecord(root, nil, kind, place, entry.IsDir())
		r.ID = id
		found[id] = r
	}
	return nil
}

// unchanged says whether a file is still the one that was read.
func (r *record) unchanged(root *os.Root) bool {
	if !r.rested {
		return false
	}
	info, err := root.Lstat(r.textFile())
	return err == nil && stampOf(info) == r.stamp
}

// byTheWay names what editors and systems leave behind, and hidden things that are no memory.
func byTheWay(name string, folder bool) bool {
	switch {
	case folder:
		return strings.HasPrefix(name, ".")
	case strings.HasPrefix(name, ".#"), strings.HasPrefix(name, "._"), strings.HasPrefix(name, ".~"), strings.HasPrefix(name, "~$"):
		return true
	case strings.HasPrefix(name, "."):
		return !strings.HasSuffix(strings.ToLower(name), ".md")
	case name == "Thumbs.db", name == "desktop.ini":
		return true
	}
	return strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") || strings.HasSuffix(name, ".tmp")
}

// idOf is a place as an id: a name that is no text, or can't be seen, is written in hexadecimal.
func idOf(place string) string {
	if utf8.ValidString(place) && !strings.ContainsFunc(place, hidden) {
		return place
	}
	folder, name := path.Split(place)
	return folder + fmt.Sprintf("0x%x", name)
}

// readRecord reads one memory. What is wrong with it is its Problem.
func (s *Store) readRecord(root *os.Root, source *Source, kind, place string, folder bool) *record {
	name := path.Base(place)
	r := &record{Item: Item{Kind: kind, ReadOnly: source != nil}, source: source, place: place, document: noDocument}
	if source != nil {
		r.Owner = source.Name
	}
	stem, markdown := cutEnding(name)
	if kind == capability.Skill || !markdown {
		stem = name
	}
	r.Title = titleOf(stem)
	var err error
	if r.Title, err = checkTitle(r.Title); err != nil {
		r.Title = shown(stem)
		if r.Title == "" {
			r.Title = strconv.QuoteToASCII(name)
		}
	}
	r.key = fold(r.Title)
	if err == nil {
		err = misplaced(kind, name, folder, markdown)
	}
	if err != nil {
		r.Problem = extension.AsProblem(err, "memory.unreadable", "", "")
		return r
	}
	text, info, err := readText(root, r.textFile())
	if kind == capability.Skill && errors.Is(err, fs.ErrNotExist) {
		err = extension.NewProblem("memory.no-skill-file", "The folder {title} has no SKILL.md.", "Add one, with a name and a description at its head.", "title", r.Title)
	}
	if info != nil {
		r.stamp, r.Bytes, r.UpdatedAtMs = stampOf(info), info.Size(), info.ModTime().UnixMilli()
		since := s.options.Now().Sub(info.ModTime())
		r.rested = since > rest
	}
	if err != nil {
		r.Problem = extension.AsProblem(err, "memory.unreadable", "", "")
		return r
	}
	f, body, err := splitFront(text)
	switch {
	case kind == capability.Knowledge && err != nil:
		body = text // "---" at the head of a note is a line across the page
	case err != nil:
		r.Problem = extension.NewProblem("memory.front-matter", "The head of {file} can't be read: {why}.", "Correct the lines between the two “---”: each is a name, a colon and a text.", "file", shown(r.textFile()), "why", err.Error())
		return r
	}
	r.Summary = summaryOf(f, body)
	s.index.add(r, f.name, body)
	return r
}

// misplaced says why something in the folder of a kind is none.
func misplaced(kind, name string, folder, markdown bool) error {
	switch {
	case strings.HasPrefix(name, "."):
		return extension.NewProblem("memory.hidden", "{file} is hidden: its name begins with a dot.", "Rename it to use it.", "file", shown(name))
	case kind == capability.Knowledge && folder:
		return extension.NewProblem("memory.folder-in-knowledge", "{file} is a folder, and knowledge is one file each.", "Move its files up, or, with a SKILL.md, into the folder skills.", "file", shown(name))
	case kind == capability.Knowledge && !markdown:
		return extension.NewProblem("memory.not-markdown", "{file} is no Markdown file.", "Give it the ending .md, or move it out of the memories' folder.", "file", shown(name))
	case kind == capability.Skill && !folder:
		return extension.NewProblem("memory.file-in-skills", "{file} is a file, and a skill is a folder with a SKILL.md.", "Move it into the folder knowledge, or make it a skill's SKILL.md.", "file", shown(name))
	}
	return nil
}

func cutEnding(name string) (stem string, markdown bool) {
	if n := len(name) - len(".md"); n > 0 && strings.EqualFold(name[n:], ".md") {
		return name[:n], true
	}
	return name, false
}

// lookAtForeign reads what the extensions ship. What is declared and not there is skipped (loca-notes.md, 1).
func (s *Store) lookAtForeign(ctx context.Context) error {
	sources, err := s.options.Sources(ctx)
	if err != nil {
		return err
	}
	for _, r := range s.foreign {
		s.index.remove(r)
	}
	s.foreign = nil
	for n := range sources {
		source := &sources[n]
		root, err := os.OpenRoot(source.Root)
		if err != nil {
			continue // the extension's page says what is wrong with it
		}
		for _, shipped := range source.Memories {
			if err := ctx.Err(); err != nil {
				root.Close()
				return err
			}
			info, err := root.Lstat(shipped.Path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			r := s.readRecord(root, source, shipped.Kind, shipped.Path, err == nil && info.IsDir())
			r.ID = source.Key + "/" + idOf(shipped.Path)
			s.foreign = append(s.foreign, r)
		}
		root.Close()
	}
	return nil
}

// assemble says which memories are on, and which one a title stands for: the person's before an extension's; where two of
// the person's have the same one, none.
func assemble(own map[string]*record, foreign []*record, switched map[string]bool) *view {
	v := &view{byID: map[string]int{}, served: map[string]int{}}
	v.records = slices.AppendSeq(make([]*record, 0, len(own)+len(foreign)), maps.Values(own))
	v.records = append(v.records, foreign...)
	slices.SortFunc(v.records, func(a, b *record) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.Owner, b.Owner), strings.Compare(a.ID, b.ID))
	})
	v.items = make([]Item, len(v.records))
	claims := map[string][]int{} // by title: the person's that are on
	for n, r := range v.records {
		item := r.Item
		item.Enabled = r.source == nil
		if on, was := switched[r.ID]; was {
			item.Enabled = on
		}
		v.items[n], v.byID[r.ID] = item, n
		if item.Enabled && r.source == nil {
			claims[r.key] = append(claims[r.key], n)
		}
	}
	for n, r := range v.records {
		item := &v.items[n]
		if !item.Enabled || item.Problem != nil {
			continue
		}
		mine := claims[r.key]
		_, taken := v.served[r.key]
		switch {
		case r.source == nil && len(mine) > 1:
			item.Problem = sameTitle(item.Title, placesOf(v.records, mine))
		case r.source != nil && (taken || len(mine) > 0):
			item.Problem = titleTaken(item.Title)
		default:
			v.served[r.key] = n
		}
	}
	return v
}

func placesOf(records []*record, which []int) string {
	names := make([]string, len(which))
	for i, n := range which {
		names[i] = shown(records[n].place)
	}
	return strings.Join(names, ", ")
}
