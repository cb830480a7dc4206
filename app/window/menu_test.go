package window

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"go.uber.org/goleak"

	"portico/app"
	"portico/backend/core"
	"portico/backend/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines are all entries below some, in order.
func lines(entries []entry) []entry {
	var all []entry
	for _, e := range entries {
		all = append(all, e)
		all = append(all, lines(e.below)...)
	}
	return all
}

func TestEveryLineOfTheMenuSpeaksBothLanguagesAndDoesSomething(t *testing.T) {
	keys := map[string]string{}
	for _, e := range lines((&Window{}).bar()) {
		if reflect.DeepEqual(e, separator) {
			continue
		}
		if e.label.en == "" || e.label.es == "" {
			t.Errorf("%+v lacks a language", e.label)
		}
		if (e.do == nil) == (e.below == nil) {
			t.Errorf("%q must either do something or open", e.label.en)
		}
		if e.key == "" {
			continue
		}
		shortcut(e.key) // panics on one that Wails cannot read
		if other := keys[e.key]; other != "" {
			t.Errorf("%s is the key of both %q and %q", e.key, other, e.label.en)
		}
		keys[e.key] = e.label.en
	}
}

func TestAMenuItemIsAnActionOfTheFrontend(t *testing.T) {
	w := &Window{core: &core.Core{Events: event.NewHub()}}
	heard := w.core.Events.Subscribe()
	for _, e := range lines(w.bar()) {
		// The rest opens something of the system's, edits a text or changes a setting.
		if e.do == nil || e.label == wordQuit || e.label == wordLogs || isOneOf(e, wordEdit, w) || isOneOf(e, wordTheme, w) {
			continue
		}
		e.do()
	}
	events, err := heard.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, e.Payload.(event.MenuAction).Action)
	}
	want := []string{"session.new", "tab.close", "tab.reopen", "settings.open", "palette.open", "sidebar.toggle", "tab.next", "tab.previous",
		"view.zoomIn", "view.zoomOut", "view.zoomReset", "help.about"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the menu's actions are %v", got)
	}
}

func isOneOf(e entry, submenu word, w *Window) bool {
	for _, parent := range lines(w.bar()) {
		if parent.label == submenu {
			for _, child := range parent.below {
				if child.label == e.label {
					return true
				}
			}
		}
	}
	return false
}

// drawn lists the labels of a menu as Wails draws it.
func drawn(m *menu.Menu) []string {
	var list []string
	for _, item := range m.Items {
		if item.Type == menu.SeparatorType {
			continue
		}
		list = append(list, item.Label)
		if item.SubMenu != nil {
			list = append(list, drawn(item.SubMenu)...)
		}
	}
	return list
}

func TestTheMenuIsRenamedInTheOrderInWhichItIsDrawn(t *testing.T) {
	bar := (&Window{}).bar()
	for _, language := range []string{"en", "es"} {
		if got, want := labels(bar, language), drawn(build(bar, language, "linux")); !reflect.DeepEqual(got, want) {
			t.Errorf("in %s the labels are %v, drawn are %v", language, got, want)
		}
	}
}

func TestOnWindowsTheMenuShowsKeysAndLeavesThemToThePage(t *testing.T) {
	shown := 0
	var check func(*menu.Menu)
	check = func(m *menu.Menu) {
		for _, item := range m.Items {
			if item.Accelerator != nil {
				t.Errorf("%q takes %v", item.Label, item.Accelerator)
			}
			if strings.Contains(item.Label, "\tCtrl+") {
				shown++
			}
			if item.SubMenu != nil {
				check(item.SubMenu)
			}
		}
	}
	check(build((&Window{}).bar(), "en", "windows"))
	if shown == 0 {
		t.Error("no key is shown")
	}
}

func TestTheMenusLanguageIsThePersonsThenTheSystemsThenEnglish(t *testing.T) {
	for _, c := range []struct{ chosen, locale, want string }{
		{"es", "en-GB", "es"}, {"en", "es-MX", "en"}, {"system", "es-MX", "es"}, {"system", "es", "es"}, {"system", "de-DE", "en"}, {"system", "", "en"}, {"", "est", "en"},
	} {
		if got := languageOf(c.chosen, c.locale); got != c.want {
			t.Errorf("%q in a system of %q is %q", c.chosen, c.locale, got)
		}
	}
}

func TestThePageLoadsNothingFromTheNetwork(t *testing.T) {
	served := httptest.NewRecorder()
	guardPage(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusOK) })).ServeHTTP(served, httptest.NewRequest(http.MethodGet, "/", nil))
	directives := map[string]string{}
	for _, d := range strings.Split(served.Header().Get("Content-Security-Policy"), ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(d), " ")
		directives[name] = sources
	}
	for name, sources := range directives {
		if strings.Contains(sources, "http") || strings.Contains(sources, "*") {
			t.Errorf("%s allows %s", name, sources)
		}
	}
	if directives["script-src"] != "'self'" || directives["object-src"] != "'none'" || directives["default-src"] != "'self'" {
		t.Errorf("the policy is %v", directives)
	}
}

func TestADropOfSomethingElseThanFilesIsNone(t *testing.T) {
	if got := absolute([]string{"https://example.org/", "", "relative"}); got != nil {
		t.Errorf("%v are taken for files", got)
	}
}

func TestAnAnswerThatHasNoJSONFormIsAProblem(t *testing.T) {
	if got := encode("chat.send", app.Answer{Value: make(chan int)}); !strings.Contains(got, `"app.bad-answer"`) {
		t.Errorf("the page gets %s", got)
	}
}
