package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// noBus is the environment of a system without a session bus. The bus of whoever runs the tests must not be found.
const noBus = "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"

// contents gives every file below a folder, by its path.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func itemFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"+itemEnd))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAKeyringKeepsOneKeyAndTheVaultAnythingOfAnySize(t *testing.T) {
	bus := startBus(t)
	startKeyring(t, bus)
	folder := filepath.Join(t.TempDir(), "vault")
	c := start(t, "vault="+folder, bus)
	if s := c.state(Ready); len(s.Items) != 0 || s.HasPassphrase {
		t.Errorf("an empty vault says %+v", s)
	}
	if a := c.well("get", "none", ""); a.Found {
		t.Error("a value that nobody set")
	}
	large := strings.Repeat("twelve bytes", 700_000) // 8 MB; a keyring takes 2 to 3 kB
	values := map[string]string{
		"model:https://api.example.com/v1": "sk-first", "model:HTTPS://API.example.com/v1": "another case", "setting:loca:notes:TOKEN": "", "large": large,
		"ñandú › 🔑": "lines\nand \x00 zeros", strings.Repeat("long", 256): "x", "con": "a device on Windows", "../../out": "inside",
	}
	for name, value := range values {
		c.well("set", name, value)
	}
	c.well("set", "con", "changed")
	values["con"] = "changed"
	again := start(t, "vault="+folder, bus)
	for name, value := range values {
		c.is(name, value)
		again.is(name, value)
	}
	s := again.state(Ready)
	names := []string{}
	for _, item := range s.Items {
		names = append(names, item.Name)
		if item.Bytes != int64(len(values[item.Name])) {
			t.Errorf("%s has %d bytes", item.Name, item.Bytes)
		}
	}
	if len(names) != len(values) || !slices.IsSorted(names) || len(s.Damaged) != 0 {
		t.Errorf("listed are %q, damaged %q", names, s.Damaged)
	}
	for path, data := range contents(t, folder) {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
		for name, value := range values {
			if len(value) > 3 && strings.Contains(data, value) {
				t.Errorf("%s holds the value of %s", path, name)
			}
		}
		if strings.Contains(data, "AGE-SECRET-KEY") {
			t.Errorf("%s holds the key", path)
		}
	}
	c.well("remove", "con", "")
	c.well("remove", "con", "")
	if a := again.well("get", "con", ""); a.Found {
		t.Error("another process still finds what was removed")
	}
	if a := c.well("status", "", ""); a.Changes == 0 {
		t.Error("nobody was told of a change")
	}
}

func TestNamesThatNobodyCanSeeAreRefused(t *testing.T) {
	c := start(t, "vault="+t.TempDir(), noBus)
	for _, name := range []string{"", " ", "a\nb", "a\x00b", "a\u202eb", strings.Repeat("x", maxNameBytes+1)} {
		c.refused("vault.bad-name", "set", name, "the value")
	}
}

func TestWithoutAKeyringAPassphraseKeepsTheKey(t *testing.T) {
	bare := startBus(t)
	for name, env := range map[string]string{"no bus": noBus, "no Secret Service": bare} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			c := start(t, "vault="+folder, env)
			c.well("status", "", "").soon(t)
			if s := c.state(Missing); s.Words.Code != "vault.no-keyring" {
				t.Errorf("the words are %+v", s.Words)
			}
			c.refused("vault.no-keyring", "set", "a", "the value").soon(t)
			c.refused("vault.short-passphrase", "setPassphrase", "", "short")
			c.refused("vault.short-passphrase", "setPassphrase", "", "             ")
			c.refused("vault.long-passphrase", "setPassphrase", "", strings.Repeat("long ", 300))
			c.well("setPassphrase", "", "correct horse battery")
			if s := c.state(Ready); !s.HasPassphrase {
				t.Error("it does not say that a passphrase keeps it")
			}
			c.well("set", "a", "the value")

			next := start(t, "vault="+folder, env)
			if s := next.state(Passphrase); len(s.Items) != 1 || s.Items[0].Name != "a" {
				t.Errorf("a closed vault lists %+v", s.Items)
			}
			next.refused("vault.passphrase", "get", "a", "")
			next.refused("vault.passphrase", "set", "b", "another value")
			next.refused("vault.passphrase", "remove", "a", "")
			next.refused("vault.passphrase", "setPassphrase", "", "mine from now on")
			next.refused("vault.wrong-passphrase", "unlock", "", "wrong horse battery")
			next.refused("vault.wrong-passphrase", "unlock", "", "")
			if a := next.well("get", "unknown", ""); a.Found {
				t.Error("a closed vault has what is not there")
			}
			next.well("unlock", "", "correct horse battery")
			next.is("a", "the value")
			next.well("setPassphrase", "", "another one that is long")

			last := start(t, "vault="+folder, env)
			last.refused("vault.wrong-passphrase", "unlock", "", "correct horse battery")
			last.well("unlock", "", "another one that is long")
			last.is("a", "the value")
			for path, data := range contents(t, folder) {
				if strings.Contains(data, "horse") || strings.Contains(data, "AGE-SECRET-KEY") {
					t.Errorf("%s holds what opens the vault", path)
				}
			}
		})
	}
}

