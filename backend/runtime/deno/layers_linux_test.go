package deno

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/backend/confine"
	"portico/backend/extension"
	"portico/backend/grant"
)

// Which layers a probe runs under.
type under int

const (
	nothing under = 0
	flags   under = 1 << iota
	system
	asking // what can be is asked about when it is used, and allowed then
)

// lab is a computer with things worth protecting, all of it real: files, sockets, servers.
type lab struct {
	t        *testing.T
	places   grant.Places
	prepared *prepared
	cache    string
	probe    string
	tcp, tcp2,
	udp string // ports on the loopback interface
	unixSocket string
	probeEnv   []string
}

// tried is how an access is tried, and whether it should be let through.
type tried struct {
	name string
	on   under
	want bool
}

func newLab(t *testing.T) *lab {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, ".local", "share", "portico")
	l := &lab{t: t, cache: filepath.Join(data, "cache"), places: grant.Places{
		Home: home, Downloads: filepath.Join(home, "Downloads"), Models: filepath.Join(data, "models"), Sessions: filepath.Join(data, "sessions"),
		Extension: filepath.Join(data, "extensions", "probe"), Data: data, Getenv: func(string) string { return "" },
	}}
	for path, text := range map[string]string{
		"Downloads/have.txt": "a download", "Downloads/deep/er/file.txt": "deep", "Documents/letter.txt": "dear", ".ssh/id": "a key", "two words, one comma/x.txt": "comma",
		".local/share/other/app.txt": "another app's", ".local/share/portico/portico.db": "the conversations", ".local/share/portico/extensions/other/index.ts": "another's code",
		".local/share/portico/vault": "secrets", ".local/share/portico/models/m.gguf": "a model", ".local/share/portico/sessions/s1/f.txt": "a session's", ".local/share/portico/extensions/probe/data.txt": "its own",
		".local/share/portico/cache/x": "", "outside/secret.txt": "a secret",
	} {
		l.put(path, text)
	}
	if err := os.Symlink(l.at("outside/secret.txt"), l.at("Downloads/link.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(l.at("outside"), l.at("Downloads/folder-link")); err != nil {
		t.Fatal(err)
	}
	l.tcp, l.tcp2, l.udp = l.serve("tcp4", "0.0.0.0:0"), l.serve("tcp4", "127.0.0.1:0"), l.serve("udp4", "127.0.0.1:0")
	l.unixSocket = l.at("outside/socket")
	l.serve("unix", l.unixSocket)

	binary, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if l.probe, err = filepath.Abs("../../../testdata/probe/probe.ts"); err != nil {
		t.Fatal(err)
	}
	l.prepared = &prepared{binary: binary, dir: filepath.Join(l.cache, "deno", "probe"), worker: l.probe}
	if err := os.MkdirAll(filepath.Join(l.prepared.dir, denoDir), 0o700); err != nil {
		t.Fatal(err)
	}
	l.prepared.base = basePolicy(l.prepared, l.places.Extension)
	l.probeEnv = environment(filepath.Join(l.prepared.dir, denoDir), nil)
	fill := exec.Command(binary, append(append([]string{"cache"}, moduleFlags...), l.probe)...)
	fill.Env = l.probeEnv
	if said, err := fill.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return l
}

func (l *lab) at(path string) string { return filepath.Join(l.places.Home, filepath.FromSlash(path)) }

func (l *lab) put(path, text string) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.at(path)), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(l.at(path), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// serve greets whoever connects, and gives the port.
func (l *lab) serve(network, address string) string {
	l.t.Helper()
	if network == "udp4" {
		packets, err := net.ListenPacket(network, address)
		if err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { packets.Close() })
		return strconv.Itoa(packets.LocalAddr().(*net.UDPAddr).Port)
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		l.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the listener
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connection.Write([]byte("hello"))
			connection.Close()
		}
	}()
	l.t.Cleanup(func() { listener.Close(); <-ended })
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok {
		return strconv.Itoa(tcp.Port)
	}
	return ""
}

