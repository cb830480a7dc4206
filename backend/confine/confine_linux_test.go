package confine_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"portico/backend/confine"
	"portico/backend/confine/confinetest"
)

// The test's own binary plays the confined program and the app; these variables tell it which.
const (
	playAccess = "PORTICO_TEST_ACCESS" // an access to make
	playApp    = "PORTICO_TEST_APP"    // a cache folder: start a child, say its number, wait
)

func TestMain(m *testing.M) {
	if access := os.Getenv(playAccess); access != "" {
		fmt.Println(tryAccess(access, os.Args[1:]))
		syscall.Exit(0) // os.Exit would give the race detector its second to finish
	}
	if cache := os.Getenv(playApp); cache != "" && os.Getenv("PORTICO_TEST_LAUNCHER") != "" {
		app(cache)
		return
	}
	confinetest.Main(m, func() error {
		return goleak.Find(goleak.IgnoreTopFunction("portico/backend/confine.spawnLoop"))
	})
}

func tryAccess(access string, args []string) error {
	switch access {
	case "socket":
		family, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		kind, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		fd, err := unix.Socket(family, kind, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	case "io_uring":
		var params [256]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		if errno != 0 {
			return errno
		}
		return nil
	case "signal":
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return syscall.Kill(pid, 0)
	case "abstract":
		connection, err := net.Dial("unix", "@"+args[0])
		if err == nil {
			connection.Close()
		}
		return err
	case "memory":
		size, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		block, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err == nil {
			unix.Munmap(block)
		}
		return err
	}
	return fmt.Errorf("no such access: %s", access)
}

// app starts a child as the app does, says its number, and waits to be killed.
func app(cache string) {
	binary, err := os.ReadFile(os.Getenv("PORTICO_TEST_LAUNCHER"))
	if err == nil {
		confine.UseLauncher(binary)
		var p *confine.Process
		policy := everywhere()
		policy.Starts = os.Getenv("PORTICO_TEST_STARTS") != ""
		if p, err = confine.Start(policy, confine.Command{Path: "/bin/sh", Args: []string{"-c", os.Getenv("PORTICO_TEST_SCRIPT")}, Cache: cache, Stderr: os.Stderr}); err == nil {
			io.Copy(os.Stdout, p.Stdout)
			err = p.Wait()
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// everywhere lets a program run and read the system, and write nothing.
func everywhere() confine.Policy {
	return confine.Policy{Read: []string{"/etc", "/dev/null"}, Write: []string{"/dev/null"}, Exec: []string{"/usr", "/bin", "/lib", "/lib64"}}
}

// access makes the test's own binary try something under a policy, and gives what it says.
func access(t *testing.T, policy confine.Policy, name string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	policy.Read = append(policy.Read, "/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/sys/kernel/mm/transparent_hugepage")
	policy.Exec = append(policy.Exec, self)
	if file, err := elf.Open(self); err == nil {
		defer file.Close()
		if section := file.Section(".interp"); section != nil {
			data, err := section.Data()
			if err != nil {
				t.Fatal(err)
			}
			policy.Exec = append(policy.Exec, string(bytes.TrimRight(data, "\x00")))
		}
	}
	var stderr bytes.Buffer
	p, err := confine.Start(policy, confine.Command{Path: self, Args: args, Env: []string{playAccess + "=" + name}, Stderr: &stderr, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	said, err := io.ReadAll(p.Stdout)
	if err = errors.Join(err, p.Wait()); err != nil {
		t.Fatalf("%v: %s%s", err, said, stderr.Bytes())
	}
	return strings.TrimSpace(string(said))
}

func TestThisSystemConfinesFully(t *testing.T) {
	if level := confine.InForce(); level.Name != "full" || !strings.Contains(level.What, "Landlock ABI") {
		t.Fatalf("got %+v: the tests of this package need Landlock with TCP (Linux 6.7) and seccomp", level)
	}
}

func TestSocketsAreOfTheKindsThatWereGranted(t *testing.T) {
	const ok = "<nil>"
	for _, c := range []struct {
		name         string
		family, kind int
		network      confine.Network
		netlink      bool
		allowed      bool
	}{
		{"TCP", unix.AF_INET, unix.SOCK_STREAM, confine.Network{}, false, false},
		{"UDP", unix.AF_INET, unix.SOCK_DGRAM, confine.Network{}, false, false},
		{"UDP over IPv6", unix.AF_INET6, unix.SOCK_DGRAM, confine.Network{}, false, false},
		{"raw packets", unix.AF_PACKET, unix.SOCK_RAW, confine.Network{}, false, false},
		{"a virtual machine's host", unix.AF_VSOCK, unix.SOCK_STREAM, confine.Network{}, false, false},
		{"Bluetooth", unix.AF_BLUETOOTH, unix.SOCK_RAW, confine.Network{}, false, false},
		{"the kernel's messages", unix.AF_NETLINK, unix.SOCK_RAW, confine.Network{}, false, false},
		{"the kernel's messages, when granted", unix.AF_NETLINK, unix.SOCK_RAW, confine.Network{}, true, true},
		{"UDP, when the kernel's messages are granted", unix.AF_INET, unix.SOCK_DGRAM, confine.Network{}, true, false},
		{"a local service", unix.AF_UNIX, unix.SOCK_STREAM, confine.Network{}, false, false},
		{"a local service, when all is granted", unix.AF_UNIX, unix.SOCK_STREAM, confine.Network{All: true}, false, false},
		{"raw packets, when all is granted", unix.AF_PACKET, unix.SOCK_RAW, confine.Network{All: true}, false, false},
		{"TCP, when a port is granted", unix.AF_INET, unix.SOCK_STREAM, confine.Network{Ports: []uint16{443}}, false, true},
		{"UDP for names, when a port is granted", unix.AF_INET, unix.SOCK_DGRAM, confine.Network{Ports: []uint16{443}}, false, true},
		{"TCP, when all is granted", unix.AF_INET, unix.SOCK_STREAM, confine.Network{All: true}, false, true},
	} {
		got := access(t, confine.Policy{Network: c.network, Netlink: c.netlink}, "socket", strconv.Itoa(c.family), strconv.Itoa(c.kind))
		if (got == ok) != c.allowed {
			t.Errorf("%s: got %s, want allowed=%v", c.name, got, c.allowed)
		}
	}
	if got := access(t, confine.Policy{}, "io_uring"); got != "operation not permitted" {
		t.Errorf("io_uring, which makes sockets past the filter: got %s", got)
	}
}

func TestOtherProcessesAreOutOfReach(t *testing.T) {
	victim := exec.Command("/bin/sleep", "600")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { victim.Process.Kill(); victim.Wait() }()
	if got := access(t, confine.Policy{}, "signal", strconv.Itoa(victim.Process.Pid)); got != "operation not permitted" {
		t.Errorf("a signal: got %s", got)
	}
	name := fmt.Sprintf("portico-test-%d", os.Getpid())
	listener, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if got := access(t, confine.Policy{}, "abstract", name); !strings.Contains(got, "operation not permitted") {
		t.Errorf("an abstract socket: got %s", got)
	}
}

func TestMemoryIsLimited(t *testing.T) {
	policy := confine.Policy{Limits: confine.Limits{DataBytes: 1 << 30}}
	if got := access(t, policy, "memory", strconv.Itoa(2<<30)); got != "cannot allocate memory" {
		t.Errorf("got %s", got)
	}
	if got := access(t, policy, "memory", strconv.Itoa(1<<20)); got != "<nil>" {
		t.Errorf("a little: got %s", got)
	}
}

// sh runs a script under a policy.
func sh(t *testing.T, policy confine.Policy, script string) (*confine.Process, *bufio.Reader) {
	t.Helper()
	p, err := confine.Start(policy, confine.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Cache: t.TempDir(), Stderr: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		p.Wait()
		p.Close()
	})
	return p, bufio.NewReader(p.Stdout)
}

func line(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	text, err := from.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	return strings.TrimSpace(text)
}

func TestALiveChildIsHeld(t *testing.T) {
	policy := everywhere()
	policy.Limits = confine.Limits{DataBytes: 1 << 30, CPUSeconds: 77, FileBytes: 1 << 20, OpenFiles: 64}
	p, out := sh(t, policy, "echo ready; read x")
	line(t, out)
	status := read(t, p, "status")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("its status lacks %q:\n%s", want, status)
		}
	}
	limits := strings.Join(strings.Fields(read(t, p, "limits")), " ")
	for _, want := range []string{"Max cpu time 77 77 seconds", "Max file size 1048576 1048576 bytes", "Max open files 64 64 files", "Max core file size 0 0 bytes", "Max data size 1073741824 1073741824 bytes"} {
		if !strings.Contains(limits, want) {
			t.Errorf("its limits lack %q: %s", want, limits)
		}
	}
	if environ := read(t, p, "environ"); environ != "PATH=/usr/bin:/bin\x00" {
		t.Errorf("its environment is %q", environ)
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p.Pid, entry.Name()))
		if own := fmt.Sprintf("/proc/%d/maps", p.Pid); err != nil || entry.Name() > "2" && target != own {
			t.Errorf("it holds %s → %s, %v", entry.Name(), target, err)
		}
	}
}

func read(t *testing.T, p *confine.Process, name string) string {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.Pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWhatAChildSaidLastHasArrivedWhenItIsGone(t *testing.T) {
	for range 20 {
		var stderr bytes.Buffer
		p, err := confine.Start(everywhere(), confine.Command{Path: "/bin/sh", Args: []string{"-c", "echo out; echo last words >&2; exit 3"}, Cache: t.TempDir(), Stderr: &stderr})
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(p.Stdout)
		var exit *exec.ExitError
		if waited := p.Wait(); !errors.As(waited, &exit) || exit.ExitCode() != 3 || err != nil || string(said) != "out\n" || stderr.String() != "last words\n" {
			t.Fatalf("got %q, %q, %v, %v", said, stderr.String(), err, waited)
		}
		p.Kill() // long gone: nothing happens
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// alive says whether a process runs; one that waits to be collected does not.
func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(data), ") ")
	return after != "" && after[0] != 'Z' && after[0] != 'X'
}

// gone waits for a process to end. It ends by itself only long after a test would have failed.
func gone(t *testing.T, what string, pid int) {
	t.Helper()
	for range 1000 {
		if !alive(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%s lives on", what)
	syscall.Kill(pid, syscall.SIGKILL)
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKillEndsTheWholeTree(t *testing.T) {
	for _, c := range []struct {
		name, script string
		starts       bool
	}{
		{"a child of the child", "sleep 600 & echo $!; wait", false},
		{"one that left the group", "setsid sleep 600 & sleep 0.1; echo $!; wait", true},
		{"one whose parent ended", "(setsid sh -c 'echo $$; exec sleep 600' &) ; sleep 600", true},
		{"one that ignores being asked", "setsid sh -c 'trap \"\" TERM HUP INT; echo $$; while :; do sleep 1; done' & wait", true},
	} {
		policy := everywhere()
		policy.Starts = c.starts
		p, out := sh(t, policy, c.script)
		pid := number(t, line(t, out))
		if !alive(pid) {
			t.Fatalf("%s: it did not start", c.name)
		}
		p.Kill()
		p.Wait()
		if c.starts && alive(pid) {
			t.Errorf("%s lives on after Wait", c.name)
		}
		gone(t, c.name, pid)
	}
}

func TestWhatIsLeftBehindEndsWithTheChild(t *testing.T) {
	for _, starts := range []bool{false, true} {
		policy := everywhere()
		policy.Starts = starts
		script := "sleep 600 & echo $!; exit 0"
		if starts {
			script = "setsid sleep 600 & sleep 0.1; echo $!; exit 0"
		}
		p, out := sh(t, policy, script)
		pid := number(t, line(t, out))
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
		gone(t, "what was left behind", pid)
	}
}

func TestManyThatKeepStartingOthersAreEnded(t *testing.T) {
	policy := everywhere()
	policy.Starts = true
	// Twenty chains: each starts the next in a session of its own and ends, so that a list of them is old when it is made.
	p, out := sh(t, policy, `chain='setsid sh -c "$0" "$0" & sleep 0.02'; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do setsid sh -c "$chain" "$chain" & done; echo ready; sleep 600`)
	line(t, out)
	time.Sleep(50 * time.Millisecond)
	p.Kill()
	p.Wait()
	left, err := exec.Command("pgrep", "-f", "setsid sh -c .0").Output()
	if err == nil {
		t.Errorf("these live on: %s", left)
	}
}

func TestEverythingEndsWhenTheAppIsKilled(t *testing.T) {
	launcher := builtLauncher(t)
	for _, c := range []struct{ name, script, starts string }{
		{"a child", "echo $$; exec sleep 600", ""},
		{"a child that may start programs", "echo $$; exec sleep 600", "yes"},
		{"one that left the group", "setsid sleep 600 & sleep 0.1; echo $!; wait", "yes"},
	} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		app := exec.Command(self)
		app.Env = []string{playApp + "=" + t.TempDir(), "PORTICO_TEST_SCRIPT=" + c.script, "PORTICO_TEST_STARTS=" + c.starts, "PORTICO_TEST_LAUNCHER=" + launcher}
		out, err := app.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Start(); err != nil {
			t.Fatal(err)
		}
		pid := number(t, line(t, bufio.NewReader(out)))
		if !alive(pid) {
			t.Fatalf("%s: it did not start", c.name)
		}
		app.Process.Kill()
		app.Wait()
		gone(t, c.name, pid)
	}
}

func TestAChildOutlivesTheThreadThatAskedForIt(t *testing.T) {
	started := make(chan *confine.Process)
	cache := t.TempDir()
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		p, err := confine.Start(everywhere(), confine.Command{Path: "/bin/cat", Cache: cache})
		if err != nil {
			t.Error(err)
		}
		started <- p
	}()
	p := <-started
	if p == nil {
		t.FailNow()
	}
	time.Sleep(50 * time.Millisecond)
	if _, err := p.Stdin.WriteString("still here\n"); err != nil {
		t.Fatal(err)
	}
	if got := line(t, bufio.NewReader(p.Stdout)); got != "still here" {
		t.Errorf("got %q", got)
	}
	p.Stdin.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	p.Close()
}

func builtLauncher(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	p, err := confine.Start(everywhere(), confine.Command{Path: "/bin/true", Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	p.Close()
	found, err := filepath.Glob(filepath.Join(cache, "bin", "confine-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v, want one launcher and nothing beside it", found, err)
	}
	return found[0]
}

func TestEightAppsThatStartAtOnceOnAColdCache(t *testing.T) {
	launcher := builtLauncher(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		cache := t.TempDir()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				app := exec.Command(self)
				app.Env = []string{"GORACE=atexit_sleep_ms=0", playApp + "=" + cache, "PORTICO_TEST_SCRIPT=echo fine", "PORTICO_TEST_LAUNCHER=" + launcher}
				if said, err := app.CombinedOutput(); err != nil || string(said) != "fine\n" {
					t.Errorf("got %q, %v", said, err)
				}
			})
		}
		all.Wait()
	}
}

func TestManyStartsAtOnceInOneApp(t *testing.T) {
	cache := t.TempDir()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			p, err := confine.Start(everywhere(), confine.Command{Path: "/bin/true", Cache: cache})
			if err != nil {
				t.Error(err)
				return
			}
			if err := p.Wait(); err != nil {
				t.Error(err)
			}
			p.Close()
		})
	}
	all.Wait()
}

