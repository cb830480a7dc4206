package npm

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"portico/backend/extension"
)

// Limits bound what comes through one door.
type Limits struct {
	Silence       time.Duration // a registry that sends nothing for so long has failed
	DocumentBytes int64         // what a registry says of one package
	ArchiveBytes  int64         // one package, packed
	UnpackedBytes int64         // all packages, unpacked
	Files         int           // in all packages
	Packages      int           // that are asked for
}

// Standard are the limits of an install. Unpacked, packages may be as much as an extension itself (package install).
var Standard = Limits{
	Silence: 30 * time.Second, DocumentBytes: 64 << 20, ArchiveBytes: 128 << 20, UnpackedBytes: 512 << 20, Files: 20_000, Packages: 2_000,
}

// Wanted is what is known of the packages before they are asked for.
type Wanted struct {
	Hashes map[string]string   // name@version → the hash that it must have, "sha512-…"
	Ranges map[string][]string // name → ranges of several parts; each is offered under its RangeTag
}

// Progress is how many packages are known to be needed, and how many of them have come.
type Progress struct {
	Known, Fetched int
	Package        string // the one at hand
}

// Package is one package as it came through.
type Package struct {
	Name, Version string
	Native        bool // it holds a library for the machine
	Scripts       bool // it has scripts for npm to run when it is installed
}

// Door is a proxy on loopback, for one process that installs. To it the door is the two registries that there are, by names
// that are always the same (Environ) and with certificates that it is told to trust; behind it are the registries of this
// computer. So what is installed does not depend on where it came from, the process reaches nothing else, and sees no
// credential.
type Door struct {
	config   Config
	limits   Limits
	scratch  string
	progress func(Progress)
	wanted   Wanted
	client   *http.Client

	listener net.Listener
	secret   string
	ca       *authority
	outer    *http.Server
	inner    *http.Server
	inside   *passed
	serving  sync.WaitGroup
	ctx      context.Context
	stop     context.CancelFunc

	mu       sync.Mutex
	archives map[string]archive // by the path under which it is asked for
	known    map[string]bool
	fetched  map[string]Package
	bytes    int64
	files    int
	missing  *extension.Problem // the first package that is not there: that may be none that is needed
	failure  *extension.Problem // the first that ends it all
	failed   chan struct{}
}

// Open opens a door. scratch is a folder for what is being checked; progress may be called from any goroutine.
func Open(config Config, limits Limits, scratch string, wanted Wanted, progress func(Progress)) (*Door, error) {
	transport, err := config.transport()
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout, transport.TLSHandshakeTimeout = limits.Silence, limits.Silence
	transport.MaxConnsPerHost = 16
	transport.DialContext = (&net.Dialer{Timeout: limits.Silence}).DialContext
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("open a door to the registry: %w", err)
	}
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return nil, fmt.Errorf("open a door to the registry: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a door to the registry: %w", err)
	}
	d := &Door{
		config: config, limits: limits, scratch: scratch, progress: progress, wanted: wanted, listener: listener, secret: hex.EncodeToString(secret), ca: ca,
		inside:   &passed{connections: make(chan net.Conn), closed: make(chan struct{}), address: listener.Addr()},
		archives: map[string]archive{}, known: map[string]bool{}, fetched: map[string]Package{}, failed: make(chan struct{}),
	}
	d.client = &http.Client{Transport: transport, CheckRedirect: sameHost}
	d.ctx, d.stop = context.WithCancel(context.Background())
	silent := log.New(io.Discard, "", 0) // who hangs up early is no news
	base := func(net.Listener) context.Context { return d.ctx }
	d.outer = &http.Server{Handler: http.HandlerFunc(d.connect), ErrorLog: silent, BaseContext: base, ReadHeaderTimeout: limits.Silence}
	d.inner = &http.Server{Handler: http.HandlerFunc(d.serve), ErrorLog: silent, BaseContext: base, ReadHeaderTimeout: limits.Silence}
	d.serving.Go(func() { d.outer.Serve(listener) }) // both end with Close
	d.serving.Go(func() { d.inner.Serve(d.inside) })
	return d, nil
}

