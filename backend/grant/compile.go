package grant

import (
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"portico/backend/confine"
	"portico/backend/extension"
)

// Layers is one policy in the words of every layer that enforces it: the runtime's flags hold hosts and paths, the
// system's policy holds files and ports whatever the runtime does, the environment holds what may be seen of ours.
type Layers struct {
	Deno   []string // flags
	System confine.Policy
	Env    []string // "KEY=value", of granted variables
	// Refused are granted permissions that no layer gives, with the reason in words.
	Refused []Refusal
}

// Refusal is a permission that was granted and is not given.
type Refusal struct {
	Permission extension.Permission
	Why        string
}

// programFolders are what a granted program gets to execute and read: the system's own (architecture.md, Rules that
// follow).
var programFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt"}

// programFiles are what common programs read of the system's settings; nothing in them is a secret.
var programFiles = []string{"/etc/alternatives", "/etc/fonts", "/etc/ssl", "/etc/ca-certificates", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/mime.types", "/etc/magic", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"}

// nameFiles are what looking up a host's name reads.
var nameFiles = []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf", "/etc/services", "/etc/ssl", "/etc/ca-certificates", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/run/systemd/resolve"}

// Compile turns what is allowed of a tool's permissions into the layers. Only Allow counts. The result names the
// person's files as they are now, so it is made anew for each start.
func Compile(decided []Decided, places Places) Layers {
	c := &compiler{places: places}
	for _, d := range decided {
		if d.Decision != Allow {
			continue
		}
		if c.data == "" { // a tool without permissions costs no look at the disk
			c.data = real(places.Data)
		}
		c.add(d.Permission)
	}
	return c.layers()
}

// CompileWatched gives the layers of a worker that a Judge watches: the system's hold what is allowed and what may yet be,
// the judge narrows it, and there are no flags.
func CompileWatched(decided []Decided, places Places) Layers {
	c := &compiler{places: places, data: real(places.Data), watched: true}
	for _, d := range decided {
		if d.Decision == Allow || d.Decision == Ask && AskedInUse(d.Permission.Kind) {
			c.add(d.Permission)
		}
	}
	layers := c.layers()
	layers.Deno = nil
	return layers
}

type compiler struct {
	places  Places
	watched bool   // by a judge: no flags
	data    string // where Portico's data really lies
	out     Layers

	hosts               []string
	anyHost             bool
	reads, writes       []string
	programs            []string
	variables, facts    []string
	foreignCode         bool
	wideRead, wideWrite bool // a grant covers Portico's data or /proc
}

func (c *compiler) refuse(p extension.Permission, why string) {
	c.out.Refused = append(c.out.Refused, Refusal{p, why})
}

func (c *compiler) add(p extension.Permission) {
	switch p.Kind {
	case extension.Net:
		c.addHost(p)
	case extension.Read, extension.Write:
		c.addPath(p)
	case extension.Run:
		c.addProgram(p)
	case extension.Env:
		c.variables = append(c.variables, p.EnvKey)
		if value, ok := os.LookupEnv(p.EnvKey); ok {
			c.out.Env = append(c.out.Env, p.EnvKey+"="+value)
		}
	case extension.FFI:
		c.foreignCode = true
	case extension.Sys:
		if !slices.Contains(knownFacts, p.Flag) {
			c.refuse(p, "there is no such fact about the system")
			return
		}
		c.facts = append(c.facts, p.Flag)
		c.out.System.Netlink = c.out.System.Netlink || p.Flag == "networkInterfaces"
	}
}

// knownFacts are what Deno can be told to give; any other would keep it from starting (measured with Deno 2.9.6).
var knownFacts = []string{"hostname", "osRelease", "osUptime", "loadavg", "networkInterfaces", "systemMemoryInfo", "uid", "gid", "cpus", "homedir", "statfs", "getPriority", "setPriority", "userInfo", "username", "getegid"}