// try makes one access with these grants, under these layers, and says whether it was let through.
func (l *lab) try(layers under, granted []extension.Permission, access ...string) (bool, string) {
	l.t.Helper()
	var decided []grant.Decided
	for _, p := range granted {
		decided = append(decided, grant.Decided{Permission: p, Decision: grant.Allow})
	}
	compiled := grant.Compile(decided, l.places)
	if layers&asking != 0 {
		for n := range decided {
			if grant.AskedInUse(decided[n].Permission.Kind) {
				decided[n].Decision = grant.Ask
			}
		}
		compiled = grant.CompileWatched(decided, l.places)
	}
	env := append(slices.Clone(l.probeEnv), compiled.Env...)
	args := append([]string{"run", "-A", "--no-check", "--no-code-cache"}, moduleFlags...)
	args = append(args, l.probe)
	if layers&(flags|asking) != 0 {
		args = command(l.prepared, compiled, StandardLimits.Megabytes)
	}
	args = append(args, access...)
	var said []byte
	var err error
	started := func(int) {}
	if layers&asking != 0 {
		b, err := openBroker()
		if err != nil {
			l.t.Fatal(err)
		}
		judge := grant.NewJudge(decided, l.places)
		b.use(func(kind extension.Kind, value string) (bool, string) {
			found, why := judge.Find(kind, value)
			return why == "" && found.Decision != grant.Deny, why
		})
		compiled.System.Socket = b.address
		env = append(env, brokerAddress+"="+b.address)
		started = func(pid int) { go b.serve(pid) } // ends with close
		defer b.close()
	}
	if layers&system == 0 {
		cmd := exec.Command(l.prepared.binary, args...)
		cmd.Env, cmd.Dir = env, l.places.Extension
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &withoutNotice{to: &errs}
		if err = cmd.Start(); err == nil {
			started(cmd.Process.Pid)
			err = cmd.Wait()
		}
		said = append(out.Bytes(), errs.Bytes()...)
	} else {
		said, err = l.confined(policy(l.prepared.base, compiled.System), started, l.prepared.binary, env, args...)
	}
	verdict, rest, _ := strings.Cut(strings.TrimSpace(string(said)), " ")
	if err != nil || verdict != "done" && verdict != "refused" {
		l.t.Fatalf("%q: %v: %s", access, err, said)
	}
	return verdict == "done", rest
}

func (l *lab) confined(p confine.Policy, started func(pid int), path string, env []string, args ...string) ([]byte, error) {
	var errs bytes.Buffer
	process, err := confine.Start(p, confine.Command{Path: path, Args: args, Env: env, Dir: l.places.Extension, Stderr: &withoutNotice{to: &errs}, Cache: l.cache})
	if err != nil {
		return nil, err
	}
	defer process.Close()
	started(process.Pid)
	process.Stdin.Close()
	said, err := io.ReadAll(process.Stdout)
	if err == nil {
		err = process.Wait()
	}
	return append(said, errs.Bytes()...), err
}