func TestNoBusIsStartedForTheKeyring(t *testing.T) {
	// With no address at all the library would start a bus of its own by dbus-launch, and leave it behind.
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	if err := os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte("#!/bin/sh\ntouch "+started+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := start(t, "vault="+t.TempDir(), "PATH="+bin)
	c.refused("vault.no-keyring", "set", "a", "the value")
	if _, err := os.Stat(started); err == nil {
		t.Error("a bus was started")
	}
}

func TestALockedKeyringIsToldAndWorksOnceItIsUnlocked(t *testing.T) {
	bus := startBus(t)
	k := startKeyring(t, bus)
	folder := t.TempDir()
	first := start(t, "vault="+folder, bus)
	first.well("set", "a", "the value")
	k.lock()
	first.is("a", "the value") // the key is known for as long as the process lives

	c := start(t, "vault="+folder, bus)
	if s := c.state(Locked); len(s.Items) != 1 {
		t.Errorf("a locked vault lists %+v", s.Items)
	}
	a := c.do("get", "a", "") // nobody is there to show a dialog
	a.soon(t)
	if code := a.code(); code != "vault.dismissed" && code != "vault.locked" {
		t.Errorf("got %+v", a.Problem)
	}
	c.refused("vault.locked", "set", "b", "another value").soon(t)
	c.refused("vault.out-of-reach", "setPassphrase", "", "correct horse battery")
	k.unlock()
	c.is("a", "the value")
	c.state(Ready)
}

func TestTheSystemsDialogIsWaitedForByNobodyAndItsAnswerCounts(t *testing.T) {
	bus := startBus(t)
	service := startService(t, bus, "dialog")
	folder := t.TempDir()
	c := start(t, "vault="+folder, bus)
	c.state(Locked) // looking shows no dialog
	c.refused("vault.locked", "set", "a", "the value").soon(t)
	service.says("dialog")
	for range 3 { // the dialog is open: nobody waits a second time, and there is no second dialog
		if a := c.refused("vault.locked", "set", "a", "the value"); a.TookMs >= KeyringWait.Milliseconds() {
			t.Errorf("it took %d ms", a.TookMs)
		}
	}
	if _, err := fmt.Fprintln(service.pipe, "unlock"); err != nil { // the person does
		t.Fatal(err)
	}
	for ends := time.Now().Add(20 * time.Second); c.do("set", "a", "the value").Problem != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(ends) {
			t.Fatal("the answer did not count")
		}
	}
	c.is("a", "the value")

	other := startBus(t)
	again := startService(t, other, "dialog")
	d := start(t, "vault="+t.TempDir(), other)
	d.refused("vault.locked", "set", "a", "the value")
	again.says("dialog")
	if _, err := fmt.Fprintln(again.pipe, "dismiss"); err != nil {
		t.Fatal(err)
	}
	for ends := time.Now().Add(20 * time.Second); d.well("waiting", "", "").Waiting > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(ends) {
			t.Fatal("a dismissed dialog is still waited for")
		}
	}
	if a := d.refused("vault.locked", "set", "a", "the value"); a.TookMs >= KeyringWait.Milliseconds() { // and is not shown again by itself
		t.Errorf("it took %d ms", a.TookMs)
	}
	d.refused("vault.locked", "retry", "", "").soon(t) // until the person asks for it
	again.says("dialog")
}

