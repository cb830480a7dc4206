package npm

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"portico/backend/extension"
)

// told reads a configuration from files and variables.
func told(t *testing.T, own, global, built string, environ ...string) (Config, error) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, "global")
	if err := errors.Join(os.WriteFile(filepath.Join(home, ".npmrc"), []byte(own), 0o600), os.WriteFile(file, []byte(global), 0o600)); err != nil {
		t.Fatal(err)
	}
	return Read(Surroundings{Environ: environ, Home: home, Global: file, Built: built})
}

func TestTheRegistryIsTheOneThatNpmUses(t *testing.T) {
	for name, c := range map[string]struct {
		own, global, built string
		environ            []string
		want               string
	}{
		"nothing is said":             {want: ""},
		"the build's":                 {built: "https://b.test/npm", want: "https://b.test/npm/"},
		"the computer's":              {global: "registry=https://g.test", built: "https://b.test", want: "https://g.test/"},
		"the person's":                {own: "registry = https://o.test/x/", global: "registry=https://g.test", want: "https://o.test/x/"},
		"the environment's":           {own: "registry=https://o.test", environ: []string{"npm_config_registry=http://e.test"}, want: "http://e.test/"},
		"the environment in capitals": {environ: []string{"NPM_CONFIG_REGISTRY=http://e.test"}, want: "http://e.test/"},
		"the last line counts":        {own: "registry=https://a.test\nregistry=https://z.test", want: "https://z.test/"},
		"comments":                    {own: "; registry=https://a.test\n# registry=https://a.test\n", built: "https://b.test/", want: "https://b.test/"},
		"quotes":                      {own: `registry="https://q.test"`, want: "https://q.test/"},
		"a variable":                  {own: "registry=https://${PLACE}.test", environ: []string{"PLACE=v"}, want: "https://v.test/"},
	} {
		got, err := told(t, c.own, c.global, c.built, c.environ...)
		if err != nil || got.Registry != c.want {
			t.Errorf("%s: got %q %v, want %q", name, got.Registry, err, c.want)
		}
	}
}

func TestAScopeMayHaveARegistryOfItsOwn(t *testing.T) {
	c, err := told(t, "@mine:registry=https://m.test/npm", "", "https://b.test/")
	if err != nil || c.registryOf("@mine/a") != "https://m.test/npm/" || c.registryOf("@other/a") != "https://b.test/" || c.registryOf("mine") != "https://b.test/" {
		t.Errorf("got %+v, %v", c.Scopes, err)
	}
}

func TestASettingThatCantBeUsedIsNamed(t *testing.T) {
	for name, own := range map[string]string{"no address": "registry=nowhere", "a file": "registry=file:///etc", "a scope's": "@a:registry=ftp://a.test/"} {
		_, err := told(t, own, "", "")
		var p *extension.Problem
		if !errors.As(err, &p) || p.Code != "npm.bad-setting" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".npmrc"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(Surroundings{Home: home}); err == nil {
		t.Error("a folder was read as settings")
	}
}

func TestCredentialsGoWhereTheyBelong(t *testing.T) {
	c, err := told(t, "//r.test/:_authToken=${TOKEN}\n//r.test/inner/:_authToken=two\n//b.test:8080/:username=me\n//b.test:8080/:_password=cGFzcw==\n//c.test/:_auth=bWU6eA==\n", "", "", "TOKEN=one")
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"https://r.test/left-pad": "Bearer one", "https://r.test/inner/left-pad": "Bearer two", "https://r.test/inner": "Bearer one", "https://evil.test/left-pad": "",
		"https://r.test:444/left-pad": "", "http://b.test:8080/a/b": "Basic bWU6cGFzcw==", "https://c.test/x": "Basic bWU6eA==", "https://r.test": "",
	} {
		at, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.authorization(at); got != want {
			t.Errorf("%s is told %q, want %q", to, got, want)
		}
	}
}

func TestAPasswordInAnAddressIsNotShown(t *testing.T) {
	if got := shown("https://me:secret@r.test/npm/"); got != "https://r.test/npm/" {
		t.Errorf("got %s", got)
	}
}
