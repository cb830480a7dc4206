package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"portico/backend/capability"
	"portico/backend/core"
	"portico/backend/extension"
	"portico/backend/grant"
)

func newRun(t Terminal) *cobra.Command {
	var scope scopeFlags
	var args string
	var allowDeclared bool
	var allow, answers []string
	c := &cobra.Command{Use: "run EXTENSION/TOOL", Short: "Run one tool; its result is JSON on standard output", Args: exactly("the tool's address, EXTENSION/TOOL"),
		RunE: func(c *cobra.Command, names []string) error {
			id, tool, ok := extension.SplitAddress(names[0])
			if !ok {
				return wrongUsage("%q is no tool's address; write EXTENSION/TOOL, as in loca-extension-wordcount/word_count", names[0])
			}
			if !json.Valid([]byte(args)) {
				return wrongUsage("--args is not JSON: %s", args)
			}
			given := make([]json.RawMessage, len(answers))
			for n, answer := range answers {
				if !json.Valid([]byte(answer)) {
					return wrongUsage("--answer %d is not JSON: %s (a text needs its quotes: '\"red\"')", n+1, answer)
				}
				given[n] = json.RawMessage(answer)
			}
			return withCore(c.Context(), t, func(k *core.Core) error {
				v, err := find(c.Context(), k, scope, id)
				if err != nil {
					return err
				}
				for _, key := range allow {
					if !declares(v, tool, key) {
						return wrongUsage("%s declares no permission %q; `portico extension info %s` lists what it declares", names[0], key, id)
					}
				}
				asks := &person{terminal: t, name: v.DisplayName, answers: given, lines: bufio.NewReader(t.In)}
				asks.allowed = func(p extension.Permission) bool {
					return allowDeclared || named(allow, p)
				}
				result, err := k.RunDirect(c.Context(), core.Direct{Ref: v.Ref(), Tool: tool, Args: json.RawMessage(args), Host: func(beside core.Beside) capability.Host {
					asks.remembered = beside.Remembered
					asks.Gate = capability.Gate{Services: beside.Services, Extension: beside.Extension, Asks: asks}
					return asks
				}})
				if err != nil {
					return err
				}
				return printResult(t.Out, result)
			})
		}}
	scope.add(c)
	c.Flags().StringVar(&args, "args", "{}", "the arguments, a JSON object")
	c.Flags().BoolVar(&allowDeclared, "allow-declared", false, "allow everything the tool declares, for this call")
	c.Flags().StringArrayVar(&allow, "allow", nil, "allow one declared permission for this call, by its key (write:$downloads) or its kind (write)")
	c.Flags().StringArrayVar(&answers, "answer", nil, "the answer to the tool's next question, as JSON; to a schedule that it proposes: true, false, or {\"accepted\": true, \"draft\": …}")
	return c
}

// named says whether a permission is one of those that are named, by key or by kind.
func named(allow []string, p extension.Permission) bool {
	for _, key := range allow {
		if key == p.Key() || key == string(p.Kind) {
			return true
		}
	}
	return false
}

func declares(v core.ExtensionView, tool, key string) bool {
	for _, view := range v.Tools {
		if view.Tool.Name != tool {
			continue
		}
		for _, p := range view.Tool.Permissions {
			if named([]string{key}, p) {
				return true
			}
		}
		return false
	}
	return true // the tool itself is missing, and the run says so
}

// person answers a tool on a terminal: from flags first, then by asking where somebody is there.
type person struct {
	capability.Gate
	permits    capability.Permits
	terminal   Terminal
	name       string // the extension's display name
	allowed    func(extension.Permission) bool
	remembered map[string]grant.Decision

	mu      sync.Mutex // one question at a time
	answers []json.RawMessage
	lines   *bufio.Reader
}

var _ capability.Host = (*person)(nil)

// Decided puts what the flags allow over what is remembered.
func (p *person) Decided(_ context.Context, _ capability.Call, tool extension.Tool) ([]grant.Decided, error) {
	decided := grant.Decide(tool.Permissions, p.remembered)
	for n := range decided {
		if p.allowed(decided[n].Permission) {
			decided[n].Decision, decided[n].Lasting = grant.Allow, grant.Once
		} else if answer := p.permits.Answered(decided[n].Permission.Key()); answer != nil && decided[n].Decision == grant.Ask {
			decided[n].Decision, decided[n].Lasting = answer.Decision, answer.Lasting
		}
	}
	return decided, nil
}