func TestAKeyringThatHangsBlocksNothing(t *testing.T) {
	t.Run("it is stopped", func(t *testing.T) {
		bus := startBus(t)
		k := startKeyring(t, bus)
		folder := t.TempDir()
		start(t, "vault="+folder, bus).well("set", "a", "the value")
		k.signal(syscall.SIGSTOP)
		c := start(t, "vault="+folder, bus)
		c.refused("vault.slow", "get", "a", "").soon(t)
		for range 5 { // it is left alone for a while
			if a := c.refused("vault.slow", "get", "a", ""); a.TookMs >= KeyringWait.Milliseconds() {
				t.Errorf("it took %d ms", a.TookMs)
			}
		}
		if s := c.state(Slow); len(s.Items) != 1 {
			t.Errorf("a vault out of reach lists %+v", s.Items)
		}
		if n := c.well("waiting", "", "").Waiting; n > 1 {
			t.Errorf("%d goroutines wait", n)
		}
		k.signal(syscall.SIGCONT)
		c.well("retry", "", "")
		c.is("a", "the value")
	})
	t.Run("it says what it has, and nothing more", func(t *testing.T) {
		bus := startBus(t)
		startService(t, bus, "silent")
		folder := t.TempDir()
		c := start(t, "vault="+folder, bus)
		c.state(Ready)
		c.refused("vault.slow", "set", "a", "the value").soon(t)
		for range 5 {
			for _, do := range []string{"set", "retry"} {
				if a := c.refused("vault.slow", do, "a", "the value"); a.TookMs >= KeyringWait.Milliseconds() {
					t.Errorf("%s took %d ms", do, a.TookMs)
				}
			}
		}
		if n := c.well("waiting", "", "").Waiting; n != 1 {
			t.Errorf("%d goroutines wait in a call that can't be cancelled, not 1", n)
		}
		c.well("setPassphrase", "", "correct horse battery") // the way out needs no keyring
		c.well("set", "a", "the value")
		c.is("a", "the value")
	})
}

func TestTheKeyMovesBetweenKeyringAndPassphrase(t *testing.T) {
	bus := startBus(t)
	k := startKeyring(t, bus)
	folder := t.TempDir()
	c := start(t, "vault="+folder, bus)
	c.well("set", "a", "the value")
	items := contents(t, folder)[itemFiles(t, folder)[0]]
	c.well("setPassphrase", "", "correct horse battery")
	if s := c.state(Ready); !s.HasPassphrase {
		t.Error("the passphrase does not keep it")
	}
	if n := k.keys(); n != 0 {
		t.Errorf("%d keys are left in the keyring", n)
	}
	next := start(t, "vault="+folder, bus)
	next.state(Passphrase)
	next.refused("vault.passphrase", "useKeyring", "", "")
	next.well("unlock", "", "correct horse battery")
	next.well("useKeyring", "", "")
	if n := k.keys(); n != 1 {
		t.Errorf("the keyring has %d keys, not 1", n)
	}
	last := start(t, "vault="+folder, bus)
	if s := last.state(Ready); s.HasPassphrase {
		t.Error("the passphrase still keeps it")
	}
	last.is("a", "the value")
	last.refused("vault.no-passphrase", "unlock", "", "correct horse battery")
	if now := contents(t, folder)[itemFiles(t, folder)[0]]; now != items {
		t.Error("moving the key wrote the items anew")
	}
}

