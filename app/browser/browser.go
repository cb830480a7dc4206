//go:build browser

// Package browser carries the API to a browser over a loopback WebSocket, for development and end-to-end tests. It is
// compiled only with the build tag "browser": a release binary does not contain it.
//
// The address that Serve gives holds a one-time token: the first page load exchanges it for a cookie that only this
// server's own origin sends. Another program on this computer, or another page, has neither.
package browser

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"portico/app"
	"portico/backend/core"
	"portico/backend/event"
	"portico/backend/extension"
)

const (
	maxRequestBytes = 4 << 20
	// eventCredit is how many batches of events may be on their way to a page that has not said it took them.
	eventCredit = 4
	// batchEvery folds what happens within one frame of the screen into one message.
	batchEvery = 16 * time.Millisecond
)

// Server is one running browser carrier.
type Server struct {
	core   *core.Core
	assets fs.FS
	window app.Window
	host   string

	mu         sync.Mutex
	token      string // empty once used
	cookieName string // cookies know no ports: the name keeps two servers of one computer apart
	cookie     string
}

// Serve answers on the listener until ctx ends. The address to open is given to ready before the first request.
func Serve(ctx context.Context, c *core.Core, assets fs.FS, window app.Window, listener net.Listener, ready func(address string)) error {
	s := &Server{core: c, assets: assets, window: window, host: listener.Addr().String(), token: secret(), cookie: secret()}
	_, port, err := net.SplitHostPort(s.host)
	if err != nil {
		return fmt.Errorf("read the address that the browser page is served on: %w", err)
	}
	s.cookieName = "portico-" + port
	mux := http.NewServeMux()
	mux.HandleFunc("/api", s.api(ctx))
	mux.Handle("/", s.page())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	ready(fmt.Sprintf("http://%s/?token=%s", s.host, s.token))
	if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the browser page on %s: %w", s.host, err)
	}
	return nil
}

func secret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func (s *Server) page() http.Handler {
	files := http.FileServerFS(s.assets)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != s.host { // a page of another name that resolves to loopback (DNS rebinding)
			http.Error(w, "wrong host", http.StatusForbidden)
			return
		}
		if given := r.URL.Query().Get("token"); given != "" {
			if !s.spend(given) {
				http.Error(w, "This address was used already. Start Portico's browser mode again for a new one.", http.StatusForbidden)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: s.cookieName, Value: s.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if !s.known(r) {
			http.Error(w, "Open the address that Portico printed.", http.StatusForbidden)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		files.ServeHTTP(w, r)
	})
}

func (s *Server) spend(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return false
	}
	s.token = ""
	return true
}

func (s *Server) known(r *http.Request) bool {
	cookie, err := r.Cookie(s.cookieName)
	return err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(s.cookie)) == 1
}

type request struct {
	ID      uint64          `json:"id"`
	Method  string          `json:"method"`
	Request json.RawMessage `json:"request"`
	Credit  int             `json:"credit"`
}

type response struct {
	ID      uint64             `json:"id"`
	Value   any                `json:"value"`
	Problem *extension.Problem `json:"problem,omitempty"`
}

type batch struct {
	Events []event.Event `json:"events"`
}

func (s *Server) api(ctx context.Context) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Host != s.host || !s.known(r) {
			http.Error(w, "Open the address that Portico printed.", http.StatusForbidden)
			return
		}
		socket, err := websocket.Accept(w, r, nil) // refuses other origins
		if err != nil {
			return
		}
		defer socket.CloseNow()
		socket.SetReadLimit(maxRequestBytes)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		page := &page{socket: socket, api: app.New(s.core, s.window), credit: make(chan struct{}, eventCredit)}
		for range eventCredit {
			page.credit <- struct{}{}
		}
		var running sync.WaitGroup
		running.Go(func() { defer cancel(); page.sendEvents(ctx, s.core.Events.Subscribe()) })
		page.serve(ctx, &running)
		cancel()
		running.Wait()
	}
}

// page is one connected browser page. Its requests run side by side; its events keep their order and wait for credit.
type page struct {
	socket *websocket.Conn
	api    *app.API
	credit chan struct{}
}

func (p *page) serve(ctx context.Context, running *sync.WaitGroup) {
	for {
		_, data, err := p.socket.Read(ctx)
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(data, &r); err != nil {
			p.socket.Close(websocket.StatusUnsupportedData, "not a request")
			return
		}
		for range min(r.Credit, eventCredit) {
			select {
			case p.credit <- struct{}{}:
			default: // more than was ever lent
			}
		}
		if r.Method == "" {
			continue
		}
		running.Go(func() {
			answer := p.api.Call(ctx, r.Method, r.Request)
			p.send(ctx, response{r.ID, answer.Value, answer.Problem})
		})
	}
}

func (p *page) send(ctx context.Context, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode a message to the page: %w", err)
	}
	return p.socket.Write(ctx, websocket.MessageText, data)
}

func (p *page) sendEvents(ctx context.Context, subscription *event.Subscription) {
	defer subscription.Close()
	pace := time.NewTicker(batchEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.credit:
		}
		events, err := subscription.Next(ctx)
		if err != nil {
			return
		}
		if p.send(ctx, batch{events}) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
	}
}
