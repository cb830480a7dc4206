package grant

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"portico/backend/extension"
)

// Judge says how single accesses stand, for a runtime that asks about each one when it happens. It agrees with what
// Compile gives the layers, access by access, but for what only flags can't say: a path with a comma, a port of every
// host. It is not safe for concurrent use.
type Judge struct {
	own    string
	data   string
	free   []string // may always be read
	claims []claim
}

// claim is a declared permission and what it covers here.
type claim struct {
	Decided
	path    string // of Read and Write, without links
	refused string // why it covers nothing
}

// NewJudge prepares to judge; free are folders that may always be read, absolute, beside the extension's own.
func NewJudge(decided []Decided, places Places, free ...string) *Judge {
	j := &Judge{own: real(places.Extension), data: real(places.Data)}
	for _, folder := range append([]string{places.Extension}, free...) {
		if folder != "" {
			j.free = append(j.free, real(folder))
		}
	}
	c := compiler{places: places, data: j.data}
	for _, d := range decided {
		one := claim{Decided: d}
		if kind := d.Permission.Kind; kind == extension.Read || kind == extension.Write {
			_, one.path, one.refused = c.place(d.Permission)
		}
		j.claims = append(j.claims, one)
	}
	return j
}

// Find gives what is declared for an access and how it stands: allowed before still to be asked about, before denied, and
// the narrowest of several. value is as Deno's broker has it: a path, a host with a port, a name; empty is everything of
// that kind. With why, nothing declared covers it, and why says so in words.
func (j *Judge) Find(kind extension.Kind, value string) (found Decided, why string) {
	what := string(kind) + ":" + value
	var covers func(claim) bool
	switch kind {
	case extension.Read, extension.Write:
		path, strange := j.locate(value)
		switch {
		case strange != "":
			return found, what + " is refused: " + strange
		case kind == extension.Write && Within(path, j.own):
			return found, what + " is refused: installed files never change"
		case kind == extension.Read && slices.ContainsFunc(j.free, func(folder string) bool { return Within(path, folder) }):
			return Decided{Permission: extension.Permission{Kind: kind, Path: "$extension"}, Decision: Allow}, ""
		}
		covers = func(c claim) bool {
			return Within(path, c.path) && !j.hides(path, c.path)
		}
	case extension.Net:
		covers = func(c claim) bool { return reaches(c.Permission, value) }
	case extension.Env:
		covers = func(c claim) bool { return value != "" && c.Permission.EnvKey == value }
	case extension.Sys:
		covers = func(c claim) bool { return value != "" && c.Permission.Flag == value }
	default: // programs and foreign code have no name here: they are decided before the start
		return found, what + " is refused: it can't be allowed while the tool runs"
	}
	var all []claim
	for _, c := range j.claims {
		if c.Permission.Kind != kind || !covers(c) {
			continue
		}
		if c.refused != "" {
			why = what + " is refused: " + c.refused
			continue
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return found, cmp.Or(why, what+" is not declared, so it is refused")
	}
	order := []Decision{Allow, Ask, Deny}
	slices.SortStableFunc(all, func(a, b claim) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Decision), slices.Index(order, b.Decision)), -cmp.Compare(a.narrowness(), b.narrowness()))
	})
	return all[0].Decided, ""
}

// Settle keeps the answer to a permission.
func (j *Judge) Settle(key string, decision Decision) {
	for n := range j.claims {
		if j.claims[n].Permission.Key() == key {
			j.claims[n].Decision = decision
		}
	}
}

// narrowness orders permissions of one kind.
func (c claim) narrowness() int {
	if c.Permission.Kind != extension.Net {
		return len(c.path)
	}
	narrow := 0
	switch {
	case c.Permission.Host == "*":
	case strings.HasPrefix(c.Permission.Host, below):
		narrow += 2
	default:
		narrow += 4
	}
	if !slices.Contains(c.Permission.Ports, "*") {
		narrow++
	}
	return narrow
}

// hides says whether a path lies where a wide permission does not reach: in Portico's data, or among the processes.
func (j *Judge) hides(path, granted string) bool {
	for _, hole := range []string{j.data, processes} {
		if hole != "" && Within(path, hole) && !Within(granted, hole) {
			return true
		}
	}
	return false
}

// temporary is how Deno names the folder of temporary files.
const temporary = "<TMP>"

// locate gives the file that is really meant. A relative path counts from the extension's own folder, where a worker
// starts. Should the tool have changed the folder since, it was allowed to read that one, and with it all below; with ".."
// it could mean anything.
func (j *Judge) locate(value string) (path, strange string) {
	if value == temporary {
		value = os.TempDir()
	}
	if runtime.GOOS == "windows" {
		value = strings.TrimPrefix(value, `\\?\`)
	}
	switch {
	case value == "":
		return "", "it asks for every file at once"
	case filepath.IsAbs(value):
	case slices.Contains(strings.Split(filepath.ToSlash(value), "/"), ".."):
		return "", "a relative path with “..” leads nowhere certain; name the whole path"
	default:
		value = filepath.Join(j.own, value)
	}
	return real(filepath.Clean(value)), ""
}

// reaches says whether a permission covers an address: "example.com:443", "[::1]:80".
func reaches(p extension.Permission, address string) bool {
	end := strings.LastIndexByte(address, ':')
	host, port := address, ""
	if end >= 0 && !strings.HasSuffix(address, "]") {
		host, port = address[:end], address[end+1:]
	}
	if strings.HasPrefix(address, "unix:") || strings.HasPrefix(address, "vsock:") || host == "" {
		return false // a local service, or every host: no manifest can name them
	}
	if !names(p, host) {
		return false
	}
	return slices.Contains(p.Ports, "*") || port != "" && slices.Contains(p.Ports, port)
}

// Watched says whether a tool can only be held by a judge: something of it is asked about when it is used, or it has what
// flags can't say. Programs and foreign code go past a judge, so with one of those allowed everything is decided before
// the start.
func Watched(decided []Decided, places Places) bool {
	if StartsCode(decided) {
		return false
	}
	return slices.ContainsFunc(decided, func(d Decided) bool {
		switch {
		case !AskedInUse(d.Permission.Kind):
			return false
		case d.Decision == Ask:
			return true
		}
		return d.Decision == Allow && strings.Contains(places.Expand(d.Permission.Path), ",")
	})
}

// StartsCode says whether programs or foreign code are allowed.
func StartsCode(decided []Decided) bool {
	return slices.ContainsFunc(decided, func(d Decided) bool {
		return d.Decision == Allow && (d.Permission.Kind == extension.Run || d.Permission.Kind == extension.FFI)
	})
}

// AskedInUse says whether a kind of permission can be asked about when it is first used (architecture.md, Enforcement,
// twice).
func AskedInUse(kind extension.Kind) bool {
	switch kind {
	case extension.Read, extension.Write, extension.Net, extension.Sys:
		return true
	}
	return false
}
