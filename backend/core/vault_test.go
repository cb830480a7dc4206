package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"portico/backend/event"
	"portico/backend/extension"
	"portico/backend/session"
	"portico/backend/vault"
)

const passphrase = "correct horse battery"

// withPassphrase opens a core whose vault a passphrase keeps: the keyring of whoever runs the tests is left alone.
func withPassphrase(t *testing.T, data string) *Core {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
	c := open(t, data)
	// Deriving a key from a passphrase takes a second by intention; not in every test.
	c.vault = vault.Open(vault.Options{Folder: c.places.Vault, WorkFactor: 10, Changed: func() { c.Events.Publish(event.Event{Topic: event.Vault}) }})
	s, err := c.VaultStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.HasPassphrase {
		err = c.UnlockVault(t.Context(), passphrase)
	} else {
		err = c.SetVaultPassphrase(t.Context(), passphrase)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// keyed is a model server that wants a key, and repeats it in its refusals.
func keyed(t *testing.T, key string) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"this is no key: %s"}}`, r.Header.Get("Authorization"))
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[{"id":"m"}]}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", asked
}

func TestAModelsKeyIsKeptInTheVaultAndSentToItsServer(t *testing.T) {
	data := t.TempDir()
	c := withPassphrase(t, data)
	const key = "sk-unmistakable-key"
	address, _ := keyed(t, key)
	var p *extension.Problem
	if _, err := c.ListModels(t.Context(), address); !errors.As(err, &p) || p.Code != "model.refused-key" {
		t.Fatalf("without a key: got %v", err)
	}
	if err := c.SetModelKey(t.Context(), strings.TrimPrefix(address, "http://"), " "+key+"\n"); err != nil { // as a person writes both
		t.Fatal(err)
	}
	if has, err := c.HasModelKey(address); err != nil || !has {
		t.Errorf("has it: %v %v", has, err)
	}
	if models, err := c.ListModels(t.Context(), address+"/"); err != nil || len(models) != 1 {
		t.Errorf("with the key: got %v %v", models, err)
	}
	if _, _, err := c.ChooseModel(t.Context(), address, "m"); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, c)
	if _, err := c.Send(t.Context(), s.ID, "hello"); err != nil {
		t.Fatal(err)
	}
	if entries := settled(t, c, s.ID, nil); kinds(entries) != "person:done agent:done" {
		t.Errorf("a turn: %s %+v", kinds(entries), entries[len(entries)-1])
	}

	// Another key is refused, and repeated by the server: it is in no transcript.
	if err := c.SetModelKey(t.Context(), address, "sk-unmistakable-other"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), s.ID, "hello again"); err != nil {
		t.Fatal(err)
	}
	if entries := settled(t, c, s.ID, nil); entries[len(entries)-1].Kind != session.Fails || entries[len(entries)-1].Problem.Code != "model.refused-key" {
		t.Errorf("a wrong key: %s", kinds(entries))
	}
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("unmistakable")) {
			t.Errorf("%s holds a key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ClearModelKey(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	if has, err := c.HasModelKey(address); err != nil || has {
		t.Errorf("cleared: %v %v", has, err)
	}
}

func TestAClosedVaultStopsATurnInWordsAndAnotherServerIsNotConcerned(t *testing.T) {
	data := t.TempDir()
	first := withPassphrase(t, data)
	address, asked := keyed(t, "sk-the-key")
	if err := first.SetModelKey(t.Context(), address, "sk-the-key"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := first.ChooseModel(t.Context(), address, "m"); err != nil {
		t.Fatal(err)
	}
	c := open(t, data) // beside it, as the command line is
	s := newSession(t, c)
	if _, err := c.Send(t.Context(), s.ID, "hello"); err != nil {
		t.Fatal(err)
	}
	entries := settled(t, c, s.ID, nil)
	if last := entries[len(entries)-1]; last.Kind != session.Fails || last.Problem.Code != "vault.passphrase" || asked.Load() != 0 {
		t.Errorf("got %s, and the server was asked %d times", kinds(entries), asked.Load())
	}
	scripted(t, c, `{"turns":[{"rounds":[{"steps":[{"text":"Hello."}]}]}]}`) // it needs no key
	if _, err := c.Send(t.Context(), s.ID, "hello"); err != nil {
		t.Fatal(err)
	}
	if entries := settled(t, c, s.ID, nil); entries[len(entries)-1].Text != "Hello." {
		t.Errorf("a server without a key: %s", kinds(entries))
	}
}

func TestTheVaultsPageSaysWhatASecretIsAndWhoUsesIt(t *testing.T) {
	c := withPassphrase(t, t.TempDir())
	installed(t, c, "wordcount")
	events := c.Events.Subscribe()
	t.Cleanup(events.Close)
	for name, value := range map[string]string{
		"model:https://api.example.com/v1": "k", "setting:loca:loca-extension-wordcount:TOKEN": "t", "setting:plugin:@gone/away:API:KEY": "g", "my own": "mine",
	} {
		if err := c.SetSecret(t.Context(), name, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.VaultStatus(t.Context())
	if err != nil || s.State != vault.Ready {
		t.Fatalf("got %+v %v", s, err)
	}
	got := ""
	for _, n := range s.Names {
		got += fmt.Sprintf("%s|%s|%s|%d\n", n.Kind, n.Label, n.UsedBy, n.Bytes)
	}
	if want := "model|api.example.com||1\nown|my own||4\nsetting|TOKEN|Word Count|1\nsetting|API:KEY|@gone/away|1\n"; got != want {
		t.Errorf("listed are\n%s", got)
	}
	if value, err := c.RevealSecret(t.Context(), "my own"); err != nil || value != "mine" {
		t.Errorf("revealed is %q %v", value, err)
	}
	if err := c.RemoveSecret(t.Context(), "my own"); err != nil {
		t.Fatal(err)
	}
	var p *extension.Problem
	if _, err := c.RevealSecret(t.Context(), "my own"); !errors.As(err, &p) || p.Code != "vault.no-item" {
		t.Errorf("what is gone: got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		some, err := events.Next(ctx)
		if err != nil {
			t.Fatalf("nobody was told: %v", err)
		}
		if slices.ContainsFunc(some, func(e event.Event) bool { return e.Topic == event.Vault }) {
			break
		}
	}
}
