// Command launcher confines itself and becomes another program. It is static and small, so that a start costs a few
// milliseconds: what it is to do comes as JSON on file descriptor 3.
//
// A policy that allows to start programs makes it stay behind as a supervisor: everything that is started has it as its
// last parent, so that also what leaves the process group is ended.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// exitRefused tells the core that the launcher itself failed; Deno and shells use lower codes.
const exitRefused = 125

// orderFD is where the order comes from.
const orderFD = 3

type order struct {
	Policy struct {
		Read, Write, Exec []string
		Fixed             []string
		Socket            string
		Network           struct {
			All   bool
			Ports []uint16
		}
		Limits struct {
			DataBytes, CPUSeconds, FileBytes, OpenFiles uint64
		}
		Starts, Netlink bool
	}
	Path   string
	Args   []string
	Parent int
}

func main() {
	// The restrictions are of this thread, and the program that it becomes takes them over.
	runtime.LockOSThread()
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "portico-confine: %v\n", err)
		os.Exit(exitRefused)
	}
}

func run() error {
	if err := closeOthers(); err != nil {
		return err
	}
	o, err := readOrder()
	if err != nil {
		return err
	}
	if os.Getppid() != o.Parent {
		return fmt.Errorf("the process that asked for it is gone")
	}
	if o.Policy.Starts {
		return supervise(o)
	}
	return become(o)
}

// closeOthers has every descriptor but the three standard ones end with this program. The app may have been started with
// some of its own, by a shell or a desktop, and passes them on without knowing.
func closeOthers() error {
	err := unix.CloseRange(orderFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd") // kernels before 5.11
	if err != nil {
		return fmt.Errorf("close what was passed on: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= orderFD {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

func readOrder() (order, error) {
	var o order
	pipe := os.NewFile(orderFD, "order")
	data, err := io.ReadAll(pipe)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		return o, fmt.Errorf("read the order: %w", err)
	}
	return o, pipe.Close()
}

// become confines this process and executes the program in its place.
func become(o order) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := landlockSelf(o); err != nil {
		return err
	}
	if err := limit(o); err != nil { // after the rules, which take a descriptor each
		return err
	}
	if err := filterSockets(o); err != nil {
		return err
	}
	if err := unix.Exec(o.Path, o.Args, os.Environ()); err != nil {
		return fmt.Errorf("become %s: %w", o.Path, err)
	}
	return nil
}

func limit(o order) error {
	for _, l := range []struct {
		resource int
		value    uint64
		always   bool
	}{
		{unix.RLIMIT_CORE, 0, true}, // a core dump would write memory to disk
		{unix.RLIMIT_DATA, o.Policy.Limits.DataBytes, false},
		{unix.RLIMIT_CPU, o.Policy.Limits.CPUSeconds, false},
		{unix.RLIMIT_FSIZE, o.Policy.Limits.FileBytes, false},
		{unix.RLIMIT_NOFILE, o.Policy.Limits.OpenFiles, false},
	} {
		if l.value == 0 && !l.always {
			continue
		}
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.value, Max: l.value}); err != nil {
			return fmt.Errorf("set limit %d to %d: %w", l.resource, l.value, err)
		}
	}
	return nil
}

// moreTasks is how many tasks may come to be, beyond those of the whole computer now, before a start of another is refused.
// A browser has some hundreds of threads.
const moreTasks = 512

// limitProcesses lets the kernel refuse what a bomb starts, so that the supervisor's turn comes. The kernel counts all tasks
// of a person, so the limit lies above those that are there. It does not hold the system's owner (root): there the
// supervisor is alone.
func limitProcesses() error {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return fmt.Errorf("count what runs: %w", err)
	}
	var loads [3]float64
	var running, all uint64
	if _, err := fmt.Sscanf(string(data), "%f %f %f %d/%d", &loads[0], &loads[1], &loads[2], &running, &all); err != nil {
		return fmt.Errorf("count what runs: %w", err)
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &now); err != nil {
		return fmt.Errorf("count what may run: %w", err)
	}
	most := min(all+moreTasks, now.Max)
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit what may run to %d: %w", most, err)
	}
	return nil
}

const (
	readFile   = ll.AccessFSReadFile
	readFolder = ll.AccessFSReadFile | ll.AccessFSReadDir
	writeFile  = ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeInto  = writeFile | ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSMakeSym | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir | ll.AccessFSRefer
)