// Close shuts the door and returns when nothing of it runs any more.
func (d *Door) Close() error {
	d.stop()
	err := errors.Join(d.outer.Close(), d.inner.Close())
	d.serving.Wait()
	d.client.CloseIdleConnections()
	return err
}

// Address is what the process is told as its proxy. Nobody else on this computer knows it.
func (d *Door) Address() string {
	return "http://portico:" + d.secret + "@" + d.listener.Addr().String()
}

// Port is the one port that the process has to reach.
func (d *Door) Port() uint16 { return uint16(d.listener.Addr().(*net.TCPAddr).Port) }

// Authority is the certificate that the process has to trust, as PEM.
func (d *Door) Authority() []byte { return d.ca.pem }

// Failed is closed when something went wrong that no further try mends.
func (d *Door) Failed() <-chan struct{} { return d.failed }

// Problem is what went wrong, for when the process failed: nil if nothing did here.
func (d *Door) Problem() *extension.Problem {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return d.failure
	}
	return d.missing
}

// Packages gives what came through, by name@version.
func (d *Door) Packages() map[string]Package {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make(map[string]Package, len(d.fetched))
	for name, p := range d.fetched {
		all[name] = p
	}
	return all
}

// Registry is where a package comes from, as a person may be shown.
func (d *Door) Registry(name string) string { return shown(d.config.registryOf(name)) }

// fail keeps the first failure.
func (d *Door) fail(p *extension.Problem) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure == nil && d.ctx.Err() == nil {
		d.failure = p
		close(d.failed)
	}
}

func (d *Door) lacks(p *extension.Problem) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.missing == nil {
		d.missing = p
	}
}

// connect lets the process through to the two hosts that there are.
func (d *Door) connect(w http.ResponseWriter, r *http.Request) {
	if !d.invited(r) {
		http.Error(w, "not for you", http.StatusProxyAuthRequired)
		return
	}
	host, _, err := net.SplitHostPort(r.Host)
	if r.Method != http.MethodConnect || err != nil || d.ca.names[host] == nil {
		http.Error(w, "nothing but the registries", http.StatusForbidden)
		return
	}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "not on this connection", http.StatusInternalServerError)
		return
	}
	connection, _, err := hijacker.Hijack()
	if err != nil {
		return // it hung up
	}
	if _, err := io.WriteString(connection, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		connection.Close()
		return
	}
	d.inside.pass(tls.Server(connection, d.ca.names[host]))
}

func (d *Door) invited(r *http.Request) bool {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("portico:"+d.secret))
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(want)) == 1
}

// serve answers as the registry that was asked for.
func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "this door is for reading", http.StatusMethodNotAllowed)
		return
	}
	if r.Host == jsrHost {
		d.serveJSR(w, r)
		return
	}
	path := r.URL.EscapedPath()
	if strings.Contains(path, "/-/") {
		if archive, ok := d.archiveAt(r.Context(), r.URL.Path); ok {
			d.serveArchive(w, r, archive)
		} else {
			http.NotFound(w, r)
		}
		return
	}
	name, err := url.PathUnescape(strings.TrimPrefix(path, "/"))
	if err != nil || !packageName.MatchString(name) {
		http.Error(w, "that is no package", http.StatusNotFound)
		return
	}
	d.serveDocument(w, r, name)
}

// need counts a package that is needed; false: there are too many, or there is nothing to ask.
func (d *Door) need(name, registry string) bool {
	d.mu.Lock()
	d.known[name] = true
	known, fetched := len(d.known), len(d.fetched)
	d.mu.Unlock()
	if registry == "" {
		d.fail(noRegistry(name))
		return false
	}
	if known > d.limits.Packages {
		d.fail(tooLarge(name, registry, fmt.Sprintf("more than %d packages are needed", d.limits.Packages)))
		return false
	}
	d.progress(Progress{Known: max(known, fetched), Fetched: fetched, Package: name})
	return true
}