func TestWhatCantBeDecryptedIsKept(t *testing.T) {
	bus := startBus(t)
	startKeyring(t, bus)
	fresh := func(t *testing.T) (string, *child) {
		folder := t.TempDir()
		c := start(t, "vault="+folder, bus)
		c.well("set", "a", "the first value")
		c.well("set", "b", "the second value")
		return folder, c
	}
	fileOf := func(t *testing.T, folder, name string) string {
		for file, data := range contents(t, folder) {
			if strings.HasSuffix(file, itemEnd) && strings.HasPrefix(data, `{"name":"`+name+`"`) {
				return file
			}
		}
		t.Fatalf("no file of %s", name)
		return ""
	}
	damage := map[string]func(data []byte) []byte{
		"a bit is flipped": func(data []byte) []byte { data[len(data)-3] ^= 1; return data },
		"it is cut off":    func(data []byte) []byte { return data[:len(data)-20] },
		"its head is gone": func(data []byte) []byte { return data[bytes.IndexByte(data, '\n')+1:] },
		"it is empty":      func([]byte) []byte { return nil },
	}
	for name, change := range damage {
		t.Run(name, func(t *testing.T) {
			folder, c := fresh(t)
			file := fileOf(t, folder, "a")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			damaged := change(data)
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if a := c.refused("vault.damaged", "get", "a", ""); a.Problem.Where != file {
				t.Errorf("it does not say where: %+v", a.Problem)
			}
			c.refused("vault.damaged", "set", "a", "the third value")
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, damaged) {
				t.Errorf("the file was changed: %v", err)
			}
			c.is("b", "the second value")
			c.well("remove", "a", "") // as the person asks for it: it goes aside
			kept := false
			for _, data := range contents(t, folder) {
				kept = kept || data == string(damaged)
			}
			if !kept {
				t.Error("the file is gone")
			}
			c.well("set", "a", "the third value")
			c.is("a", "the third value")
		})
	}
	t.Run("a file in the place of another gives no value", func(t *testing.T) {
		folder, c := fresh(t)
		data, err := os.ReadFile(fileOf(t, folder, "a"))
		if err == nil {
			data = bytes.Replace(data, []byte(`"name":"a"`), []byte(`"name":"b"`), 1)
			err = os.WriteFile(fileOf(t, folder, "b"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.refused("vault.damaged", "get", "b", "")
	})
	t.Run("the seal is damaged", func(t *testing.T) {
		folder, _ := fresh(t)
		file := filepath.Join(folder, sealFile)
		for _, text := range []string{"", "{", "null", `{"id":"../..","recipient":"age1","keptIn":"keyring"}`} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			before := contents(t, folder)
			c := start(t, "vault="+folder, bus)
			c.state(Broken)
			c.refused("vault.bad-seal", "get", "a", "")
			c.refused("vault.bad-seal", "set", "a", "the third value")
			c.refused("vault.bad-seal", "remove", "a", "")
			c.refused("vault.bad-seal", "setPassphrase", "", "correct horse battery")
			if after := contents(t, folder); !sameFiles(before, after) {
				t.Errorf("with the seal %q the files were changed", text)
			}
		}
	})
	t.Run("the keyring has no key, or another one", func(t *testing.T) {
		folder, _ := fresh(t)
		elsewhere := startBus(t)
		startKeyring(t, elsewhere)
		before := contents(t, folder)
		c := start(t, "vault="+folder, elsewhere)
		if s := c.state(Broken); len(s.Items) != 2 {
			t.Errorf("listed are %+v", s.Items)
		}
		c.refused("vault.no-key", "get", "a", "")
		c.refused("vault.no-key", "set", "c", "the third value")
		c.refused("vault.out-of-reach", "setPassphrase", "", "correct horse battery")
		if !sameFiles(before, contents(t, folder)) {
			t.Error("the files were changed")
		}
		kept := c.well("startAnew", "", "").Value
		c.well("set", "a", "the third value")
		c.is("a", "the third value")
		after := contents(t, folder)
		for path, data := range before {
			if filepath.Base(path) != sealFile && after[path] != data {
				t.Errorf("%s was changed", path)
			}
		}
		if after[kept] != before[filepath.Join(folder, sealFile)] {
			t.Errorf("%s does not say how the one before is opened", kept)
		}
		// With what was kept, the vault before is as it was.
		if err := os.WriteFile(filepath.Join(folder, sealFile), []byte(after[kept]), 0o600); err != nil {
			t.Fatal(err)
		}
		start(t, "vault="+folder, bus).is("a", "the first value")
		// A seal of another key, with the first one's name.
		mine, _, err := newSeal()
		if err != nil {
			t.Fatal(err)
		}
		var s seal
		if err := json.Unmarshal([]byte(before[filepath.Join(folder, sealFile)]), &s); err != nil {
			t.Fatal(err)
		}
		s.Recipient = mine.Recipient
		data, err := json.Marshal(s)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, sealFile), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		c = start(t, "vault="+folder, bus)
		c.refused("vault.wrong-key", "set", "a", "the third value")
		c.state(Broken)
	})
}

