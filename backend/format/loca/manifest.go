package loca

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"portico/backend/extension"
	"portico/backend/schema"
)

// The rules of loca-notes.md, 1.
const (
	maxReason = 500 // characters
	maxPort   = 65535
	// maxTools and maxTriggers are far beyond any real manifest and keep one from filling the app.
	maxTools    = 1000
	maxTriggers = 200
)

var (
	toolName  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	envKey    = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	npmName   = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-zA-Z0-9~_-][a-zA-Z0-9._~-]*$`)
	exporting = regexp.MustCompile(`^[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$_\x{200c}\x{200d}]*$`)
	host      = regexp.MustCompile(`^(\*|(\*\.)?[^*\s,/\\\x00]+)$`)
	drive     = regexp.MustCompile(`^[A-Za-z]:`)
)

var platforms = []string{"darwin", "windows", "linux", "linux_x11", "linux_wayland"}

// maxID is npm's own limit on a package's name.
const maxID = 214

// manifest collects what is wrong while it reads.
type manifest struct {
	issues []extension.Issue
}

func (m *manifest) broken(place, what string) {
	m.issues = append(m.issues, extension.Issue{Place: place, What: what})
}

func (m *manifest) warn(place, what string) {
	m.issues = append(m.issues, extension.Issue{Place: place, What: what, Warning: true})
}

// fields reads an object strictly: unknown keys are broken rules.
func (m *manifest) fields(value any, place string, known ...string) (object, bool) {
	o, ok := value.(object)
	if !ok {
		m.broken(place, "must be an object")
		return nil, false
	}
	for _, member := range o {
		if !slices.Contains(known, member.key) {
			m.broken(at(place, member.key), "is not a field of this format; there are "+strings.Join(known, ", "))
		}
	}
	return o, true
}

func at(place, key string) string {
	if place == "" {
		return key
	}
	return place + "." + key
}

// text reads a text; a required one must not be empty. One of nothing but spaces keeps the format's rule (at least one
// character) and shows nothing, so it is a warning.
func (m *manifest) text(o object, place, key string, required bool) string {
	value, present := o.get(key)
	if !present {
		if required {
			m.broken(at(place, key), "is missing")
		}
		return ""
	}
	s, ok := value.(string)
	switch {
	case !ok:
		m.broken(at(place, key), "must be a text")
	case required && s == "":
		m.broken(at(place, key), "must not be empty")
	case required && strings.TrimSpace(s) == "":
		m.warn(at(place, key), "is blank: nobody can read it")
	}
	return s
}

func (m *manifest) truth(o object, place, key string) bool {
	value, present := o.get(key)
	b, ok := value.(bool)
	if present && !ok {
		m.broken(at(place, key), "must be true or false")
	}
	return b
}

func (m *manifest) list(o object, place, key string) []any {
	value, present := o.get(key)
	l, ok := value.([]any)
	if present && !ok {
		m.broken(at(place, key), "must be a list")
	}
	return l
}

func (m *manifest) texts(o object, place, key string) []string {
	var all []string
	for n, item := range m.list(o, place, key) {
		s, ok := item.(string)
		if !ok || s == "" {
			m.broken(fmt.Sprintf("%s[%d]", at(place, key), n), "must be a text that is not empty")
			continue
		}
		all = append(all, s)
	}
	return all
}

func (m *manifest) read(root any) *extension.Extension {
	ext := &extension.Extension{Format: extension.Loca, Tools: []extension.Tool{}}
	o, ok := root.(object)
	if !ok {
		m.broken(marker, "must hold one object")
		return ext
	}
	m.fields(o, "", "$schema", "name", "displayName", "description", "license", "homepage", "database", "tools", "memories")
	ext.ID = m.text(o, "", "name", true)
	if ext.ID != "" && !nameable(ext.ID) {
		m.broken("name", "must be a name as npm has them, such as loca-extension-wordcount or @you/loca-extension-wordcount")
	}
	ext.DisplayName = m.text(o, "", "displayName", true)
	ext.Description = m.text(o, "", "description", true)
	ext.License = m.text(o, "", "license", false)
	ext.Homepage = m.link(o, "homepage", []string{"http", "https"})
	m.link(o, "$schema", nil)
	ext.Database = m.truth(o, "", "database")
	tools := m.list(o, "", "tools")
	if len(tools) > maxTools {
		m.broken("tools", fmt.Sprintf("there are %d; at most %d are read", len(tools), maxTools))
		tools = tools[:maxTools]
	}
	for n, value := range tools {
		ext.Tools = append(ext.Tools, m.tool(value, fmt.Sprintf("tools[%d]", n)))
	}
	m.distinct(ext.Tools)
	for n, value := range m.list(o, "", "memories") {
		if memory, ok := m.memory(value, fmt.Sprintf("memories[%d]", n)); ok {
			ext.Memories = append(ext.Memories, memory)
		}
	}
	return ext
}

// nameable says whether a name can be a folder's on every system and be found again in the lock, where "@scope/name" is
// "@scope__name".
func nameable(name string) bool {
	scope, _, scoped := strings.Cut(name, "/")
	return len(name) <= maxID && npmName.MatchString(name) && !strings.Contains(name, "..") && !strings.HasSuffix(name, ".") &&
		!(scoped && strings.Contains(scope, "__"))
}

// link reads a web address; "" is none.
func (m *manifest) link(o object, key string, schemes []string) string {
	link := m.text(o, "", key, false)
	if value, _ := o.get(key); value != any(link) {
		return "" // not there, or no text: text has said so
	}
	parsed, err := url.Parse(link)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" && schemes != nil || schemes != nil && !slices.Contains(schemes, parsed.Scheme) {
		m.broken(key, "must be a web address")
		return ""
	}
	return link
}

func (m *manifest) distinct(tools []extension.Tool) {
	first := map[string]int{}
	for n, tool := range tools {
		if tool.Name == "" {
			continue
		}
		if before, double := first[tool.Name]; double {
			m.broken(fmt.Sprintf("tools[%d].name", n), fmt.Sprintf("%q is the name of tools[%d] already", tool.Name, before))
			continue
		}
		first[tool.Name] = n
	}
}

func (m *manifest) tool(value any, place string) extension.Tool {
	tool := extension.Tool{TimeLimit: callLimit, Effect: extension.ReadsOnly}
	o, ok := m.fields(value, place, "name", "description", "parameters", "function", "triggers", "alwaysAvailable", "platforms", "permissions")
	if !ok {
		return tool
	}
	tool.Name = m.text(o, place, "name", true)
	if tool.Name != "" && !toolName.MatchString(tool.Name) {
		m.broken(at(place, "name"), "must be 1 to 64 letters, digits, _ or -")
	}
	tool.Description = m.text(o, place, "description", true)
	tool.Function = m.text(o, place, "function", true)
	if tool.Function != "" && !exporting.MatchString(tool.Function) { // `export { x as "a b" }` can have it, and hardly any author means it
		m.warn(at(place, "function"), "is hardly the name of an export")
	}
	tool.Schema = m.parameters(o, place)
	tool.Triggers = m.triggers(o, place)
	if len(tool.Triggers) > maxTriggers {
		m.broken(at(place, "triggers"), fmt.Sprintf("there are %d; at most %d are read", len(tool.Triggers), maxTriggers))
	}
	tool.AlwaysAvailable = m.truth(o, place, "alwaysAvailable")
	tool.Platforms = m.texts(o, place, "platforms")
	for n, platform := range tool.Platforms {
		if !slices.Contains(platforms, platform) {
			m.broken(fmt.Sprintf("%s[%d]", at(place, "platforms"), n), "must be one of "+strings.Join(platforms, ", "))
		}
	}
	if permissions, present := o.get("permissions"); present {
		tool.Permissions = m.permissions(permissions, at(place, "permissions"))
	}
	for _, p := range tool.Permissions {
		if mutating(p) {
			tool.Effect = extension.Mutates
		}
	}
	return tool
}

// mutating says whether a permission lets a tool write, run or send something: such a tool is out in plan mode.
func mutating(p extension.Permission) bool {
	switch p.Kind {
	case extension.Write, extension.Run, extension.Net, extension.FFI:
		return true
	case extension.Memories:
		return p.Access == "write"
	}
	return false
}

// triggers leaves out those that say nothing; no rule of the format is against them.
func (m *manifest) triggers(o object, place string) []string {
	var all []string
	for n, item := range m.list(o, place, "triggers") {
		where := fmt.Sprintf("%s[%d]", at(place, "triggers"), n)
		s, ok := item.(string)
		switch {
		case !ok:
			m.broken(where, "must be a text")
		case strings.TrimSpace(s) == "":
			m.warn(where, "says nothing; it is left out")
		default:
			all = append(all, s)
		}
	}
	return all
}

func (m *manifest) parameters(o object, place string) json.RawMessage {
	place = at(place, "parameters")
	value, present := o.get("parameters")
	if !present {
		m.broken(place, "is missing")
		return nil
	}
	if _, ok := value.(object); !ok {
		m.broken(place, "must be an object: a JSON Schema")
		return nil
	}
	source := raw(value)
	// The manual does not ask for a usable schema at install, and the public host installs without: a warning here, and
	// each call of the tool says so.
	if _, err := schema.Compile(source); err != nil {
		m.warn(place, err.Error())
	}
	return source
}

// permissionFields are the fields of each kind's entries, besides reason and optional.
var permissionFields = map[extension.Kind][]string{
	extension.Net: {"host", "ports"}, extension.Read: {"path"}, extension.Write: {"path"}, extension.Run: {"binary"}, extension.Env: {"key"},
	extension.FFI: nil, extension.Sys: {"flag"}, extension.Memories: {"access"}, extension.LLM: nil, extension.TTS: nil, extension.STT: nil,
}

func (m *manifest) permissions(value any, place string) []extension.Permission {
	names := make([]string, len(extension.Kinds))
	for n, kind := range extension.Kinds {
		names[n] = string(kind)
	}
	o, ok := m.fields(value, place, names...)
	if !ok {
		return nil
	}
	var all []extension.Permission
	seen := map[string]string{}
	for _, kind := range extension.Kinds {
		for n, entry := range m.list(o, place, string(kind)) {
			where := fmt.Sprintf("%s.%s[%d]", place, kind, n)
			p, ok := m.permission(kind, entry, where)
			if !ok {
				continue
			}
			if before, double := seen[p.Key()]; double {
				m.warn(where, "asks for what "+before+" asks for already; it is left out")
				continue
			}
			seen[p.Key()] = where
			all = append(all, p)
		}
	}
	return all
}

func (m *manifest) permission(kind extension.Kind, value any, place string) (extension.Permission, bool) {
	p := extension.Permission{Kind: kind}
	o, ok := value.(object)
	if !ok {
		m.broken(place, "must be an object")
		return p, false
	}
	known := append(slices.Clone(permissionFields[kind]), "reason", "optional")
	for _, member := range o {
		if !slices.Contains(known, member.key) { // the runtime validator drops these, the published schema refuses them
			m.warn(at(place, member.key), "is not a field of a "+string(kind)+" permission; it is left out")
		}
	}
	before := len(m.issues)
	p.Reason = m.text(o, place, "reason", true)
	if utf8.RuneCountInString(p.Reason) > maxReason {
		m.broken(at(place, "reason"), fmt.Sprintf("must have at most %d characters", maxReason))
	}
	p.Optional = m.truth(o, place, "optional")
	switch kind {
	case extension.Net:
		p.Host = m.text(o, place, "host", true)
		if p.Host != "" && !host.MatchString(p.Host) {
			m.broken(at(place, "host"), `must be a host's name or address, "*.example.com" for those below one, or "*"`)
		}
		p.Ports = m.ports(o, place)
	case extension.Read, extension.Write:
		p.Path = m.text(o, place, "path", true)
		if strings.ContainsRune(p.Path, 0) {
			m.broken(at(place, "path"), "must not hold a NUL")
		} else if p.Path != "" && !anchored(p.Path) {
			m.warn(at(place, "path"), "is neither absolute nor starts with a template ("+strings.Join(templates, ", ")+"): it grants nothing")
		} else if variable := variableOf(p.Path); variable != "" && !slices.Contains(extension.FolderVariables, variable) {
			m.warn(at(place, "path"), "starts with a variable that stands for no folder (only "+strings.Join(extension.FolderVariables, ", ")+" do): it grants nothing")
		}
	case extension.Run:
		p.Binary = m.text(o, place, "binary", true)
		if strings.ContainsAny(p.Binary, "\x00\n\r") {
			m.broken(at(place, "binary"), "must be the name or the path of one program")
		}
	case extension.Env:
		p.EnvKey = m.text(o, place, "key", true)
		if p.EnvKey != "" && !envKey.MatchString(p.EnvKey) {
			m.broken(at(place, "key"), "must be a variable's name in capitals, such as API_TOKEN")
		}
	case extension.Sys:
		p.Flag = m.text(o, place, "flag", true)
		if strings.ContainsAny(p.Flag, " ,\t\r\n\x00") {
			m.broken(at(place, "flag"), "must be one name, such as hostname")
		}
	case extension.Memories:
		p.Access = m.text(o, place, "access", true)
		if p.Access != "" && p.Access != "read" && p.Access != "write" {
			m.broken(at(place, "access"), `must be "read" or "write"`)
		}
	}
	for _, issue := range m.issues[before:] {
		if !issue.Warning {
			return p, false
		}
	}
	return p, true
}