func TestWhatIsGrantedIsExactlyWhatTheLayersLetThrough(t *testing.T) {
	if confine.InForce().Name != "full" {
		t.Fatalf("this system does not confine fully (%s): the comparison needs Landlock with TCP, and seccomp", confine.InForce().What)
	}
	l := newLab(t)
	may := func(kind extension.Kind, value string) extension.Permission {
		p := extension.Permission{Kind: kind, Reason: "test"}
		switch kind {
		case extension.Read, extension.Write:
			p.Path = value
		case extension.Run:
			p.Binary = value
		case extension.Env:
			p.EnvKey = value
		case extension.Sys:
			p.Flag = value
		case extension.Net:
			host, port, err := net.SplitHostPort(value)
			if err != nil {
				t.Fatal(err)
			}
			p.Host, p.Ports = host, []string{port}
		}
		return p
	}
	with := func(p ...extension.Permission) []extension.Permission { return p }
	none := with()
	t.Setenv("PORTICO_TEST_TOKEN", "a token")
	const yes, no = true, false
	fresh := 0
	name := func(folder string) string { fresh++; return l.at(folder + "/new" + strconv.Itoa(fresh)) }
	victim := exec.Command("/bin/sleep", "600")
	victim.Env = []string{"TOKEN=another's secret"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { victim.Process.Kill(); victim.Wait() }()
	environ := "/proc/" + strconv.Itoa(victim.Process.Pid) + "/environ"

	for _, c := range []struct {
		what          string
		granted       []extension.Permission
		access        []string
		flags, system bool // what each layer alone lets through; together they are the grant
	}{
		// Without any grant.
		{"its own file", none, []string{"read", l.at(".local/share/portico/extensions/probe/data.txt")}, yes, yes},
		{"its own folder", none, []string{"list", l.places.Extension}, yes, yes},
		{"write its own file", none, []string{"append", l.at(".local/share/portico/extensions/probe/data.txt")}, no, no},
		{"a file", none, []string{"read", l.at("Documents/letter.txt")}, no, no},
		{"a folder", none, []string{"list", l.at("Documents")}, no, no},
		{"a file's size (Landlock does not hold it)", none, []string{"stat", l.at("Documents/letter.txt")}, no, yes},
		{"write a file", none, []string{"write", name("Documents")}, no, no},
		{"the system's settings", none, []string{"read", "/etc/passwd"}, no, no},
		{"another extension's code", none, []string{"read", l.at(".local/share/portico/extensions/other/index.ts")}, no, no},
		{"the conversations", none, []string{"read", l.at(".local/share/portico/portico.db")}, no, no},
		{"the compiled code that other calls run", none, []string{"write", filepath.Join(l.prepared.dir, denoDir, "gen", "x.js")}, no, no},
		{"an address", none, []string{"connect", "127.0.0.1", l.tcp}, no, no},
		{"a datagram", none, []string{"udp", "127.0.0.1", l.udp}, no, no},
		{"to listen", none, []string{"listen", "127.0.0.1", "0"}, no, no},
		{"a local service", none, []string{"unix", l.unixSocket}, no, no},
		{"a local service, with what may be read and written", with(may(extension.Read, "$home/outside"), may(extension.Write, "$home/outside")), []string{"unix", l.unixSocket}, no, no},
		{"a local service, with a network", with(may(extension.Net, "*:*")), []string{"unix", l.unixSocket}, no, no},
		{"a program", none, []string{"run", "/bin/true"}, no, no},
		{"the host's name (only a flag holds it)", none, []string{"hostname"}, no, yes},
		{"the network's interfaces", none, []string{"interfaces"}, no, no},
		{"the environment of another process", none, []string{"read", environ}, no, no},
		{"the memory of another process", none, []string{"read", "/proc/" + strconv.Itoa(victim.Process.Pid) + "/maps"}, no, no},
		{"the list of processes", none, []string{"list", "/proc"}, no, no},

		// Reading.
		{"what may be read", with(may(extension.Read, "$downloads")), []string{"read", l.at("Downloads/have.txt")}, yes, yes},
		{"what may be read, deep", with(may(extension.Read, "$downloads")), []string{"read", l.at("Downloads/deep/er/file.txt")}, yes, yes},
		{"beside it", with(may(extension.Read, "$downloads")), []string{"read", l.at("Documents/letter.txt")}, no, no},
		{"write what may be read", with(may(extension.Read, "$downloads")), []string{"append", l.at("Downloads/have.txt")}, no, no},
		{"remove what may be read", with(may(extension.Read, "$downloads")), []string{"remove", l.at("Downloads/have.txt")}, no, no},
		{"through a link out of it (flags follow it)", with(may(extension.Read, "$downloads")), []string{"read", l.at("Downloads/link.txt")}, yes, no},
		{"through a linked folder (flags follow it)", with(may(extension.Read, "$downloads")), []string{"read", l.at("Downloads/folder-link/secret.txt")}, yes, no},
		{"out of it by dots", with(may(extension.Read, "$downloads")), []string{"read", l.at("Downloads") + "/../outside/secret.txt"}, no, no},
		{"one file", with(may(extension.Read, "$home/Documents/letter.txt")), []string{"read", l.at("Documents/letter.txt")}, yes, yes},
		{"the folder of one file", with(may(extension.Read, "$home/Documents/letter.txt")), []string{"list", l.at("Documents")}, no, no},
		{"a model", with(may(extension.Read, "$models")), []string{"read", l.at(".local/share/portico/models/m.gguf")}, yes, yes},
		{"a session's file", with(may(extension.Read, "$sessions")), []string{"read", l.at(".local/share/portico/sessions/s1/f.txt")}, yes, yes},
		{"the conversations beside the models", with(may(extension.Read, "$models")), []string{"read", l.at(".local/share/portico/portico.db")}, no, no},

		// Writing.
		{"write a new file", with(may(extension.Write, "$downloads")), []string{"write", name("Downloads")}, yes, yes},
		{"write over a file", with(may(extension.Write, "$downloads")), []string{"write", l.at("Downloads/have.txt")}, yes, yes},
		{"empty a file", with(may(extension.Write, "$downloads")), []string{"truncate", l.at("Downloads/have.txt")}, yes, yes},
		{"make a folder", with(may(extension.Write, "$downloads")), []string{"mkdir", name("Downloads")}, yes, yes},
		{"read what may be written", with(may(extension.Write, "$downloads")), []string{"read", l.at("Downloads/have.txt")}, no, no},
		{"write beside it", with(may(extension.Write, "$downloads")), []string{"write", name("Documents")}, no, no},
		{"write through a link (flags follow it)", with(may(extension.Write, "$downloads")), []string{"append", l.at("Downloads/link.txt")}, yes, no},
		{"a hard link to a file outside", with(may(extension.Write, "$downloads"), may(extension.Read, "$downloads")), []string{"link", l.at("outside/secret.txt"), name("Downloads")}, no, no},
		{"move a file out", with(may(extension.Write, "$downloads"), may(extension.Read, "$downloads")), []string{"rename", l.at("Downloads/deep/er/file.txt"), name("Documents")}, no, no},
		{"a file that is not there yet", with(may(extension.Write, "$home/Documents/later.txt")), []string{"write", l.at("Documents/later.txt")}, yes, yes},
		{"its own code, though it was granted", with(may(extension.Write, "$extension")), []string{"append", l.at(".local/share/portico/extensions/probe/data.txt")}, no, no},

		// Grants that cover Portico's data.
		{"a document under the home folder", with(may(extension.Read, "$home")), []string{"read", l.at("Documents/letter.txt")}, yes, yes},
		{"another app's data under the home folder", with(may(extension.Read, "$home")), []string{"read", l.at(".local/share/other/app.txt")}, yes, yes},
		{"the conversations under the home folder", with(may(extension.Read, "$home")), []string{"read", l.at(".local/share/portico/portico.db")}, no, no},
		{"the vault under the home folder", with(may(extension.Read, "$home")), []string{"read", l.at(".local/share/portico/vault")}, no, no},
		{"another extension's code under the home folder", with(may(extension.Read, "$home")), []string{"read", l.at(".local/share/portico/extensions/other/index.ts")}, no, no},
		{"write the conversations under the home folder", with(may(extension.Write, "$home")), []string{"append", l.at(".local/share/portico/portico.db")}, no, no},
		{"write its own code under the home folder", with(may(extension.Write, "$home")), []string{"append", l.at(".local/share/portico/extensions/probe/data.txt")}, no, no},
		{"write another's code under the home folder", with(may(extension.Write, "$home")), []string{"append", l.at(".local/share/portico/extensions/other/index.ts")}, no, no},
		{"the conversations under everything", with(may(extension.Read, "/")), []string{"read", l.at(".local/share/portico/portico.db")}, no, no},
		{"the environment of another process under everything", with(may(extension.Read, "/")), []string{"read", environ}, no, no},
		{"the system's settings under everything", with(may(extension.Read, "/")), []string{"read", "/etc/hostname"}, yes, yes},

		// The network.
		{"the address that may be reached", with(may(extension.Net, "127.0.0.1:"+l.tcp)), []string{"connect", "127.0.0.1", l.tcp}, yes, yes},
		{"another port of it", with(may(extension.Net, "127.0.0.1:"+l.tcp)), []string{"connect", "127.0.0.1", l.tcp2}, no, no},
		{"the port of another host (Landlock knows no hosts)", with(may(extension.Net, "127.0.0.1:"+l.tcp)), []string{"connect", "127.0.0.2", l.tcp}, no, yes},
		{"a host by its name", with(may(extension.Net, "localhost:"+l.tcp)), []string{"connect", "localhost", l.tcp}, yes, yes},
		{"one port of every host", with(may(extension.Net, "*:"+l.tcp)), []string{"connect", "127.0.0.1", l.tcp}, yes, yes},
		{"another port of every host (flags can't say it)", with(may(extension.Net, "*:"+l.tcp)), []string{"connect", "127.0.0.1", l.tcp2}, yes, no},
		{"every port of a host", with(may(extension.Net, "127.0.0.1:*")), []string{"connect", "127.0.0.1", l.tcp2}, yes, yes},
		{"listen, with an address that may be reached", with(may(extension.Net, "127.0.0.1:"+l.tcp)), []string{"listen", "127.0.0.1", "0"}, no, no},

		// Programs, variables, facts.
		{"the program that may run", with(may(extension.Run, "echo")), []string{"run", "echo", "hello"}, yes, yes},
		{"another program (the system lets its own folders run)", with(may(extension.Run, "echo")), []string{"run", "cat", "/dev/null"}, no, yes},
		{"a file through a program that may run (flags hold no program)", with(may(extension.Run, "cat")), []string{"run", "cat", l.at("Documents/letter.txt")}, yes, no},
		{"the conversations through a program", with(may(extension.Run, "cat")), []string{"run", "cat", l.at(".local/share/portico/portico.db")}, yes, no},
		{"the environment of another process through a program", with(may(extension.Run, "cat")), []string{"run", "cat", environ}, yes, no},
		{"a program in a folder that may be written", with(may(extension.Run, "sh"), may(extension.Write, "$downloads")), []string{"run", "sh", "-c", "printf '#!/bin/sh\\n' >" + l.at("Downloads/x") + " && chmod +x " + l.at("Downloads/x") + " && " + l.at("Downloads/x")}, yes, no},
		{"a variable that may be read", with(may(extension.Env, "PORTICO_TEST_TOKEN")), []string{"env", "PORTICO_TEST_TOKEN"}, yes, yes},
		{"another variable (only a flag holds it)", with(may(extension.Env, "PORTICO_TEST_TOKEN")), []string{"env", "HOME"}, no, yes},
		{"a fact that may be known", with(may(extension.Sys, "hostname")), []string{"hostname"}, yes, yes},
		{"interfaces that may be known", with(may(extension.Sys, "networkInterfaces")), []string{"interfaces"}, yes, yes},
	} {
		t.Run(c.what, func(t *testing.T) {
			l := *l
			l.t = t
			restore := func() { // an access that was let through changed something
				l.put("Downloads/have.txt", "a download")
				l.put("Downloads/deep/er/file.txt", "deep")
				os.Remove(l.at("Documents/later.txt"))
				for n := range fresh {
					for _, folder := range []string{"Downloads", "Documents"} {
						os.Remove(l.at(folder + "/new" + strconv.Itoa(n+1)))
					}
				}
			}
			runs := []tried{{"under nothing", nothing, true}, {"under the flags", flags, c.flags}, {"under the system", system, c.system}, {"under both", flags | system, c.flags && c.system}}
			if !slices.ContainsFunc(c.granted, func(p extension.Permission) bool { return p.Kind == extension.Run }) {
				// It sees through links and knows ports, so alone it lets through exactly the grant.
				runs = append(runs, tried{"when asked", asking, c.flags && c.system}, tried{"when asked, under the system", asking | system, c.flags && c.system})
			}
			for _, run := range runs {
				got, said := l.try(run.on, c.granted, c.access...)
				if got != run.want {
					t.Errorf("%s: let through is %v, want %v (%s)", run.name, got, run.want, said)
				}
				restore()
			}
		})
	}
}
