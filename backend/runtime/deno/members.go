package deno

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/grant"
)

// member is one member of ctx that the host answers (loca-notes.md, 4).
type member struct {
	kind   extension.Kind // the permission that it needs; empty: none
	access string         // of the permission "memories"
	form   bool           // it puts a form before the person
	// answer gives what the tool gets; back is called once, as soon as nobody is asked any more.
	answer func(ctx context.Context, c *conversation, args json.RawMessage, back func() error) (any, error)
}

// members by the name that an author writes after "ctx.".
var members = map[string]member{
	"memories.list":    reading(listMemories),
	"memories.get":     reading(getMemory),
	"memories.getFile": reading(getMemoryFile),
	"memories.write":   reaching(extension.Memories, capability.WriteAccess, writingMemories, writeMemory),
	"memories.edit":    reaching(extension.Memories, capability.WriteAccess, writingMemories, editMemory),
	"db.query":         reaching("", "", database, query),
	"db.execute":       reaching("", "", database, execute),
	"llm.complete":     reaching(extension.LLM, "", completer, complete),
	"tts.speak":        reaching(extension.TTS, "", speaker, speak),
	"schedulePrompt":   {form: true, answer: propose},
	"stt.transcribe":   reaching(extension.STT, "", transcriber, transcribe),
}

// reaching makes a member that opens a service and uses it.
func reaching[S any](kind extension.Kind, access string, open func(context.Context, *conversation) (S, error), use func(context.Context, S, json.RawMessage) (any, error)) member {
	return member{kind: kind, access: access, answer: func(ctx context.Context, c *conversation, args json.RawMessage, back func() error) (any, error) {
		service, err := open(ctx, c)
		if err := errors.Join(err, back()); err != nil {
			return nil, err
		}
		return use(ctx, service, args)
	}}
}

func reading(use func(context.Context, capability.Memories, json.RawMessage) (any, error)) member {
	return reaching(extension.Memories, capability.ReadAccess, func(ctx context.Context, c *conversation) (capability.Memories, error) {
		return c.host.Memories(ctx, c.call, c.tool, capability.ReadAccess)
	}, use)
}

func writingMemories(ctx context.Context, c *conversation) (capability.Memories, error) {
	return c.host.Memories(ctx, c.call, c.tool, capability.WriteAccess)
}

func database(ctx context.Context, c *conversation) (capability.Database, error) {
	return c.host.Database(ctx, c.call)
}

func completer(ctx context.Context, c *conversation) (capability.Completer, error) {
	return c.host.Completer(ctx, c.call, c.tool)
}

func speaker(ctx context.Context, c *conversation) (capability.Speaker, error) {
	return c.host.Speaker(ctx, c.call, c.tool)
}

func transcriber(ctx context.Context, c *conversation) (capability.Transcriber, error) {
	return c.host.Transcriber(ctx, c.call, c.tool)
}

// request answers one member of ctx beside the call. While the person is asked for its permission, or sees its form, the
// call leaves its seat.
func (c *conversation) request(ctx context.Context, f frame) {
	args, err := c.parts.whole(f)
	size := len(args) + 1 // one that asks with nothing counts as well
	asked, known := members[f.Op]
	switch {
	case err != nil:
	case !known:
		err = fmt.Errorf("ctx has no member %s", cut(f.Op, maxShortText))
	default:
		if err = c.take(size); err != nil {
			err = fmt.Errorf("%s: %w", f.Op, err)
		}
	}
	if err != nil {
		c.tell(answer{Type: "answer", Request: f.Request, Error: err.Error()})
		return
	}
	back := func() error { return nil }
	if asked.form || c.undecided(ctx, asked) {
		c.seat.leave()
		back = func() error { return c.seat.back(ctx) }
	}
	c.asking.Add(1)
	go func() { // ends with the answer, at the latest with the call
		defer c.asking.Done()
		a := answer{bytes: size, Type: "answer", Request: f.Request}
		result, err := asked.answer(ctx, c, args, back)
		if err == nil {
			a.Result, err = fittingAnswer(f.Op, result)
		}
		if err != nil {
			a.Error = inWords(err)
		}
		c.reply(ctx, a)
	}()
}

// undecided says whether the person will be asked before a member answers.
func (c *conversation) undecided(ctx context.Context, m member) bool {
	if m.kind == "" {
		return false
	}
	decided, err := c.host.Decided(ctx, c.call, c.tool)
	if err != nil {
		return false // what answers the request meets the same error
	}
	found, declared := grant.Need(decided, m.kind, m.access)
	return declared && found.Decision == grant.Ask
}

func fittingAnswer(op string, result any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return nil, fmt.Errorf("%s: write the answer: %w", op, err)
	}
	if out.Len() > maxAnswerBytes {
		return nil, fmt.Errorf("%s: the answer takes %d MB; %d MB is the most. Ask for less", op, out.Len()>>20, maxAnswerBytes>>20)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// parts puts together what a worker sent in pieces, because it is longer than a frame may be. Its zero value is empty.
type parts struct {
	of    map[int]*strings.Builder
	bytes int
}

func (p *parts) add(f frame) {
	if p.bytes += len(f.Text); p.bytes > maxPartsBytes {
		return // whole says so
	}
	if p.of == nil {
		p.of = map[int]*strings.Builder{}
	}
	if p.of[f.Request] == nil {
		p.of[f.Request] = &strings.Builder{}
	}
	p.of[f.Request].WriteString(f.Text)
}

// whole gives the arguments of a request.
func (p *parts) whole(f frame) (json.RawMessage, error) {
	if !f.InParts {
		return f.Args, nil
	}
	if p.bytes > maxPartsBytes {
		*p = parts{}
		return nil, fmt.Errorf("%s: the arguments take more than %d MB", f.Op, maxPartsBytes>>20)
	}
	text := p.of[f.Request]
	if text == nil {
		return nil, fmt.Errorf("%s: there are no arguments", f.Op)
	}
	delete(p.of, f.Request)
	p.bytes -= text.Len()
	return json.RawMessage(text.String()), nil
}
