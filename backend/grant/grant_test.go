package grant

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/backend/extension"
	"portico/backend/store"
)

// computer is a home folder with Portico's data in it, as on a person's computer.
func computer(t *testing.T) Places {
	t.Helper()
	home := real(t.TempDir())
	data := filepath.Join(home, ".local", "share", "portico")
	own := filepath.Join(data, "extensions", "x")
	for _, folder := range []string{"Downloads", "Documents", ".ssh", ".local/bin", ".local/share/other"} {
		mkdir(t, filepath.Join(home, folder))
	}
	for _, folder := range []string{"extensions/x", "extensions/other", "models", "sessions", "logs"} {
		mkdir(t, filepath.Join(data, folder))
	}
	if err := os.WriteFile(filepath.Join(data, "portico.db"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"HOME": home, "TMPDIR": "/tmp", "SECRET": "/secret", "APPDATA": "relative"}
	return Places{Home: home, Downloads: filepath.Join(home, "Downloads"), Models: filepath.Join(data, "models"), Sessions: filepath.Join(data, "sessions"),
		Extension: own, Data: data, Getenv: func(name string) string { return variables[name] }}
}

func mkdir(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
}

func allowed(permissions ...extension.Permission) []Decided {
	var decided []Decided
	for _, p := range permissions {
		decided = append(decided, Decided{Permission: p, Decision: Allow})
	}
	return decided
}

func read(path string) extension.Permission {
	return extension.Permission{Kind: extension.Read, Path: path}
}
func writing(path string) extension.Permission {
	return extension.Permission{Kind: extension.Write, Path: path}
}

func TestTemplatesStandForFolders(t *testing.T) {
	p := computer(t)
	for path, want := range map[string]string{
		"$home": p.Home, "$home/a/../b": p.Home + "/b", "$downloads/x": p.Home + "/Downloads/x", "$models": p.Models, "$sessions": p.Sessions, "$extension/data": p.Extension + "/data",
		"$env.TMPDIR/x": "/tmp/x", "$env.HOME": p.Home, "/etc/hosts": "/etc/hosts", "/a//b/./c": "/a/b/c",
		"$env.SECRET": "", "$env.APPDATA/x": "", "$env.NOTHING": "", "$nothing": "", "$homework": "", "relative": "", "~/x": "", "": "", "$": "", "$env.": "",
	} {
		if got := p.Expand(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

func TestOnlyWhatIsAllowedIsCompiled(t *testing.T) {
	p := computer(t)
	decided := []Decided{
		{Permission: read("$downloads"), Decision: Allow}, {Permission: read("$home/Documents"), Decision: Ask}, {Permission: writing("$home/Documents"), Decision: Deny},
		{Permission: extension.Permission{Kind: extension.Net, Host: "example.com", Ports: []string{"443"}}, Decision: Deny},
	}
	layers := Compile(decided, p)
	if got := strings.Join(layers.Deno, " "); got != "--allow-read="+p.Downloads {
		t.Errorf("got %s", got)
	}
	if len(layers.System.Write) > 0 || !layers.System.Network.None() || !slices.Equal(layers.System.Read, []string{p.Downloads}) {
		t.Errorf("got %+v", layers.System)
	}
	if none := Compile(nil, p); len(none.Deno)+len(none.Env)+len(none.System.Read)+len(none.System.Exec) > 0 || none.System.Starts {
		t.Errorf("nothing allowed compiles to %+v", none)
	}
}

func TestHostsAndPorts(t *testing.T) {
	net := func(host string, ports ...string) extension.Permission {
		return extension.Permission{Kind: extension.Net, Host: host, Ports: ports}
	}
	for _, c := range []struct {
		name, flag  string
		all         bool
		ports       []uint16
		permissions []extension.Permission
	}{
		{"a host and ports", "--allow-net=a.com:80,a.com:443", false, []uint16{80, 443}, []extension.Permission{net("a.com", "80", "443")}},
		{"every port of a host", "--allow-net=a.com", true, nil, []extension.Permission{net("a.com", "*")}},
		{"a port of every host", "--allow-net", false, []uint16{80}, []extension.Permission{net("*", "80")}},
		{"everything", "--allow-net", true, nil, []extension.Permission{net("*", "*")}},
		{"IPv6", "--allow-net=[::1]:80", false, []uint16{80}, []extension.Permission{net("::1", "80")}},
		{"a host's port beside every port of another", "--allow-net=a.com:80,b.com", true, nil, []extension.Permission{net("a.com", "80"), net("b.com", "*")}},
		{"a host and those below it", "--allow-net=*.a.com:80", false, []uint16{80}, []extension.Permission{net("*.a.com", "80")}},
		{"two", "--allow-net=a.com:1,b.com:2", false, []uint16{1, 2}, []extension.Permission{net("a.com", "1"), net("b.com", "2")}},
	} {
		layers := Compile(allowed(c.permissions...), computer(t))
		if layers.Deno[0] != c.flag || layers.System.Network.All != c.all || !slices.Equal(layers.System.Network.Ports, c.ports) {
			t.Errorf("%s: got %v %+v", c.name, layers.Deno, layers.System.Network)
		}
	}
}

func TestAHostOrAFactThatIsNoneIsRefusedInWords(t *testing.T) {
	for _, host := range []string{"a b", "a.com:443", "a:80:443", "a#b", "a%41", "a@b", "a..b", ".", "a?b", "--allow-all", "a=b", "a\nb", "a;b", "a'b", "999.1.1.1/8", "a.*", "*a", "*.", "*.*.a", "*.1.2.3.4:5", "a\x00b", "a|b", "~"} {
		p := extension.Permission{Kind: extension.Net, Host: host, Ports: []string{"443"}}
		layers := Compile(allowed(p), computer(t))
		if host == "--allow-all" { // a name as others
			if !slices.Equal(layers.Deno, []string{"--allow-net=--allow-all:443"}) {
				t.Errorf("%q: got %+v", host, layers)
			}
			continue
		}
		if len(layers.Refused) != 1 || len(layers.Deno) > 0 || !layers.System.Network.None() {
			t.Errorf("%q: got %+v", host, layers)
		}
	}
	for host, flag := range map[string]string{"a_b.c": "a_b.c:1", "A.com": "a.com:1", "müller.de": "xn--mller-kva.de:1", "a.com.": "a.com.:1", "127.0.0.1": "127.0.0.1:1", "::1": "[::1]:1", "[::1]": "[::1]:1", "localhost": "localhost:1", "*.müller.de": "*.xn--mller-kva.de:1", "ｅvil.com": "evil.com:1"} {
		p := extension.Permission{Kind: extension.Net, Host: host, Ports: []string{"1"}}
		if layers := Compile(allowed(p), computer(t)); !slices.Equal(layers.Deno, []string{"--allow-net=" + flag}) {
			t.Errorf("%s: got %+v", host, layers)
		}
		if !reaches(p, flag) {
			t.Errorf("%s: the judge does not know %s", host, flag)
		}
	}
	for _, fact := range []string{"", "foo", "HOSTNAME", "hostname,uid", "hostname ", "inspector", "*", "all"} {
		p := extension.Permission{Kind: extension.Sys, Flag: fact}
		if layers := Compile(allowed(p), computer(t)); len(layers.Refused) != 1 || len(layers.Deno) > 0 {
			t.Errorf("%q: got %+v", fact, layers)
		}
	}
}

func TestAHostCoversWhatItsNameSays(t *testing.T) {
	for _, c := range []struct {
		host, value string
		covered     bool
	}{
		{"a.com", "a.com:80", true}, {"A.com", "a.com:80", true}, {"a.com", "b.a.com:80", false}, {"a.com", "a.com:81", false},
		{"*.a.com", "b.a.com:80", true}, {"*.a.com", "c.b.A.com:80", true}, {"*.a.com", "a.com:80", true}, {"*.a.com", "xa.com:80", false}, {"*.a.com", "a.com.b:80", false},
		{"münchen.de", "xn--mnchen-3ya.de:80", true}, {"*.münchen.de", "a.xn--mnchen-3ya.de:80", true}, {"*", "a.com:80", true}, {"*", "a.com:81", false},
	} {
		judge := NewJudge([]Decided{{Permission: extension.Permission{Kind: extension.Net, Host: c.host, Ports: []string{"80"}}, Decision: Ask}}, computer(t))
		if _, why := judge.Find(extension.Net, c.value); (why == "") != c.covered {
			t.Errorf("%s for %s: %q, want covered %v", c.host, c.value, why, c.covered)
		}
	}
	if got := RiskOf(extension.Permission{Kind: extension.Net, Host: "*.com", Ports: []string{"443"}}, "full"); got.Level != "high" {
		t.Errorf("a wide host is %+v", got)
	}
}

func TestPorticosOwnDataIsInNoGrant(t *testing.T) {
	p := computer(t)
	if err := os.Symlink(p.Data, filepath.Join(p.Home, "shortcut")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{p.Data, filepath.Join(p.Data, "portico.db"), filepath.Join(p.Data, "logs"), filepath.Join(p.Data, "extensions"), filepath.Join(p.Data, "extensions/other"), "$home/shortcut", "$home/shortcut/portico.db", "$models/../portico.db"} {
		for _, permission := range []extension.Permission{read(path), writing(path)} {
			if layers := Compile(allowed(permission), p); len(layers.Refused) != 1 || len(layers.Deno)+len(layers.System.Read)+len(layers.System.Write) > 0 {
				t.Errorf("%s of %s: got %+v", permission.Kind, path, layers)
			}
		}
	}
	for _, path := range []string{"$home", "/", filepath.Join(p.Home, ".local")} {
		layers := Compile(allowed(read(path), writing(path)), p)
		for _, granted := range append(layers.System.Read, layers.System.Write...) {
			if Within(p.Data, granted) || Within(real(granted), p.Data) {
				t.Errorf("%s: %s covers Portico's data", path, granted)
			}
		}
		for _, closed := range []string{"portico.db", "extensions/other", "logs", "vault"} {
			for _, denial := range []string{"--deny-read=", "--deny-write="} {
				if !covers(layers, denial, filepath.Join(p.Data, closed)) {
					t.Errorf("%s: %s does not cover %s: %s", path, denial, closed, layers.Deno)
				}
			}
		}
		if covers(layers, "--deny-read=", filepath.Join(p.Extension, "index.ts")) || !covers(layers, "--deny-write=", filepath.Join(p.Extension, "index.ts")) {
			t.Errorf("%s: its own files are to be read and not written: %s", path, layers.Deno)
		}
	}
	layers := Compile(allowed(read("$home")), p)
	for _, want := range []string{"Downloads", ".ssh", ".local/bin", ".local/share/other"} {
		if !slices.Contains(layers.System.Read, filepath.Join(p.Home, want)) {
			t.Errorf("$home lost %s: %v", want, layers.System.Read)
		}
	}
	for _, path := range []string{"$models", "$sessions/1", "$extension"} {
		if layers := Compile(allowed(read(path)), p); len(layers.Refused) > 0 {
			t.Errorf("%s is refused: %+v", path, layers.Refused)
		}
	}
}

// covers says whether a flag names a path or a folder it lies in.
func covers(layers Layers, flag, path string) bool {
	for _, set := range layers.Deno {
		if values, ok := strings.CutPrefix(set, flag); ok {
			return slices.ContainsFunc(strings.Split(values, ","), func(value string) bool { return Within(path, value) })
		}
	}
	return false
}

func TestAFolderOfOursThatIsNamedIsKeptBesideAWideGrant(t *testing.T) {
	p := computer(t)
	model := filepath.Join(p.Models, "m.gguf")
	layers := Compile(allowed(read("$home"), read("$models"), writing("$home"), writing("$sessions/1")), p)
	if covers(layers, "--deny-read=", model) || !covers(layers, "--deny-write=", model) || covers(layers, "--deny-write=", filepath.Join(p.Sessions, "1", "x")) || !covers(layers, "--deny-read=", filepath.Join(p.Sessions, "1")) {
		t.Errorf("got %s", layers.Deno)
	}
	if !slices.Contains(layers.System.Read, p.Models) || slices.Contains(layers.System.Write, p.Models) {
		t.Errorf("got %+v", layers.System)
	}
}

func TestInstalledFilesAreNeverWritten(t *testing.T) {
	for _, path := range []string{"$extension", "$extension/data", "$extension/../x"} {
		layers := Compile(allowed(writing(path)), computer(t))
		if len(layers.Refused) != 1 || layers.Refused[0].Why != "installed files never change" || len(layers.System.Write) > 0 {
			t.Errorf("%s: got %+v", path, layers)
		}
	}
}

func TestAFileThatIsNotThereYetCanBeWritten(t *testing.T) {
	p := computer(t)
	layers := Compile(allowed(writing("$downloads/new.txt")), p)
	if layers.Deno[0] != "--allow-write="+p.Downloads+"/new.txt" || !slices.Equal(layers.System.Write, []string{p.Downloads}) {
		t.Errorf("got %+v", layers)
	}
}

func TestProgramsGetTheSystemsFolders(t *testing.T) {
	run := func(binary string) extension.Permission {
		return extension.Permission{Kind: extension.Run, Binary: binary}
	}
	layers := Compile(allowed(run("sh")), computer(t))
	if !layers.System.Starts || !slices.Contains(layers.System.Exec, "/usr") || !strings.HasPrefix(layers.Deno[0], "--allow-run=sh,/") {
		t.Errorf("got %+v", layers)
	}
	for _, binary := range []string{"no-such-program-here", "./x", "../x", `a\b`} {
		if layers := Compile(allowed(run(binary)), computer(t)); len(layers.Refused) != 1 || layers.System.Starts || len(layers.Deno) > 0 {
			t.Errorf("%s: got %+v", binary, layers)
		}
	}
}

func TestVariablesCarryTheirValueOnlyWhenGranted(t *testing.T) {
	t.Setenv("PORTICO_TEST_TOKEN", "t0ken")
	env := extension.Permission{Kind: extension.Env, EnvKey: "PORTICO_TEST_TOKEN"}
	if layers := Compile(allowed(env), computer(t)); !slices.Equal(layers.Env, []string{"PORTICO_TEST_TOKEN=t0ken"}) || layers.Deno[0] != "--allow-env=PORTICO_TEST_TOKEN" {
		t.Errorf("got %+v", layers)
	}
	if layers := Compile([]Decided{{Permission: env, Decision: Ask}}, computer(t)); len(layers.Env) > 0 {
		t.Errorf("got %+v", layers)
	}
}

func TestACommaInAPathIsRefusedInWords(t *testing.T) {
	if layers := Compile(allowed(read("$home/a,/etc")), computer(t)); len(layers.Refused) != 1 || len(layers.Deno) > 0 {
		t.Errorf("got %+v", layers)
	}
}

func TestPlatformsOfThisSystem(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		system string
		env    func(string) string
		want   string
	}{
		{"darwin", env(), "darwin"}, {"windows", env(), "windows"}, {"linux", env(), "linux linux_x11"},
		{"linux", env("WAYLAND_DISPLAY", "wayland-0"), "linux linux_wayland"}, {"linux", env("XDG_SESSION_TYPE", "wayland"), "linux linux_wayland"}, {"linux", env("XDG_SESSION_TYPE", "x11"), "linux linux_x11"},
	} {
		if got := strings.Join(platforms(c.system, c.env), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.system, got, c.want)
		}
	}
}

func TestAnswersLastAsLongAsTheySay(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "portico.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := NewStore(db)
	of := Subject{Ref: extension.Ref{Scope: extension.Agent, Format: extension.Loca, ID: "x"}, Tool: "t"}
	other := of
	other.Tool = "u"
	inProject := of
	inProject.Scope, inProject.Project = extension.Project, "/p"
	remembered := func(store *Store, of Subject, session string) map[string]Decision {
		t.Helper()
		got, err := store.Remembered(t.Context(), of, session)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for key, lasting := range map[string]Lasting{"once": Once, "session": Session, "always": Always} {
		if err := s.Remember(t.Context(), of, "s1", key, Answer{Allow, lasting}); err != nil {
			t.Fatal(err)
		}
	}
	if got := remembered(s, of, "s1"); len(got) != 2 || got["session"] != Allow || got["always"] != Allow {
		t.Errorf("in its session: got %v", got)
	}
	if got := remembered(s, of, "s2"); len(got) != 1 || got["always"] != Allow {
		t.Errorf("in another session: got %v", got)
	}
	if got := remembered(NewStore(db), of, "s1"); len(got) != 1 {
		t.Errorf("after a restart: got %v", got)
	}
	for _, stranger := range []Subject{other, inProject} {
		if got := remembered(s, stranger, "s1"); len(got) != 0 {
			t.Errorf("%+v inherits %v", stranger, got)
		}
	}
	if err := s.Set(t.Context(), of, "session", Deny); err != nil {
		t.Fatal(err)
	}
	if got := remembered(s, of, "s1"); got["session"] != Deny {
		t.Errorf("taking it back for always leaves %v", got)
	}
	if err := s.Remember(t.Context(), of, "s1", "session", Answer{Allow, Session}); err != nil {
		t.Fatal(err)
	}
	if got := remembered(s, of, "s1"); got["session"] != Deny {
		t.Errorf("a session overrides a denial for always: %v", got)
	}
	if err := s.Set(t.Context(), of, "always", Ask); err != nil {
		t.Fatal(err)
	}
	if got := remembered(s, of, "s1"); got["always"] != "" {
		t.Errorf("back to asking leaves %v", got)
	}
	if err := s.Forget(t.Context(), of.Ref); err != nil {
		t.Fatal(err)
	}
	if got := remembered(s, of, "s1"); len(got) != 0 {
		t.Errorf("after the removal: %v", got)
	}
	decided := Decide([]extension.Permission{read("/a"), read("/b")}, map[string]Decision{"read:/a": Allow, "read:/gone": Allow})
	if decided[0].Decision != Allow || decided[1].Decision != Ask || len(decided) != 2 {
		t.Errorf("got %+v", decided)
	}
}
