package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/backend/capability"
	"portico/backend/extension"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what has to come; only a failure uses it up.
const patience = 20 * time.Second

// switches are kept in a map.
type switches struct {
	mu sync.Mutex
	on map[string]bool
}

func (w *switches) Switched(context.Context) (map[string]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.on), nil
}

func (w *switches) Switch(_ context.Context, id string, on bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on[id] = on
	return nil
}

func (w *switches) Forget(_ context.Context, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.on, id)
	return nil
}

// desk is a store with a folder of its own.
type desk struct {
	*Store
	t       *testing.T
	folder  string
	sources []Source
	changes chan struct{}
	ahead   time.Duration // of the store's clock
}

func open(t *testing.T, sources ...Source) *desk {
	t.Helper()
	d := &desk{t: t, folder: filepath.Join(t.TempDir(), "memories"), sources: sources, changes: make(chan struct{}, 1000)}
	d.start()
	return d
}

// start opens the folder as a new run of the app does.
func (d *desk) start() {
	store := New(Options{
		Folder: d.folder, Switches: &switches{on: map[string]bool{}},
		Sources: func(context.Context) ([]Source, error) { return d.sources, nil },
		Changed: func() {
			select {
			case d.changes <- struct{}{}:
			default:
			}
		},
		Now: func() time.Time { return time.Now().Add(d.ahead) },
	})
	d.Store = store
	d.t.Cleanup(func() {
		if err := store.Close(); err != nil {
			d.t.Error(err)
		}
	})
}

// put writes a file below the folder as another program does.
func (d *desk) put(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) file(name string) string { return filepath.Join(d.folder, filepath.FromSlash(name)) }

