package vault

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// secretService is one that does what no real one does when it is asked to: it answers some questions and never others, and
// its dialog stays open until a line comes in.
type secretService struct {
	bus  *dbus.Conn
	kind string // "silent": answers what it has, and nothing else; "dialog": is locked until the person answers

	mu     sync.Mutex
	locked bool
	items  map[dbus.ObjectPath]kept
}

type kept struct {
	attributes map[string]string
	secret     wireSecret
}

type wireSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

const (
	testPrompt  = dbus.ObjectPath("/org/freedesktop/secrets/prompt/p1")
	testSession = dbus.ObjectPath("/org/freedesktop/secrets/session/s1")
)

func serveSecrets(kind string) {
	bus, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		panic(err)
	}
	s := &secretService{bus: bus, kind: kind, locked: kind == "dialog", items: map[dbus.ObjectPath]kept{}}
	if err := bus.Auth(nil); err != nil {
		panic(err)
	}
	if err := bus.Hello(); err != nil {
		panic(err)
	}
	for _, e := range []struct {
		path       dbus.ObjectPath
		interface_ string
		methods    map[string]any
	}{
		{secretsPath, "org.freedesktop.DBus.Properties", map[string]any{"Get": s.get}},
		{loginPath, "org.freedesktop.DBus.Properties", map[string]any{"Get": s.get}},
		{secretsPath, serviceType, map[string]any{"OpenSession": s.openSession, "Unlock": s.unlock}},
		{loginPath, collection, map[string]any{"SearchItems": s.search, "CreateItem": s.create}},
		{testPrompt, promptType, map[string]any{"Prompt": s.prompt}},
		{testSession, "org.freedesktop.Secret.Session", map[string]any{"Close": func() *dbus.Error { return nil }}},
	} {
		if err := bus.ExportMethodTable(e.methods, e.path, e.interface_); err != nil {
			panic(err)
		}
	}
	if _, err := bus.RequestName(secrets, dbus.NameFlagDoNotQueue); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		dismissed := lines.Text() == "dismiss"
		s.mu.Lock()
		s.locked = dismissed
		s.mu.Unlock()
		if err := bus.Emit(testPrompt, promptType+".Completed", dismissed, dbus.MakeVariant([]dbus.ObjectPath{loginPath})); err != nil {
			panic(err)
		}
	}
}

func (s *secretService) hang() {
	if s.kind == "silent" {
		select {}
	}
}

func (s *secretService) get(_, name string) (dbus.Variant, *dbus.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "Collections" {
		return dbus.MakeVariant([]dbus.ObjectPath{loginPath}), nil
	}
	return dbus.MakeVariant(s.locked), nil
}

func (s *secretService) openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	s.hang()
	return dbus.MakeVariant(""), testSession, nil
}

func (s *secretService) unlock(paths []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	s.hang()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locked {
		return []dbus.ObjectPath{}, testPrompt, nil
	}
	return paths, noPath, nil
}

func (s *secretService) prompt(string) *dbus.Error {
	fmt.Println("dialog")
	return nil
}

func (s *secretService) search(wanted map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []dbus.ObjectPath{}
	for path, item := range s.items {
		if item.attributes["username"] == wanted["username"] {
			found = append(found, path)
		}
	}
	return found, nil
}

func (s *secretService) create(properties map[string]dbus.Variant, secret wireSecret, _ bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	s.mu.Lock()
	path := dbus.ObjectPath(fmt.Sprintf("%s/%d", loginPath, len(s.items)))
	attributes, _ := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
	s.items[path] = kept{attributes, secret}
	s.mu.Unlock()
	give := func(dbus.ObjectPath) (wireSecret, *dbus.Error) { return secret, nil }
	if err := s.bus.ExportMethodTable(map[string]any{"GetSecret": give}, path, "org.freedesktop.Secret.Item"); err != nil {
		panic(err)
	}
	return path, noPath, nil
}

// startService starts such a service.
func startService(t *testing.T, bus, kind string) *child {
	t.Helper()
	s := start(t, "service="+kind, bus)
	s.says("ready")
	return s
}

func (c *child) says(want string) {
	c.t.Helper()
	if !c.out.Scan() || c.out.Text() != want {
		c.t.Fatalf("the child says %q, not %q", c.out.Text(), want)
	}
}