// landlockSelf holds files, TCP and, where the kernel can, signals and abstract sockets. What the kernel is too old for is
// left to the other layers; the core says so on the extension's page.
func landlockSelf(o order) error {
	var rules []landlock.Rule
	add := func(paths []string, onFile, onFolder uint64) {
		for _, path := range paths {
			// A fixed path is opened once, and the rule made for what was opened: between two looks at it somebody could put a
			// link in its place.
			if slices.Contains(o.Policy.Fixed, path) {
				opened, err := openFixed(path) // closed by what this process becomes
				switch {
				case err == nil:
					path = fmt.Sprintf("/proc/self/fd/%d", opened)
				case errors.Is(err, unix.EMFILE): // a folder of very many, granted around Portico's data: taken by its name
				default:
					continue // what is not there, or is something else by now, can't be reached
				}
			}
			info, err := os.Stat(path)
			if err != nil {
				continue // what is not there can't be reached
			}
			rights := onFile
			if info.IsDir() {
				rights = onFolder
			}
			rules = append(rules, landlock.PathAccess(landlock.AccessFSSet(rights), path).IgnoreIfMissing())
		}
	}
	add(o.Policy.Read, readFile, readFolder)
	add(o.Policy.Write, writeFile, writeInto)
	add(o.Policy.Exec, readFile|ll.AccessFSExecute, readFolder|ll.AccessFSExecute)
	if pinOwnMaps() {
		rules = append(rules, landlock.PathAccess(readFile, ownMaps).IgnoreIfMissing())
	}
	for _, port := range o.Policy.Network.Ports {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	config := landlock.V7.BestEffort()
	if o.Policy.Network.All {
		// One ruleset must not handle the network at all, or nothing could be connected to.
		if err := config.RestrictPaths(rules...); err != nil {
			return fmt.Errorf("hold to the files that are allowed: %w", err)
		}
		if err := config.RestrictScoped(); err != nil {
			return fmt.Errorf("hold signals and local sockets apart: %w", err)
		}
		return nil
	}
	if err := config.Restrict(rules...); err != nil {
		return fmt.Errorf("hold to what is allowed: %w", err)
	}
	return nil
}

// openFixed opens a path on which no link stands. A kernel that can't promise that (before 5.6, which has no Landlock
// either) opens nothing.
func openFixed(path string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
}

// ownMaps is all that a confined process reads of /proc: where its own memory lies. The C library finds a thread's stack
// in it, and Deno stops dead without. The rest of /proc stays closed: the environment of other processes lies there.
const ownMaps = "/proc/self/maps"

// pinOwnMaps keeps the file's entry in the kernel's memory for as long as this process lives, also as another program: a
// rule is about the entry, and one that was made anew would not be it. The descriptor can be used for nothing else.
func pinOwnMaps() bool {
	_, err := unix.Open(ownMaps, unix.O_PATH, 0)
	return err == nil
}

// filterSockets refuses every kind of socket that was not granted: Landlock knows TCP, and neither UDP nor raw packets nor
// the sockets by which local services are reached. Those run with the person's own rights (a container daemon, the session
// bus, a key agent), and would do for a started program what it may not do itself. Pairs of sockets are left: they lead
// nowhere else. io_uring makes sockets past this filter, so it goes too.
func filterSockets(o order) error {
	if !seccomp.Supported() {
		return nil
	}
	var families []uint64
	if o.Policy.Netlink {
		families = append(families, unix.AF_NETLINK)
	}
	if o.Policy.Network.All || len(o.Policy.Network.Ports) > 0 {
		families = []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} // looking up names asks the kernel for its addresses
	}
	if o.Policy.Socket != "" {
		families = append(families, unix.AF_UNIX)
	}
	sockets := seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: []string{"io_uring_setup"}}
	if len(families) == 0 {
		sockets.Names = append(sockets.Names, "socket")
	} else {
		var conditions seccomp.ArgumentConditions
		for _, family := range families {
			conditions = append(conditions, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: family})
		}
		sockets.NamesWithCondtions = []seccomp.NameWithConditions{{Name: "socket", Conditions: conditions}}
	}
	filter := seccomp.Filter{NoNewPrivs: true, Policy: seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{sockets}}}
	if err := seccomp.LoadFilter(filter); err != nil {
		return fmt.Errorf("refuse sockets: %w", err)
	}
	return refuseForeignCalls()
}

// refuseForeignCalls refuses the calls of another architecture: a program for 32-bit x86 names them by other numbers, and
// the filter above lets them all through.
func refuseForeignCalls() error {
	const archOffset = 4 // of struct seccomp_data
	native, known := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !known {
		return fmt.Errorf("refuse foreign calls: this architecture (%s) is not known", runtime.GOARCH)
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: archOffset},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: native, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return fmt.Errorf("refuse foreign calls: %w", err)
	}
	runtime.KeepAlive(filter)
	return nil
}

// supervise starts the confined program as a child and ends all its descendants when it ends, when it is asked to
// (SIGTERM), and when the core is gone (which sends the same).
func supervise(o order) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the last parent of what is started: %w", err)
	}
	o.Policy.Starts = false
	o.Parent = os.Getpid()
	told, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := limitProcesses(); err != nil {
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	notify(stop)
	child, err := os.StartProcess(self, os.Args, &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, told},
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}, // this thread is locked and stays
	})
	if err != nil {
		return fmt.Errorf("start the confined program: %w", err)
	}
	told.Close()
	if _, err := tell.Write(data); err != nil {
		return fmt.Errorf("pass the order on: %w", err)
	}
	tell.Close()
	// The pipes are the child's alone: held here, they would never end for the core.
	os.Stdin.Close()
	os.Stdout.Close()
	return endWith(child.Pid, stop, o.Policy.Limits.DataBytes)
}