// hostName is what Deno's flags read as one host's name. What else a manifest may write there (a port, a part of an address)
// would mean something else to them, or keep Deno from starting.
// "*.a.com" is a.com and all below it.
var hostName = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$`)

// addHost: a host and ports are Deno's to hold, ports are Landlock's as well.
func (c *compiler) addHost(p extension.Permission) {
	everyPort := slices.Contains(p.Ports, "*")
	host := hostOf(p)
	if host != "*" && !strings.HasPrefix(host, "[") && !hostName.MatchString(host) {
		c.refuse(p, "its host is no name and no address")
		return
	}
	switch {
	case host == "*":
		c.anyHost = true
	case everyPort:
		c.hosts = append(c.hosts, host)
	default:
		for _, port := range p.Ports {
			c.hosts = append(c.hosts, host+":"+port)
		}
	}
	if everyPort {
		c.out.System.Network.All = true
		return
	}
	for _, port := range p.Ports {
		if number, err := strconv.ParseUint(port, 10, 16); err == nil {
			c.out.System.Network.Ports = append(c.out.System.Network.Ports, uint16(number))
		}
	}
}

// hostOf gives a host as Deno writes it.
func hostOf(p extension.Permission) string {
	if address, err := netip.ParseAddr(strings.Trim(p.Host, "[]")); err == nil && address.Is6() {
		return "[" + address.String() + "]"
	}
	name, wide := strings.CutPrefix(p.Host, below)
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii // as a URL has it: "xn--mller-kva.de"
	}
	if wide {
		return below + name
	}
	return name
}

// below begins a host that stands for itself and all below it.
const below = "*."

// names says whether a permission's host covers the one that a tool reaches for.
func names(p extension.Permission, host string) bool {
	named := hostOf(p)
	if base, wide := strings.CutPrefix(named, below); wide {
		host, base = strings.ToLower(host), strings.ToLower(base)
		return host == base || strings.HasSuffix(host, "."+base)
	}
	return named == "*" || strings.EqualFold(named, host)
}

func (c *compiler) addPath(p extension.Permission) {
	path, resolved, why := c.place(p)
	if why == "" && !c.watched && strings.Contains(path+resolved, ",") {
		why = "its path holds a comma, which the sandbox can't be told"
	}
	if why != "" {
		c.refuse(p, why)
		return
	}
	paths := dedupe([]string{path, resolved})
	system := c.around(resolved)
	wide := len(system) != 1 || system[0] != resolved
	if p.Kind == extension.Read {
		c.reads = append(c.reads, paths...)
		c.wideRead = c.wideRead || wide
		c.out.System.Read = append(c.out.System.Read, system...)
	} else {
		system = c.writable(resolved, system)
		c.writes = append(c.writes, paths...)
		c.wideWrite = c.wideWrite || wide
		c.out.System.Write = append(c.out.System.Write, system...)
	}
	c.out.System.Fixed = append(c.out.System.Fixed, system...) // resolved now: a link that stands there later is somebody else's
}

// place gives where a permission's path lies, as it is written and without links, or why no layer gives it.
func (c *compiler) place(p extension.Permission) (path, resolved, why string) {
	path = c.places.Expand(p.Path)
	if path == "" {
		return "", "", placeless(p.Path)
	}
	if link := strangeLink(c.places.base(p.Path), path); link != "" {
		return "", "", link + " is a link: what lies where it leads was not what was allowed"
	}
	resolved = real(path)
	own := real(c.places.Extension)
	switch {
	case p.Kind == extension.Write && own != "" && Within(resolved, own):
		why = "installed files never change"
	case c.data != "" && Within(resolved, c.data) && !c.named(resolved):
		why = "it lies in Portico's own data"
	case Within(resolved, processes) && (p.Kind == extension.Write || !aboutSystem(resolved)):
		why = "what other processes hold in memory lies there"
	}
	return path, resolved, why
}

// processes is where Linux shows every process's memory and environment; Landlock guards attaching to one, not reading
// about it, so no grant covers it.
const processes = "/proc"

// aboutSystem says whether a path below /proc is about the system and about no process: "/proc/meminfo".
func aboutSystem(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, processes+"/"), "/")
	info, err := os.Lstat(processes + "/" + first)
	return path != processes && err == nil && (info.Mode().IsRegular() || first == "sys")
}

// named says whether a path within Portico's data is one that a template names.
func (c *compiler) named(path string) bool {
	for _, folder := range []string{c.places.Models, c.places.Sessions, c.places.Extension} {
		if folder != "" && Within(path, real(folder)) {
			return true
		}
	}
	return false
}

// writable gives what the system has to allow so that a file can be written that is not there yet: its folder. Deno's
// flag is exact there.
func (c *compiler) writable(path string, system []string) []string {
	if _, err := os.Lstat(path); err == nil {
		return system
	}
	if parent := filepath.Dir(path); isFolder(parent) && c.data != "" && !Within(c.data, parent) {
		return []string{parent}
	}
	return system
}

// around gives the paths that cover a granted one without Portico's data and without /proc: Landlock can't subtract.
// Links are left out: a rule would follow them. So are the folders on the way, whose rules would cover all below: nothing
// new can be made directly in them.
func (c *compiler) around(path string) []string {
	holds := func(hole string) bool { return hole != "" && hole != path && Within(hole, path) }
	if !holds(c.data) && !holds(processes) {
		return []string{path}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil // what can't be listed is not granted
	}
	var all []string
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		if below != c.data && below != processes && entry.Type()&fs.ModeSymlink == 0 {
			all = append(all, c.around(below)...)
		}
	}
	return all
}

func (c *compiler) addProgram(p extension.Permission) {
	path := p.Binary
	if !filepath.IsAbs(path) {
		if strings.ContainsAny(path, `/\`) {
			c.refuse(p, "a program is named by its name or its whole path")
			return
		}
		found, err := exec.LookPath(path)
		if err != nil {
			c.refuse(p, "there is no program "+p.Binary+" on this computer")
			return
		}
		path = found
	}
	if strings.Contains(path, ",") {
		c.refuse(p, "its path holds a comma, which the sandbox can't be told")
		return
	}
	if c.data != "" && Within(real(path), c.data) {
		c.refuse(p, "it lies in Portico's own data")
		return
	}
	c.programs = append(c.programs, dedupe([]string{p.Binary, path})...)
	c.out.System.Exec = append(c.out.System.Exec, dedupe([]string{path, real(path)})...)
	c.out.System.Exec = append(c.out.System.Exec, programFolders...)
	c.out.System.Read = append(c.out.System.Read, programFiles...)
	c.out.System.Starts = true
}

func (c *compiler) layers() Layers {
	flag := func(name string, values []string) {
		if len(values) > 0 {
			c.out.Deno = append(c.out.Deno, "--"+name+"="+list(values))
		}
	}
	if c.anyHost {
		c.out.Deno = append(c.out.Deno, "--allow-net") // a port of every host is the system's to hold
	} else {
		flag("allow-net", c.hosts)
	}
	if c.out.System.Network.All {
		c.out.System.Network.Ports = nil // the launcher can't hold a port where it holds none
	}
	if !c.out.System.Network.None() {
		c.out.System.Read = append(c.out.System.Read, nameFiles...)
	}
	flag("allow-read", c.reads)
	flag("allow-write", c.writes)
	flag("allow-run", c.programs)
	flag("allow-env", c.variables)
	flag("allow-sys", c.facts)
	if c.foreignCode {
		c.out.Deno = append(c.out.Deno, "--allow-ffi")
	}
	// What a wide grant covers and must not is named to Deno as well. A grant that names a folder of Portico's data itself
	// ("$models") keeps it; its own files an extension may read, never write.
	if c.wideRead || c.foreignCode {
		flag("deny-read", c.closed(append([]string{c.places.Extension}, c.reads...)))
	}
	if c.wideWrite || c.foreignCode {
		flag("deny-write", c.closed(c.writes))
	}
	return c.out
}

// made are files of Portico's that come and go while a worker lives, so that they may be missing when it starts.
var made = []string{"portico.db", "portico.db-wal", "portico.db-shm", "portico.db-journal", "vault", "logs", "cache", "memories", "extension-data"}

// closed lists what a wide grant must not reach: /proc, and all of Portico's data but the paths that are kept.
func (c *compiler) closed(kept []string) []string {
	var all []string
	if isFolder(processes) {
		all = append(all, processes)
	}
	if c.data == "" {
		return all
	}
	for n := range kept {
		kept[n] = real(kept[n])
	}
	keeps := func(path string) bool {
		return slices.ContainsFunc(kept, func(keep string) bool {
			return keep != "" && Within(keep, c.data) && Within(path, keep)
		})
	}
	leadsTo := func(path string) bool {
		return slices.ContainsFunc(kept, func(keep string) bool { return keep != "" && Within(keep, path) })
	}
	if !leadsTo(c.data) {
		return append(all, c.data)
	}
	var list func(folder string)
	list = func(folder string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			all = append(all, folder)
			return
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			switch {
			case strings.Contains(path, ","): // no flag can name it; the system's layer holds it
			case keeps(path):
			case entry.IsDir() && leadsTo(path):
				list(path)
			default:
				all = append(all, path)
			}
		}
	}
	list(c.data)
	for _, name := range made {
		all = append(all, filepath.Join(c.data, name))
	}
	return dedupe(all)
}

// list joins values as Deno's flags read them. A comma parts them and can't be escaped (measured with Deno 2.9.6), so
// paths that hold one never come here.
func list(values []string) string { return strings.Join(dedupe(values), ",") }

func dedupe(values []string) []string {
	var all []string
	for _, value := range values {
		if value != "" && !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// real resolves links as far as a path exists.
func real(path string) string {
	if path == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}

// Within says whether a path is a folder or lies below it; both are absolute and clean.
func Within(inner, outer string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
