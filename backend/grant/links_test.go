package grant

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/backend/extension"
)

// A link that somebody put in the place of a granted folder grants nothing, wherever on the way it stands; the person's
// own folder may be a link.
func TestALinkInThePlaceOfAGrantedPathGrantsNothing(t *testing.T) {
	p := computer(t)
	secret := t.TempDir()
	if err := os.MkdirAll(filepath.Join(secret, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home-link")
	for link, target := range map[string]string{
		filepath.Join(p.Home, "swapped"):  secret,
		filepath.Join(p.Home, "relative"): "../../../..",
		filepath.Join(p.Home, "dangling"): filepath.Join(secret, "later"),
		filepath.Join(p.Home, "near"):     p.Downloads,
		home:                              p.Home,
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(p.Home, "plain", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, given := range map[string]bool{
		"$home/swapped": false, "$home/swapped/sub": false, "$home/swapped/none/yet": false, "$home/relative": false,
		"$home/dangling": false, "$home/near": false, "$home/plain/../swapped": false,
		filepath.Join(p.Home, "swapped"): false, filepath.Join(p.Home, "swapped", "sub"): false,
		"$home/plain": true, "$home/plain/sub": true, "$home/plain/none/yet": true, filepath.Join(p.Home, "plain"): true, "$downloads": true,
	} {
		for _, permission := range []extension.Permission{read(path), writing(path)} {
			layers := Compile(allowed(permission), p)
			if got := len(layers.Refused) == 0; got != given {
				t.Errorf("%s %s: given %v, %+v", permission.Kind, path, got, layers.Refused)
			}
			if !given && (len(layers.Deno) > 0 || len(layers.System.Read)+len(layers.System.Write) > 0) {
				t.Errorf("%s %s: a layer gives %+v", permission.Kind, path, layers)
			}
		}
	}
	for _, path := range []string{"/var/run", "/etc/localtime", "/bin/sh", "/sys/class/tty"} { // links of the system's own
		if link := strangeLink("", path); link != "" {
			t.Errorf("%s: %s is strange", path, link)
		}
	}
	for _, permission := range []extension.Permission{read("$home/plain"), writing("$home/plain/none"), read("$home"), writing("/")} {
		system := Compile(allowed(permission), p).System
		for _, path := range append(slices.Clone(system.Read), system.Write...) {
			if !slices.Contains(system.Fixed, path) {
				t.Errorf("%s: %s is not fixed", permission.Key(), path)
			}
		}
	}
	p.Home = home // the person's own folder is a link, as on systems that keep homes elsewhere
	if layers := Compile(allowed(read("$home/plain")), p); len(layers.Refused) > 0 || !strings.HasSuffix(layers.System.Read[0], "/plain") {
		t.Errorf("got %+v", layers)
	}
	if layers := Compile(allowed(read("$home/swapped")), p); len(layers.Refused) != 1 {
		t.Errorf("got %+v", layers)
	}
}
