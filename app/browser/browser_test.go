//go:build browser

package browser

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coder/websocket"

	"portico/backend/core"
)

type noWindow struct{}

func (noWindow) ChooseFolder(context.Context, string) (string, error) { return "", nil }
func (noWindow) OpenURL(string) error                                 { return nil }
func (noWindow) OpenPath(string) error                                { return nil }
func (noWindow) Ready()                                               {}
func (noWindow) Native() bool                                         { return false }

// serve starts a server on an empty data folder and gives the address it printed.
func serve(t *testing.T) (address string, c *core.Core) {
	t.Helper()
	c, err := core.Open(t.Context(), core.Options{Data: t.TempDir(), Present: true})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- Serve(ctx, c, fstest.MapFS{"index.html": {Data: []byte("<title>Portico</title>")}}, noWindow{}, listener, func(address string) { ready <- address })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return <-ready, c
}

func browse(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func get(t *testing.T, client *http.Client, address string) (int, string) {
	t.Helper()
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestTheAddressWorksOnceAndForOneBrowser(t *testing.T) {
	address, _ := serve(t)
	base, _, _ := strings.Cut(address, "?")
	first, second := browse(t), browse(t)
	if code, _ := get(t, first, base); code != http.StatusForbidden {
		t.Errorf("without a token: %d", code)
	}
	if code, _ := get(t, first, base+"?token=guess"); code != http.StatusForbidden {
		t.Errorf("with a wrong token: %d", code)
	}
	if code, body := get(t, first, address); code != http.StatusOK || !strings.Contains(body, "Portico") {
		t.Errorf("with the token: %d %s", code, body)
	}
	if code, _ := get(t, second, address); code != http.StatusForbidden {
		t.Errorf("the token a second time: %d", code)
	}
	if code, _ := get(t, first, base); code != http.StatusOK {
		t.Errorf("the first browser again: %d", code)
	}
}

func dial(t *testing.T, client *http.Client, address string, header http.Header) (*websocket.Conn, error) {
	t.Helper()
	socket, answer, err := websocket.Dial(t.Context(), strings.Replace(address, "http://", "ws://", 1)+"api", &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
	if answer != nil && answer.Body != nil {
		answer.Body.Close()
	}
	return socket, err
}

func TestStrangersReachNoMethod(t *testing.T) {
	address, _ := serve(t)
	base, _, _ := strings.Cut(address, "?")
	known := browse(t)
	get(t, known, address)
	if _, err := dial(t, browse(t), base, nil); err == nil {
		t.Error("a browser without the cookie got in")
	}
	if _, err := dial(t, known, base, http.Header{"Origin": {"http://evil.example"}}); err == nil {
		t.Error("a page of another origin got in")
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example" // a name that was made to resolve to loopback
	answer, err := known.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("another host's name: %d", answer.StatusCode)
	}
}

func TestMethodsAnswerAndEventsWaitForCredit(t *testing.T) {
	address, c := serve(t)
	base, _, _ := strings.Cut(address, "?")
	client := browse(t)
	get(t, client, address)
	socket, err := dial(t, client, base, http.Header{"Origin": {strings.TrimSuffix(base, "/")}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	socket.SetReadLimit(1 << 20)
	read := func() map[string]json.RawMessage {
		t.Helper()
		_, data, err := socket.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var message map[string]json.RawMessage
		if err := json.Unmarshal(data, &message); err != nil {
			t.Fatal(err)
		}
		return message
	}
	send := func(text string) {
		t.Helper()
		if err := socket.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"id":7,"method":"sessions.list","request":{}}`)
	if got := read(); string(got["id"]) != "7" || string(got["value"]) != "[]" {
		t.Errorf("got %s", got)
	}
	send(`{"id":8,"method":"no.such","request":{}}`)
	if got := read(); !strings.Contains(string(got["problem"]), "app.no-method") {
		t.Errorf("got %s", got)
	}
	// More batches than there is credit: the rest comes when the page says that it took one.
	for range eventCredit {
		if _, err := c.Sessions.Create(t.Context(), sessionOf()); err != nil {
			t.Fatal(err)
		}
		if got := read(); !strings.Contains(string(got["events"]), `"topic":"session"`) {
			t.Fatalf("got %s", got)
		}
	}
	if _, err := c.Sessions.Create(t.Context(), sessionOf()); err != nil {
		t.Fatal(err)
	}
	send(`{"id":9,"method":"system.about","request":{}}`)
	if got := read(); string(got["id"]) != "9" {
		t.Fatalf("an event came without credit: %s", got)
	}
	send(`{"credit":1}`)
	if got := read(); !strings.Contains(string(got["events"]), `"topic":"session"`) {
		t.Errorf("got %s", got)
	}
}
