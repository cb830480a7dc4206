package vault

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/backend/extension"
)

// The library keeps one connection to the session bus for the whole process, so each test uses the vault in processes of its
// own, which are this test's binary in another part.
const partVariable = "PORTICO_VAULT_TEST_PART"

const childWorkFactor = 10 // of scrypt: quick

func TestMain(m *testing.M) {
	switch part, argument, _ := strings.Cut(os.Getenv(partVariable), "="); part {
	case "":
		goleak.VerifyTestMain(m)
	case "vault":
		serveVault(argument)
	case "writer":
		writeForEver(argument)
	case "service":
		serveSecrets(argument)
	}
}

// order is what a child is told, one a line.
type childOrder struct {
	Do    string `json:"do"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"` // or a passphrase
	Times int    `json:"times,omitempty"`
}

type childAnswer struct {
	Value   string             `json:"value,omitempty"`
	Found   bool               `json:"found,omitempty"`
	Status  *Status            `json:"status,omitempty"`
	Problem *extension.Problem `json:"problem,omitempty"`
	Waiting int                `json:"waiting,omitempty"` // goroutines in the library
	Changes int                `json:"changes,omitempty"`
	TookMs  int64              `json:"tookMs"`
}

func serveVault(folder string) {
	changes := make(chan struct{}, 1000)
	v := Open(Options{Folder: folder, WorkFactor: childWorkFactor, Changed: func() { changes <- struct{}{} }})
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		var order childOrder
		if err := json.Unmarshal(lines.Bytes(), &order); err != nil {
			panic(err)
		}
		begun := time.Now()
		answer := obey(v, order)
		answer.TookMs = time.Since(begun).Milliseconds()
		answer.Changes = len(changes)
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}

func obey(v *Vault, o childOrder) (a childAnswer) {
	ctx := context.Background()
	var err error
	switch o.Do {
	case "get":
		a.Value, a.Found, err = v.Get(ctx, o.Name)
	case "set":
		err = v.Set(ctx, o.Name, o.Value)
	case "setMany":
		for n := range o.Times {
			err = errors.Join(err, v.Set(ctx, fmt.Sprintf("%s%d", o.Name, n), o.Value))
		}
	case "remove":
		err = v.Remove(ctx, o.Name)
	case "unlock":
		err = v.Unlock(ctx, o.Value)
	case "setPassphrase":
		err = v.SetPassphrase(ctx, o.Value)
	case "useKeyring":
		err = v.UseKeyring(ctx)
	case "startAnew":
		a.Value, err = v.StartAnew(ctx, o.Value)
	case "retry":
		err = v.Retry(ctx)
	case "status":
		var s Status
		s, err = v.Status(ctx)
		a.Status = &s
	case "waiting":
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, stack := range bytes.Split(stacks, []byte("\n\n")) {
			if bytes.Contains(stack, []byte("patient).answer")) {
				a.Waiting++
			}
		}
	default:
		panic("no order " + o.Do)
	}
	if err != nil {
		a.Problem = extension.AsProblem(err, "test.bare", "A bare error.", "")
	}
	return a
}

// child is a process that uses a vault.
type child struct {
	t    *testing.T
	cmd  *exec.Cmd
	pipe io.Writer
	in   *json.Encoder
	out  *bufio.Scanner
}

// start starts a part of this test as a process, which ends with the test.
func start(t *testing.T, part string, env ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append([]string{partVariable + "=" + part, "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=halt_on_error=1"}, env...) // the last of a name counts
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	c := &child{t: t, cmd: cmd, pipe: in, in: json.NewEncoder(in), out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 64<<20)
	return c
}

func (c *child) ask(o childOrder) childAnswer {
	c.t.Helper()
	if err := c.in.Encode(o); err != nil {
		c.t.Fatal(err)
	}
	if !c.out.Scan() {
		c.t.Fatalf("the child ended: %v", c.out.Err())
	}
	var a childAnswer
	if err := json.Unmarshal(c.out.Bytes(), &a); err != nil {
		c.t.Fatalf("%s: %v", c.out.Bytes(), err)
	}
	return a
}

func (c *child) do(do, name, value string) childAnswer {
	c.t.Helper()
	return c.ask(childOrder{Do: do, Name: name, Value: value})
}

func (a childAnswer) code() string {
	if a.Problem == nil {
		return ""
	}
	return a.Problem.Code
}

// well says that something worked.
func (c *child) well(do, name, value string) childAnswer {
	c.t.Helper()
	a := c.do(do, name, value)
	if a.Problem != nil {
		c.t.Fatalf("%s %s: %v\n%s", do, name, a.Problem, a.Problem.Detail)
	}
	return a
}

// refused says that something ended in one Problem, with words for the next step, and with none of the secrets.
func (c *child) refused(code, do, name, value string) childAnswer {
	c.t.Helper()
	a := c.do(do, name, value)
	if a.code() != code {
		c.t.Fatalf("%s %s: got %+v, not %s", do, name, a.Problem, code)
	}
	if a.Problem.What == "" || a.Problem.Next == "" && code != "vault.no-passphrase" {
		c.t.Errorf("%s has no words: %+v", code, a.Problem)
	}
	if value != "" && strings.Contains(fmt.Sprintf("%+v", a.Problem), value) {
		c.t.Errorf("%s holds what was to be kept: %+v", code, a.Problem)
	}
	return a
}

// is says that a value is there.
func (c *child) is(name, value string) {
	c.t.Helper()
	if a := c.well("get", name, ""); !a.Found || a.Value != value {
		c.t.Errorf("%s is %q (%v), not %q", name, a.Value, a.Found, value)
	}
}

func (c *child) state(want State) *Status {
	c.t.Helper()
	a := c.well("status", "", "")
	if a.Status.State != want {
		c.t.Fatalf("the state is %s, not %s: %+v", a.Status.State, want, a.Status.Words)
	}
	if (want == Ready) != (a.Status.Words == nil) {
		c.t.Errorf("in state %s the words are %+v", want, a.Status.Words)
	}
	return a.Status
}

// soon says that no answer took longer than a keyring may, and what else there is to do.
func (a childAnswer) soon(t *testing.T) {
	t.Helper()
	if limit := (KeyringWait + 10*time.Second).Milliseconds(); a.TookMs > limit {
		t.Errorf("it took %d ms", a.TookMs)
	}
}
