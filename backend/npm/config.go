// Package npm knows where packages come from on this computer, as npm was told, and hands them on checked: every package
// has the hash that the registry states, and holds nothing but files of its own, before anybody else reads it. It keeps
// the person's credentials to itself. It decides nothing about versions: that is Deno's.
package npm

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// Config is what npm is told on this computer (npm's documentation, npmrc): the environment before the person's .npmrc
// before the one of the whole computer. An extension's own .npmrc is a stranger's and counts for nothing.
type Config struct {
	Registry string            // ends in a slash; empty: nothing names one
	Scopes   map[string]string // "@scope" → its own registry, which ends in a slash
	JSR      string            // ends in a slash; empty: nothing names one, and Deno knows its own

	replaced    string            // npm's replace-registry-host: a host that is replaced in archives' addresses, "always" or "never"
	credentials map[string]string // "//host/path/" → the value of the Authorization header
	proxy       httpproxy.Config
	authorities []string // files with certificates
}

// Surroundings are where the configuration is read from.
type Surroundings struct {
	Environ []string // as os.Environ gives it
	Home    string
	Global  string // the .npmrc of the whole computer; empty: none
	Built   string // the registry that this Portico was built with, and falls back on; empty: none
}

// OnThisComputer gives the surroundings of this process.
func OnThisComputer(built string) Surroundings {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there is no .npmrc of the person's
	}
	return Surroundings{Environ: os.Environ(), Home: home, Global: globalFile(), Built: built}
}

// globalFile is where npm looks for the whole computer's settings: below the folder that node is installed in.
func globalFile() string {
	node, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(node); err == nil {
		node = real
	}
	prefix := filepath.Dir(node)
	if runtime.GOOS != "windows" {
		prefix = filepath.Dir(prefix)
	}
	return filepath.Join(prefix, "etc", "npmrc")
}

// setting is a line of an .npmrc: "key = value", in which ${NAME} stands for a variable.
var variable = regexp.MustCompile(`\$\{([^}]+)\}`)

// Read reads the configuration.
func Read(s Surroundings) (Config, error) {
	environment := map[string]string{}
	for _, pair := range s.Environ {
		name, value, _ := strings.Cut(pair, "=")
		environment[name] = value
	}
	set := map[string]string{}
	keep := func(name, value string) {
		if _, have := set[name]; !have && value != "" {
			set[name] = value
		}
	}
	for _, pair := range s.Environ { // npm takes them in capitals or not
		name, value, _ := strings.Cut(pair, "=")
		if name = strings.ToLower(name); strings.HasPrefix(name, "npm_config_") {
			keep(strings.ReplaceAll(strings.TrimPrefix(name, "npm_config_"), "_", "-"), value)
		}
	}
	own, global := set["userconfig"], set["globalconfig"]
	if own == "" && s.Home != "" {
		own = filepath.Join(s.Home, ".npmrc")
	}
	if global == "" {
		global = s.Global
	}
	for _, file := range []string{own, global} {
		if err := readFile(file, environment, keep); err != nil {
			return Config{}, err
		}
	}
	keep("registry", s.Built)
	c, err := compose(set, environment)
	if err != nil {
		return Config{}, err
	}
	if c.replaced == "" || c.replaced == "npmjs" { // npm's word for the registry that it falls back on
		c.replaced = "never"
		if built, err := url.Parse(s.Built); err == nil && built.Host != "" {
			c.replaced = built.Host
		}
	}
	return c, nil
}

// maxFileBytes bounds an .npmrc.
const maxFileBytes = 1 << 20

func readFile(file string, environment map[string]string, keep func(name, value string)) error {
	if file == "" {
		return nil
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFileBytes) {
		err = errors.New("it is no settings file")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return badSetting(file, "", err)
	}
	last := map[string]string{} // in one file the last line counts
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxFileBytes)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		value = variable.ReplaceAllStringFunc(value, func(place string) string { return environment[place[2:len(place)-1]] })
		last[strings.TrimSpace(name)] = value
	}
	for name, value := range last {
		keep(name, value)
	}
	return nil
}