// came counts a package that was handed on.
func (d *Door) came(p Package) {
	d.mu.Lock()
	d.fetched[p.Name+"@"+p.Version] = p
	known, fetched := len(d.known), len(d.fetched)
	d.mu.Unlock()
	d.progress(Progress{Known: max(known, fetched), Fetched: fetched, Package: p.Name})
}

// errElsewhere is a redirect to another host.
type errElsewhere struct{ host string }

func (e errElsewhere) Error() string { return "it leads to " + e.host }

// maxRedirects bounds how often one request is sent on, on its own host.
const maxRedirects = 5

func sameHost(r *http.Request, via []*http.Request) error {
	if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return errElsewhere{r.URL.Host}
	}
	if len(via) > maxRedirects {
		return errors.New("it is sent on and on")
	}
	return nil
}

// retryAfter is how long a second try waits: most failures of a busy registry are gone by then.
const retryAfter = 500 * time.Millisecond

// get asks a registry, twice when it failed in a way that may pass, and gives the status it answered with: 200 with a body,
// or 404. Anything else fails the door.
func (d *Door) get(ctx context.Context, name, registry, address, accept string) (*http.Response, context.CancelFunc) {
	var problem *extension.Problem
	for try := range 2 {
		if try > 0 {
			select {
			case <-time.After(retryAfter):
			case <-ctx.Done():
				return nil, nil
			}
		}
		response, cancel, p, again := d.ask(ctx, name, registry, address, accept)
		if p == nil {
			return response, cancel
		}
		if problem = p; !again {
			break
		}
	}
	if ctx.Err() == nil {
		d.fail(problem)
	}
	return nil, nil
}

func (d *Door) ask(ctx context.Context, name, registry, address, accept string) (response *http.Response, end context.CancelFunc, p *extension.Problem, again bool) {
	ctx, cancel := context.WithCancel(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel()
		return nil, nil, unreachable(name, registry, err), false
	}
	request.Header.Set("Accept", accept)
	if value := d.config.authorization(request.URL); value != "" {
		request.Header.Set("Authorization", value)
	}
	response, err = d.client.Do(request)
	var away errElsewhere
	var slow net.Error
	switch {
	case errors.As(err, &away):
		cancel()
		return nil, nil, elsewhere(name, registry, away.host), false
	case errors.As(err, &slow) && slow.Timeout():
		cancel()
		return nil, nil, silent(name, registry, d.limits.Silence), false
	case err != nil:
		cancel()
		return nil, nil, unreachable(name, registry, err), true
	case response.StatusCode == http.StatusOK, response.StatusCode == http.StatusNotFound:
		return response, cancel, nil, false
	}
	response.Body.Close()
	cancel()
	return nil, nil, answered(name, registry, response.StatusCode), response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests
}

// errSilent is a body that stopped coming.
var errSilent = errors.New("nothing came any more")

// read gives a body to take, no longer than max bytes, which ends when nothing comes for too long.
func (d *Door) read(body io.Reader, max int64, cancel context.CancelFunc, take func([]byte) error) error {
	quiet := time.AfterFunc(d.limits.Silence, cancel)
	defer quiet.Stop()
	buffer := make([]byte, 64<<10)
	total := int64(0)
	for {
		n, err := body.Read(buffer)
		if !quiet.Reset(d.limits.Silence) {
			return errSilent
		}
		if total += int64(n); total > max {
			return errTooLarge
		}
		if n > 0 {
			if err := take(buffer[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var errTooLarge = errors.New("it is too large")

// broken puts the end of a body into words.
func (d *Door) broken(name, registry string, max int64, err error) *extension.Problem {
	switch {
	case errors.Is(err, errSilent):
		return silent(name, registry, d.limits.Silence)
	case errors.Is(err, errTooLarge):
		return tooLarge(name, registry, fmt.Sprintf("at most %s are taken", megabytes(max)))
	}
	return unreachable(name, registry, err)
}

func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// scratchFile is where a package waits while it is checked.
func (d *Door) scratchFile() (*os.File, error) { return os.CreateTemp(d.scratch, "package-") }
