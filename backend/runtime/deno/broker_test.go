package deno

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

// reachingWith is an extension whose one tool does to files and addresses what its arguments say, one after another, and tells
// how each went. permissions is the object of its manifest.
func reachingWith(t *testing.T, permissions string) *stage {
	t.Helper()
	return onStage(t, author(t, `
type Access = { do: "read" | "write" | "connect" | "sys" | "wait" | "temp" | "import" | "run"; at?: string };
export async function t({ accesses }: { accesses: Access[] }) {
  const went: string[] = [];
  for (const access of accesses) {
    try {
      went.push(await make(access));
    } catch (error) {
      went.push((error as Error).name);
    }
  }
  return went;
}
async function make({ do: what, at = "" }: Access): Promise<string> {
  switch (what) {
    case "read": return await Deno.readTextFile(at);
    case "write": await Deno.writeTextFile(at, "written"); return "wrote";
    case "temp": return (await Deno.makeTempFile()) && "made";
    case "sys": return typeof Deno.hostname();
    case "import": return (await import(at)).default;
    case "run": return new TextDecoder().decode((await new Deno.Command(at).output()).stdout);
    case "wait": await new Promise((done) => setTimeout(done, Number(at))); return "waited";
    case "connect": {
      const [hostname, port] = at.split(":");
      (await Deno.connect({ hostname, port: Number(port) })).close();
      return "connected";
    }
  }
}
`, map[string]string{"loca.json": `{"name":"reaching","displayName":"Reaching","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":` + permissions + `}]}`,
		"own.txt": "mine"}))
}

// goes makes accesses, "read /a/file", and says how each went.
func (s *stage) goes(want string, accesses ...string) {
	s.t.Helper()
	if got, err := s.call("t", accessing(accesses...)); err != nil || got != want {
		s.t.Errorf("%q: got %s, %s, want %s", accesses, got, detailed(err), want)
	}
}