func compose(set, environment map[string]string) (Config, error) {
	c := Config{Scopes: map[string]string{}, credentials: map[string]string{}}
	var err error
	if set["registry"] != "" {
		if c.Registry, err = address(set["registry"]); err != nil {
			return Config{}, badSetting("registry", set["registry"], err)
		}
	}
	if environment["JSR_URL"] != "" {
		if c.JSR, err = address(environment["JSR_URL"]); err != nil {
			return Config{}, badSetting("JSR_URL", environment["JSR_URL"], err)
		}
	}
	c.replaced = set["replace-registry-host"]
	for name, value := range set {
		scope, isScope := strings.CutSuffix(name, ":registry")
		switch at := strings.LastIndexByte(name, ':'); {
		case isScope && strings.HasPrefix(scope, "@"):
			if c.Scopes[scope], err = address(value); err != nil {
				return Config{}, badSetting(name, value, err)
			}
		case strings.HasPrefix(name, "//") && at > 0:
			c.credential(name[:at], name[at+1:], value, set)
		}
	}
	c.proxy = httpproxy.Config{
		HTTPProxy:  first(environment["HTTP_PROXY"], environment["http_proxy"], set["proxy"]),
		HTTPSProxy: first(environment["HTTPS_PROXY"], environment["https_proxy"], set["https-proxy"], set["proxy"]),
		NoProxy:    first(environment["NO_PROXY"], environment["no_proxy"], set["noproxy"]),
	}
	for _, file := range []string{set["cafile"], environment["NODE_EXTRA_CA_CERTS"]} {
		if file != "" {
			c.authorities = append(c.authorities, file)
		}
	}
	return c, nil
}

func first(values ...string) string {
	for _, value := range values {
		if value != "" && value != "null" {
			return value
		}
	}
	return ""
}

// credential keeps what a place wants to be told: _authToken, _auth (user:password in base64), or username and _password.
func (c *Config) credential(place, kind, value string, set map[string]string) {
	if !strings.HasSuffix(place, "/") {
		place += "/"
	}
	switch kind {
	case "_authToken":
		c.credentials[place] = "Bearer " + value
	case "_auth":
		if c.credentials[place] == "" {
			c.credentials[place] = "Basic " + value
		}
	case "_password":
		password, err := base64.StdEncoding.DecodeString(value)
		user := first(set[place+":username"], set[strings.TrimSuffix(place, "/")+":username"])
		if err == nil && user != "" && c.credentials[place] == "" {
			c.credentials[place] = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(password)))
		}
	}
}

// authorization is what an address is told: that of the longest place which it lies below.
func (c *Config) authorization(to *url.URL) string {
	path := to.Path
	for {
		cut := strings.LastIndexByte(path, '/')
		if cut < 0 {
			return ""
		}
		if value, ok := c.credentials["//"+to.Host+path[:cut+1]]; ok {
			return value
		}
		path = path[:cut]
	}
}

// registryOf is where a package comes from.
func (c *Config) registryOf(name string) string {
	if scope, _, ok := strings.Cut(name, "/"); ok {
		if registry, own := c.Scopes[scope]; own {
			return registry
		}
	}
	return c.Registry
}

// replaces says whether an archive's host stands for the registry that is configured (npm's documentation,
// replace-registry-host): by itself that is the host of the registry that Portico was built with.
func (c *Config) replaces(host string) bool {
	return c.replaced == "always" || c.replaced == host
}

// address checks the address of a registry, and ends it in a slash.
func address(text string) (string, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return "", err
	}
	if parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Host == "" {
		return "", errors.New("it is no address of a registry")
	}
	parsed.RawQuery, parsed.Fragment = "", ""
	return strings.TrimSuffix(parsed.String(), "/") + "/", nil
}

// shown is an address without a password in it.
func shown(registry string) string {
	parsed, err := url.Parse(registry)
	if err != nil {
		return registry
	}
	parsed.User = nil
	return parsed.String()
}

// transport reaches registries as this computer is set up to.
func (c *Config) transport() (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	find := c.proxy.ProxyFunc()
	t.Proxy = func(r *http.Request) (*url.URL, error) { return find(r.URL) }
	if len(c.authorities) == 0 {
		return t, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range c.authorities {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, badSetting("cafile", file, err)
		}
		if !pool.AppendCertsFromPEM(data) {
			return nil, badSetting("cafile", file, fmt.Errorf("%s holds no certificate", file))
		}
	}
	t.TLSClientConfig = t.TLSClientConfig.Clone()
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = newTLS()
	}
	t.TLSClientConfig.RootCAs = pool
	return t, nil
}