// Permit asks on the terminal; without one, everything undecided is denied and the flags that allow it are named.
func (p *person) Permit(ctx context.Context, _ capability.Call, _ extension.Tool, undecided []extension.Permission) ([]grant.Answer, error) {
	answers := make([]grant.Answer, 0, len(undecided))
	for _, permission := range undecided {
		answer, err := p.permits.Once(ctx, permission.Key(), func() (grant.Answer, error) { return p.permit(ctx, permission) })
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func (p *person) permit(ctx context.Context, permission extension.Permission) (grant.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := grant.Answer{Decision: grant.Deny, Lasting: grant.Once}
	if !p.terminal.Interactive {
		fmt.Fprintf(p.terminal.Err, "portico: %s was not allowed; add --allow '%s' (or --allow-declared) to allow it\n", oneLine(permission.Key()), oneLine(permission.Key()))
		return answer, nil
	}
	p.forget()
	fmt.Fprintf(p.terminal.Err, "%s asks for %s: “%s” Allow it for this call? [y/N] ", oneLine(p.name), oneLine(permission.Key()), oneLine(permission.Reason))
	line, err := p.readLine(ctx)
	if strings.EqualFold(line, "y") || strings.EqualFold(line, "yes") {
		answer.Decision = grant.Allow
	}
	return answer, err
}

// Ask takes the next --answer for each question, then asks on the terminal.
func (p *person) Ask(ctx context.Context, _ capability.Call, questions []capability.Question) ([]json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answers := make([]json.RawMessage, 0, len(questions))
	for _, question := range questions {
		if len(p.answers) > 0 {
			if err := capability.CheckAnswer(question, p.answers[0]); err != nil {
				return nil, err
			}
			answers = append(answers, p.answers[0])
			p.answers = p.answers[1:]
			continue
		}
		if !p.terminal.Interactive {
			fmt.Fprintf(p.terminal.Err, "portico: %s asks “%s”; give the answer with --answer, as JSON\n", oneLine(p.name), oneLine(question.Question))
			return nil, extension.NewProblem("ask.nobody", "{extension} asked “{question}” and nobody is there to answer.", "Give the answer with --answer, as JSON.",
				"extension", p.name, "question", question.Question)
		}
		answer, err := p.askOne(ctx, question)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func (p *person) askOne(ctx context.Context, question capability.Question) (json.RawMessage, error) {
	for {
		fmt.Fprintf(p.terminal.Err, "%s asks: %s\n", oneLine(p.name), indented(question.Question))
		for n, option := range question.Options {
			fmt.Fprintf(p.terminal.Err, "  %d  %s\n", n+1, oneLine(option.Label))
		}
		fmt.Fprint(p.terminal.Err, "> ")
		line, err := p.readLine(ctx)
		if err != nil {
			return nil, err
		}
		answer := typedAnswer(question, line)
		if err := capability.CheckAnswer(question, answer); err != nil {
			fmt.Fprint(p.terminal.Err, Describe(err))
			continue
		}
		return answer, nil
	}
}

// typedAnswer reads what was typed: an option's number, JSON, or the text as it is.
func typedAnswer(question capability.Question, line string) json.RawMessage {
	number := 0
	if _, err := fmt.Sscanf(line, "%d", &number); err == nil && number >= 1 && number <= len(question.Options) && fmt.Sprint(number) == line {
		value, _ := json.Marshal(question.Options[number-1].Value)
		if question.Multiselect {
			return json.RawMessage("[" + string(value) + "]")
		}
		return value
	}
	if json.Valid([]byte(line)) && strings.ContainsAny(line[:1], `["{`) {
		return json.RawMessage(line)
	}
	text, _ := json.Marshal(line)
	return text
}

// forget drops what was typed before a prompt that allows something stood there: nobody answered it by that. What a model
// says and a tool asks can make a person type ahead.
func (p *person) forget() {
	if p.terminal.Forget != nil {
		p.terminal.Forget()
		_, _ = p.lines.Discard(p.lines.Buffered())
	}
}

// readLine reads one line, or gives up when the call is cancelled.
func (p *person) readLine(ctx context.Context) (string, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1) // the reader ends with the process when nobody types
	go func() {
		line, err := p.lines.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-got:
		if r.err != nil && (r.err != io.EOF || r.line == "") {
			return "", extension.NewProblem("ask.closed", "The terminal closed before the question was answered.", "Give the answer with --answer, as JSON.").Because(r.err)
		}
		return strings.TrimSpace(r.line), nil
	}
}

func (p *person) Display(_ capability.Call, d capability.Display) {
	shown := ""
	switch d.Kind {
	case "markdown":
		shown = d.Markdown
	case "table":
		lines := []string{strings.Join(d.Columns, "\t")}
		for _, row := range d.Rows {
			cells := make([]string, len(row))
			for n, cell := range row {
				cells[n] = fmt.Sprint(cell)
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
		shown = strings.Join(lines, "\n")
	case "diff":
		shown = strings.TrimLeft(fmt.Sprintf("%s\n--- before\n%s\n+++ after\n%s", d.Title, d.Before, d.After), "\n")
	case "image":
		shown = strings.TrimSpace(fmt.Sprintf("(an image, %s %s", d.Mime, d.Alt)) + ")"
	}
	fmt.Fprintf(p.terminal.Err, "  %s\n", indented(shown))
}

func (p *person) Progress(_ capability.Call, progress capability.Progress) {
	if p.terminal.Interactive {
		fmt.Fprintf(p.terminal.Err, "%3.0f %% %s\n", progress.Fraction*100, oneLine(progress.Label))
	}
}

func (p *person) Log(_ capability.Call, level, message string) {
	fmt.Fprintf(p.terminal.Err, "[%s] %s\n", oneLine(level), indented(message))
}