func accessing(accesses ...string) string {
	all := []map[string]string{}
	for _, access := range accesses {
		do, at, _ := strings.Cut(access, " ")
		all = append(all, map[string]string{"do": do, "at": at})
	}
	data, err := json.Marshal(map[string]any{"accesses": all})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// answers settles every permission alike.
func (s *stage) answers(decision grant.Decision) {
	s.person.permit = func(undecided []extension.Permission) ([]grant.Answer, error) {
		all := make([]grant.Answer, len(undecided))
		for n := range all {
			all[n] = grant.Answer{Decision: decision, Lasting: grant.Once}
		}
		return all, nil
	}
}

// askedAbout gives the keys that were asked about since the last time.
func (s *stage) askedAbout() string {
	s.person.mu.Lock()
	defer s.person.mu.Unlock()
	all := strings.Join(s.person.permitted, " ")
	s.person.permitted = nil
	return all
}

const anyFiles = `{"read":[{"path":"$downloads","reason":"r"}],"write":[{"path":"$downloads","reason":"r"}],"sys":[{"flag":"hostname","reason":"r"}]}`

func (s *stage) downloads() string {
	s.t.Helper()
	folder := s.t.TempDir()
	s.instance.places.Downloads = folder
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("content"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return folder
}

func TestAPermissionIsAskedAboutWhenItIsFirstUsed(t *testing.T) {
	s := reachingWith(t, anyFiles)
	file := filepath.Join(s.downloads(), "a.txt")
	s.answers(grant.Allow)
	s.goes(`["waited","mine"]`, "wait 1", "read own.txt")
	if got := s.askedAbout(); got != "" {
		t.Errorf("asked about %s, and nothing was needed", got)
	}
	s.goes(`["content","content","wrote","string"]`, "read "+file, "read "+file, "write "+file, "sys")
	if got := s.askedAbout(); got != "read:$downloads write:$downloads sys:hostname" {
		t.Errorf("asked about %s, want each once, in the order of use", got)
	}
	s.goes(`["written"]`, "read "+file)
	if got := s.askedAbout(); got != "read:$downloads" {
		t.Errorf("asked about %s: what was allowed once is for one call", got)
	}
}

func TestADeniedAccessIsAnErrorThatTheToolCatches(t *testing.T) {
	s := reachingWith(t, anyFiles)
	folder := s.downloads()
	s.answers(grant.Deny)
	s.goes(`["NotCapable","NotCapable","NotCapable","mine"]`, "read "+folder+"/a.txt", "read "+folder+"/a.txt", "write "+folder+"/b.txt", "read own.txt")
	if got := s.askedAbout(); got != "read:$downloads write:$downloads" {
		t.Errorf("asked about %s, want each once: an answer is for the whole call", got)
	}
	if _, err := os.Stat(folder + "/b.txt"); err == nil {
		t.Error("it was written all the same")
	}
}

func TestWhatIsNotDeclaredIsRefusedUnderTheBrokerWithoutAsking(t *testing.T) {
	s := reachingWith(t, anyFiles)
	folder, other := s.downloads(), t.TempDir()
	secret := filepath.Join(other, "secret.txt")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink(secret, filepath.Join(folder, "link.txt"))); err != nil {
		t.Fatal(err)
	}
	s.answers(grant.Allow)
	for _, access := range []string{
		"read " + secret, "read " + folder + "/../" + filepath.Base(other) + "/secret.txt", "read " + folder + "/link.txt", "read ../../secret.txt", "read /etc/passwd", "read /proc/self/environ",
		"write " + secret, "write own.txt", "write " + s.ext.Root + "/own.txt", "write /dev/shm/portico-test",
		"connect 127.0.0.1:9", "run /bin/true", "import file://" + secret,
	} {
		got, err := s.call("t", accessing(access))
		if err != nil || !strings.Contains(`["NotCapable"] ["PermissionDenied"] ["TypeError"] ["NotFound"]`, got) {
			t.Errorf("%s: got %s, %s", access, got, detailed(err))
		}
	}
	if got := s.askedAbout(); got != "" {
		t.Errorf("asked about %s", got)
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file is now %q, %v", data, err)
	}
}

func TestAPathWithACommaCanBeGranted(t *testing.T) {
	s := reachingWith(t, `{"read":[{"path":"$downloads/a,b","reason":"r"}]}`)
	folder := s.downloads()
	for _, name := range []string{"a", "b", "a,b"} {
		if err := errors.Join(os.Mkdir(filepath.Join(folder, name), 0o700), os.WriteFile(filepath.Join(folder, name, "f"), []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s.person.allow("read:$downloads/a,b")
	s.goes(`["a,b","NotCapable","NotCapable"]`, "read "+folder+"/a,b/f", "read "+folder+"/a/f", "read "+folder+"/b/f")
}

func TestWhatIsTakenBackCountsInARunningCall(t *testing.T) {
	s := reachingWith(t, anyFiles)
	file := filepath.Join(s.downloads(), "a.txt")
	s.person.allow("read:$downloads")
	s.person.permit = func(undecided []extension.Permission) ([]grant.Answer, error) { // while writing is asked about, reading is taken back
		s.person.decisions["read:$downloads"] = grant.Deny
		s.instance.Refresh()
		return []grant.Answer{{Decision: grant.Allow, Lasting: grant.Once}}, nil
	}
	s.goes(`["content","wrote","NotCapable"]`, "read "+file, "write "+file, "read "+file)
}

func TestTheTimeLimitStandsStillWhileAPermissionIsAskedAbout(t *testing.T) {
	s := reachingWith(t, anyFiles)
	file := filepath.Join(s.downloads(), "a.txt")
	s.ext.Tool("t").TimeLimit = 600 * time.Millisecond
	s.person.permit = func([]extension.Permission) ([]grant.Answer, error) {
		time.Sleep(900 * time.Millisecond)
		return []grant.Answer{{Decision: grant.Allow, Lasting: grant.Once}}, nil
	}
	s.goes(`["content"]`, "read "+file)
	s.fails("t", accessing("read "+file, "wait 2000"), "call.timeout")
}

func TestACallThatIsCancelledWhileItAsksEnds(t *testing.T) {
	s := reachingWith(t, anyFiles)
	file := filepath.Join(s.downloads(), "a.txt")
	ctx, cancel := context.WithCancel(t.Context())
	s.person.permit = func([]extension.Permission) ([]grant.Answer, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	started := time.Now()
	if _, err := s.callWith(ctx, capability.Call{}, "t", accessing("read "+file)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAWorkerThatWaitsUnderTheBrokerTakesACall(t *testing.T) {
	s := reachingWith(t, anyFiles)
	file := filepath.Join(s.downloads(), "a.txt")
	s.warm("t")
	w := s.waits()
	if w == nil || w.broker == nil {
		t.Fatalf("got %+v, want one with a broker", w)
	}
	s.answers(grant.Allow)
	s.goes(`["content"]`, "read "+file)
	<-w.process.Exited()
	if _, err := os.Stat(filepath.Dir(w.broker.address)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its broker's folder is still there: %v", err)
	}
}

func TestNobodyIsAskedWhileAModuleLoads(t *testing.T) {
	s := onStage(t, author(t, `
let found = "nothing";
try { found = Deno.readTextFileSync("/etc/hostname"); } catch (error) { found = (error as Error).name; }
export const t = () => found;
`, map[string]string{"loca.json": `{"name":"eager","displayName":"Eager","description":"D","tools":[{"name":"t","description":"d","parameters":{"type":"object"},"function":"t","permissions":{"read":[{"path":"/etc","reason":"r"}]}}]}`}))
	s.answers(grant.Allow)
	s.works("t", `{}`, `"NotCapable"`)
	if got := s.askedAbout(); got != "" {
		t.Errorf("asked about %s", got)
	}
}

func TestTheBrokerAnswersItsOwnWorkerAlone(t *testing.T) {
	b, err := openBroker()
	if err != nil {
		t.Fatal(err)
	}
	b.use(func(extension.Kind, string) (bool, string) { return true, "" })
	go b.serve(os.Getpid() + 1) // ends with close
	forged, err := net.Dial("unix", b.address)
	if err != nil {
		t.Fatal(err)
	}
	defer forged.Close()
	forged.SetDeadline(time.Now().Add(5 * time.Second))
	forged.Write([]byte(`{"v":1,"pid":1,"id":1,"permission":"read","value":"/etc/passwd"}` + "\n"))
	if n, err := forged.Read(make([]byte, 100)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it was answered with %d bytes, %v", n, err)
	}
	if err := b.close(); err != nil {
		t.Error(err)
	}
}