func TestALauncherThatWasChangedIsReplaced(t *testing.T) {
	launcher := builtLauncher(t)
	cache := filepath.Dir(filepath.Dir(launcher))
	if err := os.Remove(launcher); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\necho taken over\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(builtLauncher(t))
	if err != nil {
		t.Fatal(err)
	}
	confine.UseLauncher(binary) // as a new start of the app: what was verified before is not known
	p, err := confine.Start(everywhere(), confine.Command{Path: "/bin/echo", Args: []string{"fine"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(p.Stdout)
	if err := errors.Join(err, p.Wait(), p.Close()); err != nil || string(said) != "fine\n" {
		t.Errorf("got %q, %v", said, err)
	}
}

func TestAProgramThatIsNotThereIsTold(t *testing.T) {
	var stderr bytes.Buffer
	p, err := confine.Start(everywhere(), confine.Command{Path: "/nowhere/program", Cache: t.TempDir(), Stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 125 || !strings.Contains(stderr.String(), "become /nowhere/program: no such file or directory") {
		t.Errorf("got %v, %q", err, stderr.String())
	}
}

// What was granted is what lay there when it was granted. A link that is put there before the child starts leads nowhere,
// at the end of the path or on the way; a path that is not fixed, such as the system's own, is followed.
func TestALinkInThePlaceOfAFixedPathLeadsNowhere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret, plain, link := filepath.Join(dir, "secret"), filepath.Join(dir, "plain"), filepath.Join(dir, "link")
	for _, folder := range []string{secret, plain, filepath.Join(secret, "sub"), filepath.Join(plain, "sub")} {
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "file"), []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		fixed bool
		want  string
	}{
		{plain, true, "read written"}, {plain + "/sub", true, "read written"}, {plain + "/file", true, "read written"},
		{link, true, "no no"}, {link + "/sub", true, "no no"}, {link + "/file", true, "no no"},
		{link, false, "read written"}, {filepath.Join(dir, "nothing"), true, "no no"},
	} {
		policy := everywhere()
		policy.Read, policy.Write = append(policy.Read, c.path), append(policy.Write, c.path)
		if c.fixed {
			policy.Fixed = []string{c.path}
		}
		file := c.path
		if info, err := os.Stat(c.path); err != nil || info.IsDir() {
			file = filepath.Join(c.path, "file")
		}
		p, out := sh(t, policy, "(: <'"+file+"') 2>/dev/null && a=read || a=no; (: >>'"+file+"') 2>/dev/null && b=written || b=no; echo $a $b")
		if got := line(t, out); got != c.want {
			t.Errorf("%s, fixed %v: got %q, want %q", strings.TrimPrefix(c.path, dir), c.fixed, got, c.want)
		}
		if err := errors.Join(p.Wait(), p.Close()); err != nil {
			t.Error(err)
		}
	}
}
