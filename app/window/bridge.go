package window

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"portico/app"
	"portico/app/opener"
	"portico/backend/extension"
)

// Bridge is the one value that Wails binds to the page.
type Bridge struct {
	api     *app.API
	ctx     context.Context // ends with the window
	started chan struct{}
}

// Call runs one method of the API. Request and answer are JSON; the answer is that of app.Answer.
func (b *Bridge) Call(method string, request string) string {
	<-b.started // the page may be quicker than Wails' start
	return encode(method, b.api.Call(b.ctx, method, json.RawMessage(request)))
}

func encode(method string, answer app.Answer) string {
	data, err := json.Marshal(answer)
	if err == nil {
		return string(data)
	}
	data, err = json.Marshal(app.Answer{Problem: extension.NewProblem("app.bad-answer", "The answer of {method} could not be written.",
		"Try again; if it happens again, report it with the details.", "method", method).Because(err)})
	if err != nil { // a Problem is strings alone: it always has a JSON form
		panic(fmt.Sprintf("a problem without a JSON form: %v", err))
	}
	return string(data)
}

// ChooseFolder opens the system's folder dialog.
func (w *Window) ChooseFolder(_ context.Context, title string) (string, error) {
	w.dialog.Lock()
	defer w.dialog.Unlock()
	folder, err := runtime.OpenDirectoryDialog(w.ctx, runtime.OpenDialogOptions{Title: title, CanCreateDirectories: true})
	if err != nil {
		return "", extension.NewProblem("window.no-dialog", "The folder dialog could not be opened.", "Type the folder's path instead.").Because(err)
	}
	return folder, nil
}

// OpenURL opens an address in the person's browser.
func (*Window) OpenURL(address string) error { return opener.URL(address) }

// OpenPath shows a file or folder in the system's file manager.
func (*Window) OpenPath(path string) error { return opener.Path(path) }

// openFromPage takes a link that the page tried to follow in place of itself. What is no link for a browser goes nowhere.
func (w *Window) openFromPage(address string) {
	// The page's attempt has nobody to hear of a refusal; the page itself is where it was.
	_ = opener.URL(address)
}
