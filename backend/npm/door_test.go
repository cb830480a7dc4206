package npm

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"portico/backend/npm/npmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// visitor is what a process behind a door is to it.
type visitor struct {
	t      *testing.T
	door   *Door
	client *http.Client
}

func visit(t *testing.T, config Config, wanted Wanted) *visitor {
	t.Helper()
	door, err := Open(config, Standard, t.TempDir(), wanted, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(door.Authority()) {
		t.Fatal("the door's certificate is none")
	}
	proxy, err := url.Parse(door.Address())
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, door: door, client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: pool}}}}
	t.Cleanup(func() {
		v.client.CloseIdleConnections()
		if err := door.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func (v *visitor) get(address string) (status int, body string, err error) {
	response, err := v.client.Get(address)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

func at(t *testing.T, registry *npmtest.Registry, lines ...string) Config {
	t.Helper()
	c, err := told(t, strings.Join(lines, "\n"), "", "", "NPM_CONFIG_REGISTRY="+registry.URL, "JSR_URL="+registry.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBehindTheDoorIsTheRegistryByTheDoorsName(t *testing.T) {
	r := npmtest.Start(t)
	r.Publish(npmtest.Package{Name: "@a/b", Version: "1.0.0", Files: map[string]string{"index.js": "1"}})
	v := visit(t, at(t, r), Wanted{})
	status, body, err := v.get(inFront + "@a%2fb")
	var document struct {
		Versions map[string]struct{ Dist struct{ Tarball string } }
	}
	if err == nil {
		err = json.Unmarshal([]byte(body), &document)
	}
	const archive = inFront + "@a/b/-/b-1.0.0.tgz"
	if err != nil || status != 200 || document.Versions["1.0.0"].Dist.Tarball != archive || strings.Contains(body, r.URL) {
		t.Fatalf("got %d %s %v", status, body, err)
	}
	if status, body, err := v.get(archive); err != nil || status != 200 || !strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("got %d, %d bytes, %v", status, len(body), err)
	}
	if p := v.door.Packages()["@a/b@1.0.0"]; p.Name != "@a/b" || v.door.Problem() != nil {
		t.Errorf("got %+v, %v", v.door.Packages(), v.door.Problem())
	}
}

func TestNothingElseIsBehindTheDoor(t *testing.T) {
	r := npmtest.Start(t)
	v := visit(t, at(t, r), Wanted{})
	for _, address := range []string{"https://example.com/x", "https://127.0.0.1/x", r.URL + "x", "http://" + registryHost + "/x", "https://" + registryHost + ".evil.test/x", "https://npm." + jsrHost + "/x"} {
		if status, body, err := v.get(address); err == nil && status == 200 {
			t.Errorf("%s: got %d %s", address, status, body)
		}
	}
	for _, path := range []string{"..%2f..%2fetc", "-/all", "a/b/c", "%2e%2e", "left%00pad", "-/v1/search?text=x", "a/-/b-1.0.0.tgz"} {
		if status, _, err := v.get(inFront + path); err != nil || status != 404 {
			t.Errorf("%s: got %d %v", path, status, err)
		}
	}
	response, err := v.client.Post(inFront+"left-pad", "", strings.NewReader("{}"))
	if err != nil || response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("posting: got %v %v", response, err)
	} else {
		response.Body.Close()
	}
	if asked := r.Asked(); len(asked) > 0 {
		t.Errorf("the registry was asked for %v", asked)
	}
}

func TestTheDoorIsForWhoKnowsItsSecret(t *testing.T) {
	r := npmtest.Start(t)
	v := visit(t, at(t, r), Wanted{})
	for name, user := range map[string]*url.Userinfo{"nobody": nil, "a guess": url.UserPassword("portico", "0000")} {
		proxy := &url.URL{Scheme: "http", Host: v.door.listener.Addr().String(), User: user}
		client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
		if response, err := client.Get(inFront + "x"); err == nil {
			response.Body.Close()
			t.Errorf("%s was let in", name)
		}
	}
}

func TestCredentialsAreToldToTheirRegistryAndNobodyElse(t *testing.T) {
	r, other := npmtest.Start(t), npmtest.Start(t)
	r.Publish(npmtest.Package{Name: "secret", Version: "1.0.0"})
	other.Publish(npmtest.Package{Name: "@o/open", Version: "1.0.0"})
	v := visit(t, at(t, r, strings.TrimPrefix(r.URL, "http:")+":_authToken=word", "@o:registry="+other.URL), Wanted{})
	for _, path := range []string{"secret", "secret/-/secret-1.0.0.tgz", "@o%2fopen", "@o/open/-/open-1.0.0.tgz"} {
		if status, body, err := v.get(inFront + path); err != nil || status != 200 || strings.Contains(body, "word") {
			t.Errorf("%s: got %d %v", path, status, err)
		}
	}
	for _, request := range r.Requests() {
		if request.Header.Get("Authorization") != "Bearer word" {
			t.Errorf("%s was asked without its token", request.URL)
		}
	}
	for _, request := range other.Requests() {
		if len(request.Header["Authorization"]) > 0 {
			t.Errorf("%s was told %v", request.URL, request.Header)
		}
	}
	if strings.Contains(v.door.Address(), "word") || bytes.Contains(v.door.Authority(), []byte("word")) {
		t.Error("the token is told at the door")
	}
}

func TestAMirrorMayKeepTheAddressesOfWhatItMirrors(t *testing.T) {
	for name, c := range map[string]struct {
		setting, built string
		code           string
	}{
		"the build's registry":             {built: "https://mirrored.test/"},
		"that by npm's word":               {built: "https://mirrored.test/", setting: "replace-registry-host=npmjs"},
		"one that is named":                {setting: "replace-registry-host=mirrored.test"},
		"any":                              {setting: "replace-registry-host=always"},
		"none":                             {built: "https://mirrored.test/", setting: "replace-registry-host=never", code: "npm.elsewhere"},
		"another one":                      {built: "https://other.test/", code: "npm.elsewhere"},
		"what is not known to be a mirror": {code: "npm.elsewhere"},
	} {
		r := npmtest.Start(t)
		r.Publish(npmtest.Package{Name: "a", Version: "1.0.0", Dist: map[string]any{"tarball": "https://mirrored.test/a/-/a-1.0.0.tgz"}})
		config, err := told(t, c.setting, "", c.built, "NPM_CONFIG_REGISTRY="+r.URL)
		if err != nil {
			t.Fatal(err)
		}
		v := visit(t, config, Wanted{})
		for _, path := range []string{"a", "a/-/a-1.0.0.tgz"} {
			status, _, err := v.get(inFront + path)
			if err != nil || status != 200 && (c.code == "" || path == "a") {
				t.Errorf("%s, %s: got %d %v: %v", name, path, status, err, v.door.Problem())
			}
		}
		if p := v.door.Problem(); (p != nil) != (c.code != "") || p != nil && p.Code != c.code {
			t.Errorf("%s: got %v, want %q", name, p, c.code)
		}
	}
}

func TestWithoutARegistryNothingIsAsked(t *testing.T) {
	config, err := told(t, "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"npm": inFront + "a", "a scope": inFront + "@a%2fb", "an archive": inFront + "a/-/a-1.0.0.tgz", "JSR": "https://" + jsrHost + "/@a/b/meta.json", "a module": "https://" + jsrHost + "/@a/b/1.0.0/mod.ts"} {
		v := visit(t, config, Wanted{})
		if status, _, err := v.get(address); err != nil || status == 200 {
			t.Errorf("%s: got %d %v", name, status, err)
		}
		if p := v.door.Problem(); p == nil || p.Code != "npm.no-registry" || p.Next == "" {
			t.Errorf("%s: got %v", name, p)
		}
	}
}

func TestADamagedPackageIsNotHandedOn(t *testing.T) {
	r := npmtest.Start(t)
	r.Publish(npmtest.Package{Name: "a", Version: "1.0.0", Files: map[string]string{"index.js": strings.Repeat("x", 1000)}})
	r.On("/a/-/a-1.0.0.tgz", func(w http.ResponseWriter, request *http.Request) {
		caught := &recorder{header: http.Header{}}
		r.Serve(caught, request)
		data := caught.Bytes()
		data[len(data)/2] ^= 1
		w.Write(data)
	})
	v := visit(t, at(t, r), Wanted{})
	if _, _, err := v.get(inFront + "a"); err != nil {
		t.Fatal(err)
	}
	status, body, err := v.get(inFront + "a/-/a-1.0.0.tgz")
	if err != nil || status != http.StatusBadGateway || strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("got %d, %d bytes, %v", status, len(body), err)
	}
	<-v.door.Failed()
	if p := v.door.Problem(); p == nil || p.Code != "npm.wrong-hash" {
		t.Errorf("got %v", p)
	}
	if left, err := os.ReadDir(v.door.scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}

func TestOneFailureEndsItAll(t *testing.T) {
	r := npmtest.Start(t)
	r.On("/a", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	r.On("/b", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) })
	v := visit(t, at(t, r), Wanted{})
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "a", "b"} {
		all.Go(func() {
			if status, _, err := v.get(inFront + name); err == nil && status != http.StatusBadGateway {
				t.Errorf("%s: got %d", name, status)
			}
		})
	}
	all.Wait()
	<-v.door.Failed()
	if p := v.door.Problem(); p == nil || p.Code != "npm.login" && p.Code != "npm.failed" {
		t.Errorf("got %v", p)
	}
}

func TestARangeOfPartsIsOfferedUnderAName(t *testing.T) {
	versions := map[string]int{"1.0.0": 0, "1.4.0": 0, "2.0.0-beta.1": 0, "2.1.0": 0, "3.0.0": 0}
	for wanted, want := range map[string]string{
		">=1 <3": "2.1.0", "1.0.0 || 1.4.0": "1.4.0", "1.0 - 2.0": "1.4.0", "^1 || ^3": "3.0.0", ">4 <5": "", "not a range": "", ">= 1.0.0 < 1.4": "1.0.0",
	} {
		if tag, several := RangeTag(wanted); !several || strings.ContainsAny(tag, " <>|") {
			t.Errorf("%q: got %q", wanted, tag)
		}
		if got := newest(versions, wanted); got != want {
			t.Errorf("%q: got %q, want %q", wanted, got, want)
		}
	}
	for _, plain := range []string{"^1.2.3", "latest", "*", "1.x", " ^1 "} {
		if _, several := RangeTag(plain); several {
			t.Errorf("%q has one part", plain)
		}
	}
}

func TestNamesThatLeadOutAreSeen(t *testing.T) {
	for name, bad := range map[string]bool{
		"package/index.js": false, "package/a..b/c": false, "odd-root/x": false, "package/...": false, "package/": false,
		"package/../x": true, "../x": true, "/etc/passwd": true, `package\..\x`: true, `\x`: true, "c:/x": true, "package/a/../../../x": true, "a\x00b": true, "": false,
	} {
		if why := outside(name); (why != "") != bad {
			t.Errorf("%q: got %q", name, why)
		}
	}
}

func FuzzReadDocument(f *testing.F) {
	f.Add([]byte(`{"dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"dist":{"tarball":"http://r.test/a/-/a-1.0.0.tgz","shasum":"x"}}}}`))
	f.Add([]byte(`{"versions":{"../../x":{"dist":{}},"1.0.0":{"dist":null},"2.0.0":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		document, archives, err := readDocument(data, "a", "http://r.test/", []string{">=1 <2"}, func(host string) bool { return host == "mirrored.test" })
		if err != nil {
			return
		}
		if !json.Valid(document) {
			t.Errorf("not JSON: %s", document)
		}
		for place, a := range archives {
			if !strings.HasPrefix(place, "/a/-/a-") || strings.Contains(place, "..") || a.elsewhere == "" && !strings.HasPrefix(a.address, "http://r.test/") {
				t.Errorf("got %s: %+v", place, a)
			}
		}
	})
}