func sameFiles(before, after map[string]string) bool {
	for path, data := range before {
		if after[path] != data {
			return false
		}
	}
	for path := range after {
		if _, was := before[path]; !was && filepath.Base(path) != turnFile {
			return false
		}
	}
	return true
}

func TestTwoProcessesThatBeginAtOnceShareOneKey(t *testing.T) {
	bus := startBus(t)
	k := startKeyring(t, bus)
	folder := filepath.Join(t.TempDir(), "vault")
	children := []*child{start(t, "vault="+folder, bus), start(t, "vault="+folder, bus), start(t, "vault="+folder, bus)}
	answers := make(chan childAnswer)
	for n, c := range children {
		go func() {
			answers <- c.ask(childOrder{Do: "setMany", Name: fmt.Sprintf("of %d: ", n), Value: "the value", Times: 25})
		}()
	}
	for range children {
		if a := <-answers; a.Problem != nil {
			t.Fatalf("%v\n%s", a.Problem, a.Problem.Detail)
		}
	}
	if n := k.keys(); n != 1 {
		t.Errorf("the keyring has %d keys, not 1", n)
	}
	for n := range children {
		for m := range 25 {
			children[(n+1)%len(children)].is(fmt.Sprintf("of %d: %d", n, m), "the value")
		}
	}
}

// writeForEver sets one name to ever newer values, and says which are set.
func writeForEver(folder string) {
	v := Open(Options{Folder: folder, WorkFactor: childWorkFactor})
	ctx := context.Background()
	if err := v.Unlock(ctx, "correct horse battery"); err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		if err := v.Set(ctx, "a", fmt.Sprintf("%d %s", n, strings.Repeat("x", 200_000))); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

func TestAKilledProcessLeavesTheOldValueOrTheNewOne(t *testing.T) {
	folder := t.TempDir()
	c := start(t, "vault="+folder, noBus)
	c.well("setPassphrase", "", "correct horse battery")
	c.well("set", "a", "0 ")
	for round := range 12 {
		writer := start(t, "writer="+folder, noBus)
		said := ""
		for range 1 + round%4 {
			if !writer.out.Scan() {
				t.Fatal("the writer ended")
			}
			said = writer.out.Text()
		}
		time.Sleep(time.Duration(round) * 700 * time.Microsecond) // somewhere within a write
		if err := writer.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for writer.out.Scan() { // what it had set before it was killed
			said = writer.out.Text()
		}
		writer.cmd.Wait()
		number, _, _ := strings.Cut(c.well("get", "a", "").Value, " ")
		var have, least int
		fmt.Sscan(number, &have)
		fmt.Sscan(said, &least)
		if have != least && have != least+1 {
			t.Errorf("%d was set, and there is %d", least, have)
		}
	}
	c.well("set", "a", "last")
	for path := range contents(t, folder) {
		if name := filepath.Base(path); strings.HasPrefix(name, ".") && name != turnFile {
			t.Errorf("left behind: %s", path)
		}
	}
	c.is("a", "last")
}

func TestASecretIsOnNoCommandLineAndInNoEnvironment(t *testing.T) {
	bus := startBus(t)
	startKeyring(t, bus)
	c := start(t, "vault="+t.TempDir(), bus)
	c.well("set", "a", "sk-unmistakable")
	c.is("a", "sk-unmistakable")
	for _, file := range []string{"cmdline", "environ"} {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.cmd.Process.Pid, file))
		if err != nil || bytes.Contains(data, []byte("sk-unmistakable")) || bytes.Contains(data, []byte("AGE-SECRET")) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if out, err := exec.Command("ps", "-eo", "args").Output(); err == nil && bytes.Contains(out, []byte("sk-unmistakable")) {
		t.Error("a process was started with it")
	}
}
