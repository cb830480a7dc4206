package deno

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"portico/backend/grant"
)

func TestALiveWorkerHasNoNewPrivilegesAndACleanEnvironment(t *testing.T) {
	t.Setenv("PORTICO_TEST_SECRET", "a secret")
	t.Setenv("OPENAI_API_KEY", "a secret")
	t.Setenv("LANG", "C.UTF-8")
	s := onStage(t, examples+"/permissions")
	s.person.decisions = map[string]grant.Decision{"env:LANG": grant.Allow, "read:$home": grant.Deny}
	s.warm("say_granted")
	w := s.waits()
	read := func(name string) string {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", w.process.Pid, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	status := read("status")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("its status lacks %q:\n%s", want, status)
		}
	}
	known := []string{"DENO_DIR", "DENO_NO_UPDATE_CHECK", "DENO_NO_PACKAGE_JSON", "NPM_CONFIG_REGISTRY", "JSR_URL", "NO_COLOR", "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ"}
	for _, pair := range strings.Split(strings.TrimRight(read("environ"), "\x00"), "\x00") {
		if name, _, _ := strings.Cut(pair, "="); !slices.Contains(known, name) {
			t.Errorf("it sees %s", pair)
		}
	}
	line := strings.Split(strings.TrimRight(read("cmdline"), "\x00"), "\x00")
	for _, want := range []string{"--no-prompt", "--no-remote", "--no-npm", "--no-config", "--allow-env=LANG", "--allow-read=."} {
		if !slices.Contains(line, want) {
			t.Errorf("its command line lacks %s: %q", want, line)
		}
	}
	for _, arg := range line {
		if strings.HasPrefix(arg, "--allow") && !slices.Contains([]string{"--allow-env=LANG", "--allow-read=."}, arg) {
			t.Errorf("it has %s", arg)
		}
	}
}
