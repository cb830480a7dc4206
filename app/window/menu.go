package window

import (
	"context"
	"log/slog"
	goruntime "runtime"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"portico/app/opener"
)

// entry is one line of the native menu: a label with what it does, or with entries below it, or a line between.
type entry struct {
	label word
	key   string // "cmdorctrl+n", Wails' notation; empty: none
	do    func()
	below []entry
}

var separator = entry{}

// bar is the menu bar. Its actions are the frontend's, by id, but for what only the system's side can do.
func (w *Window) bar() []entry {
	action := func(label word, key, id string) entry { return entry{label: label, key: key, do: func() { w.act(id) }} }
	edit := func(label word, command string) entry {
		return entry{label: label, do: func() { w.native.edit(w.ctx, command) }}
	}
	theme := func(label word, value string) entry { return entry{label: label, do: func() { w.chooseTheme(value) }} }
	return []entry{
		{label: wordFile, below: []entry{
			action(wordNewChat, "cmdorctrl+n", "session.new"),
			action(wordCloseTab, "cmdorctrl+w", "tab.close"),
			action(wordReopenTab, "cmdorctrl+shift+t", "tab.reopen"),
			separator,
			action(wordSettings, "cmdorctrl+,", "settings.open"),
			separator,
			{label: wordQuit, key: "cmdorctrl+q", do: func() { runtime.Quit(w.ctx) }},
		}},
		// No keys here: in a text the page handles them itself, and an editor in the page must get them.
		{label: wordEdit, below: []entry{
			edit(wordUndo, "Undo"), edit(wordRedo, "Redo"), separator,
			edit(wordCut, "Cut"), edit(wordCopy, "Copy"), edit(wordPaste, "Paste"), separator,
			edit(wordSelectAll, "SelectAll"),
		}},
		{label: wordView, below: []entry{
			action(wordPalette, "cmdorctrl+k", "palette.open"),
			action(wordSidebar, "cmdorctrl+b", "sidebar.toggle"),
			separator,
			// Ctrl+Tab is the page's: GTK takes no Tab as a menu's key.
			action(wordNextTab, "", "tab.next"),
			action(wordPreviousTab, "", "tab.previous"),
			separator,
			action(wordZoomIn, "cmdorctrl+plus", "view.zoomIn"),
			action(wordZoomOut, "cmdorctrl+-", "view.zoomOut"),
			action(wordZoomReset, "cmdorctrl+0", "view.zoomReset"),
			separator,
			{label: wordTheme, below: []entry{theme(wordSystem, "system"), theme(wordLight, "light"), theme(wordDark, "dark")}},
		}},
		{label: wordHelp, below: []entry{
			{label: wordLogs, do: w.openLogs},
			action(wordAbout, "", "help.about"),
		}},
	}
}

func (w *Window) menu(language string) *menu.Menu {
	built := build(w.bar(), language, goruntime.GOOS)
	if goruntime.GOOS == "darwin" { // macOS wants its own first menu, and gives Edit with its keys
		built.Items = append([]*menu.MenuItem{menu.AppMenu()}, built.Items...)
	}
	return built
}

// build draws entries as Wails' menu for a system.
func build(entries []entry, language, goos string) *menu.Menu {
	built := menu.NewMenu()
	for _, e := range entries {
		switch {
		case e.below != nil && e.label == wordEdit && goos == "darwin":
			built.Append(menu.EditMenu())
		case e.below != nil:
			built.Append(menu.SubMenu(e.label.in(language), build(e.below, language, goos)))
		case e.do == nil:
			built.Append(menu.Separator())
		default:
			label, key := e.label.in(language), shortcut(e.key)
			if goos == "windows" && key != nil {
				// WebView2 hands a key of the menu to the page as well, which would do it twice: the page alone has it
				// there, and the menu only shows it, after a tab as Win32 wants it.
				label, key = label+"\t"+keys.Stringify(key, goos), nil
			}
			built.Append(menu.Text(label, key, func(*menu.CallbackData) { e.do() }))
		}
	}
	return built
}

func shortcut(key string) *keys.Accelerator {
	if key == "" {
		return nil
	}
	parsed, err := keys.Parse(key)
	if err != nil { // a literal of ours; the tests parse every one
		panic(err)
	}
	return parsed
}

// labels lists the texts of the menu in the order in which it is drawn, each submenu after its own label.
func labels(entries []entry, language string) []string {
	var list []string
	for _, e := range entries {
		if e.label != (word{}) {
			list = append(list, e.label.in(language))
		}
		list = append(list, labels(e.below, language)...)
	}
	return list
}

func (w *Window) chooseTheme(theme string) {
	ctx := context.Background()
	settings, err := w.core.Settings(ctx)
	if err == nil && settings.Theme != theme {
		settings.Theme = theme
		_, err = w.core.SaveSettings(ctx, settings)
	}
	if err != nil {
		slog.Warn("the theme was not changed", "error", err)
	}
}

func (w *Window) openLogs() {
	if err := opener.Path(w.core.Logs()); err != nil {
		slog.Warn("the logs were not opened", "error", err)
	}
}
