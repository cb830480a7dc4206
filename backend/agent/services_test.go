package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/model/modeltest"
	"portico/backend/session"
)

// noted is a person's memories with nothing in them.
type noted struct{ capability.Memories }

func withMemories(o *Options) { o.Services.Memories = noted{} }

// needing is a tool that declares permissions and tells, for each access, how it went.
func needing(declared []extension.Permission, do func(open func(access string) string) []string) tool {
	return tool{name: "remember", permissions: declared, do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		of := extension.Tool{Name: "remember", Permissions: declared}
		return json.Marshal(do(func(access string) string {
			_, err := host.Memories(ctx, call, of, access)
			var p *extension.Problem
			if errors.As(err, &p) {
				return access + ": " + p.Code
			}
			if err != nil {
				return access + ": " + err.Error()
			}
			return access
		}))
	}}
}

func memories(access string) extension.Permission {
	return extension.Permission{Kind: extension.Memories, Access: access, Reason: "To know you."}
}

func TestACapabilityIsAskedForOnceInACall(t *testing.T) {
	script := modeltest.Always(modeltest.Ask("remember", "{}"), modeltest.Say("Done."))
	twenty := needing([]extension.Permission{memories("read")}, func(open func(string) string) []string {
		said := make([]string, 20)
		var all sync.WaitGroup
		for n := range said {
			all.Go(func() { said[n] = open("read") })
		}
		all.Wait()
		for _, one := range append(said, open("read")) {
			if one != said[0] {
				return append(said, one)
			}
		}
		return said[:1]
	})
	for decision, want := range map[grant.Decision]string{grant.Allow: `["read"]`, grant.Deny: `["read: call.denied"]`} {
		d := sit(t, script, []tool{twenty}, withMemories)
		d.send("go")
		if err := d.Decide(t.Context(), d.entry(session.Permits, session.Open).ID, grant.Answer{Decision: decision}); err != nil {
			t.Fatal(err)
		}
		d.settled()
		d.expect(`person done "go"`, "call done remember{} -> "+want, "permission done memories:read "+string(decision)+" once", `agent done "Done."`)
	}
}

func TestAnAnswerForOnceEndsWithItsCall(t *testing.T) {
	d := sit(t, modeltest.Always(modeltest.Ask("remember", "{}"), modeltest.Ask("remember", "{}"), modeltest.Say("Done.")),
		[]tool{needing([]extension.Permission{memories("read")}, func(open func(string) string) []string { return []string{open("read"), open("read")} })}, withMemories)
	d.send("go")
	for _, decision := range []grant.Decision{grant.Allow, grant.Deny} {
		if err := d.Decide(t.Context(), d.entry(session.Permits, session.Open).ID, grant.Answer{Decision: decision}); err != nil {
			t.Fatal(err)
		}
	}
	d.settled()
	var got []string
	for _, e := range d.entries() {
		if e.Kind == session.ToolCall {
			got = append(got, string(e.Call.Result))
		}
	}
	if len(got) != 2 || got[0] != `["read","read"]` || got[1] != `["read: call.denied","read: call.denied"]` {
		t.Errorf("the calls gave %q", got)
	}
}

func TestWritingMemoriesCoversReadingAndNothingElseDoes(t *testing.T) {
	both := func(open func(string) string) []string { return []string{open("read"), open("write")} }
	for _, c := range []struct {
		name     string
		declared []extension.Permission
		set      []grant.Decision // in the order of declared
		want     string
	}{
		{"nothing declared", nil, nil, `["read: call.undeclared","write: call.undeclared"]`},
		{"another permission", []extension.Permission{{Kind: extension.LLM, Reason: "r"}}, []grant.Decision{grant.Allow}, `["read: call.undeclared","write: call.undeclared"]`},
		{"reading", []extension.Permission{memories("read")}, []grant.Decision{grant.Allow}, `["read","write: call.undeclared"]`},
		{"writing", []extension.Permission{memories("write")}, []grant.Decision{grant.Allow}, `["read","write"]`},
		{"writing denied, reading allowed", []extension.Permission{memories("write"), memories("read")}, []grant.Decision{grant.Deny, grant.Allow}, `["read","write: call.denied"]`},
		{"both denied", []extension.Permission{memories("write"), memories("read")}, []grant.Decision{grant.Deny, grant.Deny}, `["read: call.denied","write: call.denied"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sit(t, modeltest.Always(modeltest.Ask("remember", "{}"), modeltest.Say("Done.")), []tool{needing(c.declared, both)}, withMemories)
			for n, p := range c.declared {
				subject := grant.Subject{Ref: d.tools.offers[0].Copy.Ref(), Tool: "remember"}
				if err := d.Grants.Remember(t.Context(), subject, "", p.Key(), grant.Answer{Decision: c.set[n], Lasting: grant.Always}); err != nil {
					t.Fatal(err)
				}
			}
			d.say("go")
			d.expect(`person done "go"`, "call done remember{} -> "+c.want, `agent done "Done."`)
		})
	}
}

func TestADatabaseNeedsItsDeclaration(t *testing.T) {
	opens := tool{name: "open", do: func(ctx context.Context, host capability.Host, call capability.Call, _ json.RawMessage) (json.RawMessage, error) {
		_, err := host.Database(ctx, call)
		return nil, err
	}}
	d := sit(t, modeltest.Always(modeltest.Ask("open", "{}"), modeltest.Say("Oh.")), []tool{opens}, func(o *Options) {
		o.Services.Databases = func(extension.Ref) (capability.Database, error) { return nil, errors.New("it was opened") }
	})
	d.say("go")
	d.expect(`person done "go"`, "call failed open{} ! db.undeclared", `agent done "Oh."`)
}