func (d *desk) content(name string) string {
	d.t.Helper()
	data, err := os.ReadFile(d.file(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

// items tells what is listed: "title kind" with "off", the owner, and the code of a problem.
func (d *desk) items() []string {
	d.t.Helper()
	list, err := d.Store.List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	var told []string
	for _, item := range list.Items {
		line := item.Title + " " + item.Kind
		if !item.Enabled {
			line += " off"
		}
		if item.Owner != "" {
			line += " of " + item.Owner
		}
		if item.Problem != nil {
			line += " " + item.Problem.Code
			if item.Problem.What == "" {
				d.t.Errorf("%s says nothing", item.Problem.Code)
			}
		}
		told = append(told, line)
	}
	return told
}

// served are the titles that tools see.
func (d *desk) served() []string {
	d.t.Helper()
	list, err := d.Service().List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	titles := []string{}
	for _, m := range list {
		titles = append(titles, m.Title)
	}
	return titles
}

func (d *desk) expect(want ...string) {
	d.t.Helper()
	if got := d.items(); !slices.Equal(got, want) {
		d.t.Errorf("got  %q\nwant %q", got, want)
	}
}

// soon waits until something is so.
func (d *desk) soon(what string, so func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if so() {
			return
		}
	}
	d.t.Fatalf("%s never came: %q", what, d.items())
}

func (d *desk) id(title string) string {
	d.t.Helper()
	list, err := d.Store.List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	for _, item := range list.Items {
		if item.Title == title {
			return item.ID
		}
	}
	d.t.Fatalf("there is no %q in %q", title, d.items())
	return ""
}

func (d *desk) text(title string) string {
	d.t.Helper()
	got, err := d.Service().Get(d.t.Context(), title)
	if err != nil {
		d.t.Fatal(err)
	}
	return got.Content
}

func (d *desk) save(draft Draft) Item {
	d.t.Helper()
	item, err := d.Save(d.t.Context(), draft)
	if err != nil {
		d.t.Fatal(err)
	}
	return item
}

func code(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return ""
}

func refused(t *testing.T, want string, err error) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

const webSkill = "---\nname: web-research\ndescription: How to search the web and weigh what is found.\n---\n\n# Steps\n\nStart broad.\n"

func TestFilesInTheFolderAreMemories(t *testing.T) {
	d := open(t)
	d.put("knowledge/Wi-Fi at home.md", "# Wi-Fi\n\nThe network is called **Alder**.\nIts password is in the vault.\n\nMore below.\n")
	d.put("skills/web-research/SKILL.md", webSkill)
	d.put("skills/web-research/references/sources.md", "Ask a librarian.")
	d.put("skills/web-research/scripts/deep/fetch.py", "print(1)")
	d.put("skills/web-research/.git/config", "hidden")
	d.expect("web-research skill", "Wi-Fi at home knowledge")
	list, _ := d.Service().List(t.Context())
	if list[1].Summary != "The network is called **Alder**. Its password is in the vault." || list[0].Summary != "How to search the web and weigh what is found." {
		t.Errorf("the summaries are %q and %q", list[0].Summary, list[1].Summary)
	}
	if since := time.Since(time.UnixMilli(list[1].UpdatedAtMs)); since < -time.Minute || since > time.Hour {
		t.Errorf("it was changed %s ago", since)
	}
	text, err := d.Store.Text(t.Context(), d.id("web-research"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []File{{"references/sources.md", 16}, {"scripts/deep/fetch.py", 8}}; text.Content != webSkill || !slices.Equal(text.Files, want) {
		t.Errorf("got %+v", text)
	}
	file, err := d.Service().File(t.Context(), "WEB-research", "references/sources.md")
	if err != nil || file != (capability.MemoryFile{Title: "web-research", Name: "references/sources.md", Content: "Ask a librarian."}) {
		t.Errorf("got %+v, %v", file, err)
	}
}

func TestAToolReadsWritesAndEditsByTitle(t *testing.T) {
	d := open(t)
	memories := d.Service()
	made, err := memories.Write(t.Context(), "Café hours", "Open at nine.")
	if err != nil || made != (capability.MemoryChange{Title: "Café hours", After: "Open at nine.", Created: true}) {
		t.Fatalf("got %+v, %v", made, err)
	}
	if got := d.content("knowledge/Café hours.md"); got != "Open at nine." {
		t.Errorf("the file holds %q", got)
	}
	again, err := memories.Write(t.Context(), "cafe\u0301 HOURS", "Open at ten.")
	if err != nil || again != (capability.MemoryChange{Title: "Café hours", Before: "Open at nine.", After: "Open at ten."}) {
		t.Fatalf("got %+v, %v", again, err)
	}
	edited, err := memories.Edit(t.Context(), "CAFÉ hours", "ten", "eleven")
	if err != nil || edited != (capability.MemoryChange{Title: "Café hours", Before: "Open at ten.", After: "Open at eleven."}) {
		t.Fatalf("got %+v, %v", edited, err)
	}
	if got, err := memories.Get(t.Context(), "café Hours"); err != nil || got != (capability.MemoryText{Title: "Café hours", Content: "Open at eleven."}) {
		t.Errorf("got %+v, %v", got, err)
	}
	d.expect("Café hours knowledge")
}

func TestEditNeedsExactlyOnePlace(t *testing.T) {
	d := open(t)
	d.put("knowledge/a.md", "aaa b\r\nsecond\r\nthird b")
	for find, want := range map[string]string{"": "memory.nothing-to-find", "x": "memory.not-found", "b": "memory.found-often", "aa": "memory.found-often"} {
		_, err := d.Service().Edit(t.Context(), "a", find, "y")
		refused(t, want, err)
	}
	if got := d.content("knowledge/a.md"); got != "aaa b\r\nsecond\r\nthird b" {
		t.Errorf("it is %q now", got)
	}
	// A model writes "\n"; a file with Windows's line ends keeps them.
	if _, err := d.Service().Edit(t.Context(), "a", "second\nthird", "2\n3"); err != nil {
		t.Fatal(err)
	}
	if got := d.content("knowledge/a.md"); got != "aaa b\r\n2\r\n3 b" {
		t.Errorf("it is %q now", got)
	}
}

func TestASkillIsEditedAndNeverReplacedOrBroken(t *testing.T) {
	d := open(t)
	d.put("skills/web/SKILL.md", webSkill)
	_, err := d.Service().Write(t.Context(), "Web", "all of it")
	refused(t, "memory.is-skill", err)
	_, err = d.Service().Edit(t.Context(), "web", "---\n\n#", "#")
	refused(t, "memory.breaks-skill", err)
	if got := d.content("skills/web/SKILL.md"); got != webSkill {
		t.Errorf("it is %q now", got)
	}
	if _, err := d.Service().Edit(t.Context(), "web", "Start broad.", "Start narrow."); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.content("skills/web/SKILL.md"), "Start narrow.") {
		t.Error("the edit is not in the file")
	}
}

func TestLimitsRefuseInWords(t *testing.T) {
	d := open(t)
	memories := d.Service()
	write := func(title, content string) error { _, err := memories.Write(t.Context(), title, content); return err }
	refused(t, "memory.too-large", write("big", strings.Repeat("x", MaxBytes+1)))
	refused(t, "memory.not-text", write("binary", "a\x00b"))
	refused(t, "memory.not-text", write("latin", "caf\xe9"))
	refused(t, "", write("just fits", strings.Repeat("x", MaxBytes)))
	_, err := memories.Edit(t.Context(), "just fits", strings.Repeat("x", MaxBytes), strings.Repeat("y", MaxBytes+1))
	refused(t, "memory.too-large", err)
	_, err = memories.Get(t.Context(), "nothing")
	refused(t, "memory.missing", err)
	_, err = memories.Edit(t.Context(), "nothing", "a", "b")
	refused(t, "memory.missing", err)
	_, err = memories.File(t.Context(), "just fits", "a")
	refused(t, "memory.no-skill", err)
	d.expect("just fits knowledge")
}

func TestSwitchedOffIsOutOfSightAndNotOverwritten(t *testing.T) {
	d := open(t)
	d.put("knowledge/diary.md", "private")
	if item, err := d.SetEnabled(t.Context(), d.id("diary"), false); err != nil || item.Enabled {
		t.Fatalf("got %+v, %v", item, err)
	}
	if got := d.served(); len(got) != 0 {
		t.Errorf("tools see %q", got)
	}
	_, err := d.Service().Get(t.Context(), "diary")
	refused(t, "memory.missing", err)
	_, err = d.Service().Write(t.Context(), "Diary", "mine now")
	refused(t, "memory.off", err)
	if found, err := d.Relevant(t.Context(), "what does my diary say, private", 3); err != nil || len(found) != 0 {
		t.Errorf("it is offered: %v, %v", found, err)
	}
	if found, err := d.Mentions(t.Context(), "see @diary"); err != nil || len(found) != 0 {
		t.Errorf("it is mentioned: %v, %v", found, err)
	}
	d.expect("diary knowledge off")
	if text, err := d.Store.Text(t.Context(), d.id("diary")); err != nil || text.Content != "private" {
		t.Errorf("its own page shows %+v, %v", text, err)
	}
}

// shipped makes an extension's folder.
func shipped(t *testing.T, name string, files map[string]string, memories ...extension.Memory) Source {
	t.Helper()
	root := t.TempDir()
	for file, text := range files {
		at := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Source{Key: "agent-loca-" + strings.ToLower(name), Name: name, Root: root, Memories: memories}
}

func TestAnExtensionsMemoriesAreReadOnlyAndComeAndGoWithIt(t *testing.T) {
	files := map[string]string{"memories/tides.md": "Tides turn twice a day.", "memories/sail/SKILL.md": webSkill, "memories/sail/rig/knots.md": "Bowline."}
	source := shipped(t, "Harbour", files, extension.Memory{Kind: capability.Knowledge, Path: "memories/tides.md"},
		extension.Memory{Kind: capability.Skill, Path: "memories/sail"}, extension.Memory{Kind: capability.Knowledge, Path: "memories/gone.md"})
	d := open(t)
	d.put("knowledge/mine.md", "Mine.")
	d.expect("mine knowledge")
	d.sources = []Source{source}
	d.ExtensionsChanged()
	d.expect("mine knowledge", "sail skill off of Harbour", "tides knowledge off of Harbour")
	for _, title := range []string{"sail", "tides"} {
		if _, err := d.SetEnabled(t.Context(), d.id(title), true); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.served(); !slices.Equal(got, []string{"mine", "sail", "tides"}) {
		t.Errorf("tools see %q", got)
	}
	if got := d.text("Tides"); got != "Tides turn twice a day." {
		t.Errorf("got %q", got)
	}
	if file, err := d.Service().File(t.Context(), "sail", "rig/knots.md"); err != nil || file.Content != "Bowline." {
		t.Errorf("got %+v, %v", file, err)
	}
	_, err := d.Service().Write(t.Context(), "tides", "x")
	refused(t, "memory.read-only", err)
	_, err = d.Service().Edit(t.Context(), "sail", "broad", "x")
	refused(t, "memory.read-only", err)
	_, err = d.Save(t.Context(), Draft{ID: d.id("tides"), Title: "tides", Kind: capability.Knowledge, Content: "x"})
	refused(t, "memory.read-only", err)
	_, err = d.Remove(t.Context(), d.id("tides"))
	refused(t, "memory.read-only", err)
	d.sources = nil
	d.ExtensionsChanged()
	d.expect("mine knowledge")
	if found, err := d.Relevant(t.Context(), "when do the tides turn", 3); err != nil || len(found) != 0 {
		t.Errorf("what is gone is found: %v, %v", found, err)
	}
}

func TestFilesOfAnExtensionThatChangedAreNotRead(t *testing.T) {
	source := shipped(t, "Harbour", map[string]string{"tides.md": "Twice a day."}, extension.Memory{Kind: capability.Knowledge, Path: "tides.md"})
	source.Check = func(context.Context) error { return extension.NewProblem("extension.drift", "It changed.", "") }
	d := open(t, source)
	if _, err := d.SetEnabled(t.Context(), d.id("tides"), true); err != nil {
		t.Fatal(err)
	}
	_, err := d.Service().Get(t.Context(), "tides")
	refused(t, "extension.drift", err)
}

func TestThePersonsMemoryComesBeforeAnExtensionsOfTheSameTitle(t *testing.T) {
	ship := func(name string) Source {
		return shipped(t, name, map[string]string{"tides.md": "From " + name}, extension.Memory{Kind: capability.Knowledge, Path: "tides.md"})
	}
	one, two := ship("Anchor"), ship("Buoy")
	d := open(t, one, two)
	for _, s := range []Source{one, two} {
		if _, err := d.SetEnabled(t.Context(), s.Key+"/tides.md", true); err != nil {
			t.Fatal(err)
		}
	}
	d.expect("tides knowledge of Anchor", "tides knowledge of Buoy memory.title-taken")
	if got := d.text("tides"); got != "From Anchor" {
		t.Errorf("got %q", got)
	}
	d.put("knowledge/Tides.md", "Mine.")
	d.soon("the person's own", func() bool { return d.items()[0] == "Tides knowledge" })
	d.expect("Tides knowledge", "tides knowledge of Anchor memory.title-taken", "tides knowledge of Buoy memory.title-taken")
	if got := d.text("tides"); got != "Mine." {
		t.Errorf("got %q", got)
	}
	d.put("knowledge/Tides.md", "a\x00b") // broken, it still keeps its title
	d.soon("the problem", func() bool { return strings.Contains(d.items()[0], "memory.not-text") })
	_, err := d.Service().Get(t.Context(), "tides")
	refused(t, "memory.not-text", err)
}

func TestASummaryIsTheDescriptionOrTheFirstParagraph(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a description", "---\ndescription: About tides\n---\nText", "About tides"},
		{"over several lines", "---\nname: x\ndescription: >\n  About\n  tides\n---\nText", "About tides"},
		{"quoted", "---\ndescription: \"About: tides\"\n---\nText", "About: tides"},
		{"what is no YAML", "---\nname: x\ndescription: Use this: always when asked\n---\nText", "Use this: always when asked"},
		{"Windows's line ends", "---\r\ndescription: About tides\r\n---\r\nText", "About tides"},
		{"a mark of byte order", "\ufeff---\ndescription: About tides\n---\nText", "About tides"},
		{"no description", "---\nname: x\n---\n\nFirst.\nAnd more.\n\nSecond.", "First. And more."},
		{"a list in its place", "---\ndescription: [a, b]\n---\nText", "Text"},
		{"nothing", "---\ndescription:\n---\nText", "Text"},
		{"an empty head", "---\n---\nText", "Text"},
		{"none", "Text", "Text"},
		{"a heading alone", "# Tides #\n", "Tides"},
		{"a heading and code", "# Tides\n```\nx\n```\n\nReal.", "Real."},
		{"characters that turn text around", "---\ndescription: \"a\\u202eb\"\n---\n", "ab"},
		{"a long one", strings.Repeat("word ", 1000), strings.TrimSpace(strings.Repeat("word ", 60)) + "…"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t)
			d.put("skills/x/SKILL.md", c.text)
			list, err := d.Store.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := list.Items[0]; got.Problem != nil || got.Summary != c.want {
				t.Errorf("got %q, %v", got.Summary, got.Problem)
			}
		})
	}
}

func TestAHeadThatCannotBeReadIsAProblemOfASkillAndTextOfANote(t *testing.T) {
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for n := range 20 {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", 'b'+n, 'b'+n, 'a'+n, 'a'+n, 'a'+n, 'a'+n, 'a'+n, 'a'+n, 'a'+n, 'a'+n)
	}
	for name, text := range map[string]string{
		"no end": "---\ndescription: x\nText", "no YAML at all": "---\n\t}{: [\n---\nText", "too long": "---\ndescription: x\n" + strings.Repeat("# x\n", maxFrontMatterBytes) + "---\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			d.put("skills/x/SKILL.md", text)
			d.put("knowledge/y.md", text)
			d.expect("x skill memory.front-matter", "y knowledge")
			if got := d.served(); !slices.Equal(got, []string{"y"}) {
				t.Errorf("tools see %q", got)
			}
			if got, err := d.Store.Text(t.Context(), d.id("x")); err != nil || got.Content != text {
				t.Errorf("the person can't mend it: %v", err)
			}
		})
	}
	d := open(t)
	d.put("skills/x/SKILL.md", bomb+"---\nText\n")
	d.expect("x skill") // what refers to itself many times over is not unfolded
}