// templates are what a path may start with (loca-extensions.md, Permissions).
var templates = []string{"$home", "$downloads", "$models", "$sessions", "$extension", "$env.VAR"}

// anchored says whether a path names a place: an absolute one of any system, or one below a template.
func anchored(p string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(p, `\`, "/"), "/")
	return first == "" || drive.MatchString(p) || slices.Contains(templates[:len(templates)-1], first) ||
		strings.HasPrefix(first, "$env.") && len(first) > len("$env.")
}

// variableOf is the variable that a path starts with; empty when it starts with none.
func variableOf(p string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(p, `\`, "/"), "/")
	variable, _ := strings.CutPrefix(first, "$env.")
	if variable == first {
		return ""
	}
	return variable
}

func (m *manifest) ports(o object, place string) []string {
	place = at(place, "ports")
	value, present := o.get("ports")
	list, ok := value.([]any)
	switch {
	case !present:
		m.broken(place, "is missing")
	case !ok:
		m.broken(place, "must be a list")
	case len(list) == 0:
		m.broken(place, `must name at least one port, or "*"`)
	}
	var ports []string
	for n, item := range list {
		number, isNumber := item.(json.Number)
		port, err := number.Float64() // 443.0 is a whole number of JSON's too
		switch {
		case item == "*":
			ports = append(ports, "*")
		case isNumber && err == nil && port == math.Trunc(port) && port >= 1 && port <= maxPort:
			ports = append(ports, strconv.Itoa(int(port)))
		default:
			m.broken(fmt.Sprintf("%s[%d]", place, n), `must be a whole number from 1 to 65535, or "*"`)
		}
	}
	return ports
}

func (m *manifest) memory(value any, place string) (extension.Memory, bool) {
	o, ok := m.fields(value, place, "kind", "path")
	if !ok {
		return extension.Memory{}, false
	}
	memory := extension.Memory{Kind: m.text(o, place, "kind", true), Path: m.text(o, place, "path", true)}
	if memory.Kind != "" && memory.Kind != "knowledge" && memory.Kind != "skill" {
		m.broken(at(place, "kind"), `must be "knowledge" or "skill"`)
		ok = false
	}
	if why := escapes(memory.Path); memory.Path != "" && why != "" {
		m.broken(at(place, "path"), why)
		ok = false
	}
	memory.Path = cleanPath(memory.Path)
	return memory, ok && memory.Path != ""
}

// escapes says why a path leads out of the extension; empty when it stays inside. Both slashes count on every system.
func escapes(p string) string {
	switch {
	case p == "":
		return "is empty"
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`):
		return "must not be absolute"
	case drive.MatchString(p):
		return "must not name a drive"
	case strings.ContainsRune(p, 0):
		return "must not hold a NUL"
	}
	for _, step := range strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }) {
		if step == ".." {
			return "must stay inside the extension: no .. in it"
		}
	}
	return ""
}
