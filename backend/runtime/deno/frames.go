package deno

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"portico/backend/capability"
)

// frame is one message of a worker. The worker's module sends well-formed ones, but it shares its process with a
// stranger's code, so each field is checked where it is used.
type frame struct {
	Type        string          `json:"type"`
	Fraction    float64         `json:"fraction"`    // progress
	Label       string          `json:"label"`       // progress
	Description string          `json:"description"` // progress
	Level       string          `json:"level"`       // log
	Message     string          `json:"message"`     // log, failed, unloadable, unserialisable
	Stack       string          `json:"stack"`       // failed, unloadable
	Display     json.RawMessage `json:"display"`     // display
	Request     int             `json:"request"`     // ask, request, part
	Op          string          `json:"op"`          // request: a key of members
	Args        json.RawMessage `json:"args"`        // request
	InParts     bool            `json:"inParts"`     // request: the arguments came before it, in parts
	Text        string          `json:"text"`        // part
	Questions   json.RawMessage `json:"questions"`   // ask
	Result      json.RawMessage `json:"result"`      // result
	Size        int64           `json:"size"`        // too-big
}

var frameTypes = map[string]bool{"ready": true, "unloadable": true, "progress": true, "log": true, "display": true, "ask": true, "request": true, "part": true, "result": true, "too-big": true, "failed": true, "unserialisable": true}

// decodeFrame reads a frame; false for what is none. One that is too long, or nested too deep, says in its beginning what it
// was to be.
func decodeFrame(data []byte, tooLong bool) (frame, bool) {
	if tooLong {
		return beginning(data, "is longer than a message may be", frame{Type: "too-big", Size: maxFrameBytes})
	}
	var f frame
	err := json.Unmarshal(data, &f)
	if err != nil && strings.Contains(err.Error(), "max depth") {
		return beginning(data, "is nested too deep", frame{Type: "unserialisable", Message: "it is nested too deep"})
	}
	return f, err == nil && frameTypes[f.Type]
}

var frameStart = regexp.MustCompile(`^\{"type":"([a-z-]+)"(?:,"request":([0-9]{1,9})[,}])?`)

// beginning is what is made of a frame of which only the beginning can be read: a result becomes the failure, a form one
// without questions, and what was to be shown or logged a word of why it is not.
func beginning(data []byte, why string, failure frame) (frame, bool) {
	found := frameStart.FindSubmatch(data[:min(len(data), 100)])
	if found == nil {
		return failure, failure.Type == "too-big"
	}
	switch kind := string(found[1]); kind {
	case "display", "log", "progress":
		return frame{Type: "log", Level: "warn", Message: kind + " was dropped: it " + why}, true
	case "ask":
		request, err := strconv.Atoi(string(found[2]))
		return frame{Type: "ask", Request: request}, err == nil
	case "result":
		return failure, true
	}
	return failure, failure.Type == "too-big"
}

// deeper says whether JSON is nested deeper than so many levels.
func deeper(data []byte, levels int) bool {
	depth, inText := 0, false
	for n := 0; n < len(data); n++ {
		switch c := data[n]; {
		case inText && c == '\\':
			n++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			if depth++; depth > levels {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// level is the log level, or the mildest that fits what was sent.
func (f frame) level() string {
	switch f.Level {
	case "debug", "info", "warn", "error":
		return f.Level
	}
	return "info"
}

func (f frame) progress() capability.Progress {
	fraction := f.Fraction
	if !(fraction > 0) {
		fraction = 0
	} else if fraction > 1 {
		fraction = 1
	}
	return capability.Progress{Fraction: fraction, Label: cut(f.Label, maxShortText), Description: cut(f.Description, maxShortText)}
}

// ownFrame is a line of a stack that leads through Portico's worker or Deno's own modules: no author finds anything there.
var ownFrame = regexp.MustCompile(`(?m)^ +at .*(/worker-[0-9a-f]+/worker\.ts|\b(ext|node):[^ ]*|<anonymous>)(:\d+:\d+)?\)?(\n|$)`)

// thrown is the error that a tool threw, with those lines of its stack that lead through the extension, for a bug report.
func thrown(f frame) error {
	if stack := strings.TrimRight(ownFrame.ReplaceAllString(f.Stack, ""), "\n"); strings.Contains(stack, "\n    at ") {
		return errors.New(cut(inPorticosWords(stack), 4*maxShortText))
	}
	return errors.New(cut(inPorticosWords(f.Message), maxShortText))
}

// denosAdvice is how Deno ends the refusal of an access: a flag that nobody who uses Portico can give.
var denosAdvice = regexp.MustCompile(`(Requires [a-z]+ access(?: to (?:"[^"\n]*"|[^,\n]*))?), run again with the --allow-[a-z]+ flag`)

// inPorticosWords says a refused access so that it is true here: it was not declared, or it was not allowed.
func inPorticosWords(message string) string {
	return denosAdvice.ReplaceAllString(message, "$1, which is not declared or was not allowed")
}

var imageMime = regexp.MustCompile(`^image/[a-z0-9.+-]{1,60}$`)

// checkDisplay reads what is to be shown. It is cut or dropped where loca-notes.md, 4, says so; the text says what was
// wrong, also when it is shown.
func checkDisplay(data json.RawMessage) (display capability.Display, show bool, warning string) {
	if err := json.Unmarshal(data, &display); err != nil {
		return display, false, "display was dropped: it has not the shape of its kind"
	}
	drop := func(format string, args ...any) (capability.Display, bool, string) {
		return display, false, fmt.Sprintf("display.%s was dropped: %s", display.Kind, fmt.Sprintf(format, args...))
	}
	switch display.Kind {
	case "markdown":
		if units(display.Markdown) > maxMarkdown {
			display.Markdown = cut(display.Markdown, maxMarkdown)
			warning = fmt.Sprintf("display.markdown was cut at %d characters", maxMarkdown)
		}
		return capability.Display{Kind: display.Kind, Markdown: display.Markdown}, true, warning
	case "image":
		if len(display.DataB64) > maxImage {
			return drop("its data is longer than %d characters", maxImage)
		}
		if !imageMime.MatchString(display.Mime) {
			return drop("%q is no type of image", cut(display.Mime, 80))
		}
		if _, err := base64.StdEncoding.DecodeString(display.DataB64); err != nil || display.DataB64 == "" {
			return drop("its data is not base64")
		}
		return capability.Display{Kind: display.Kind, DataB64: display.DataB64, Mime: display.Mime, Alt: cut(display.Alt, maxShortText)}, true, ""
	case "table":
		if why := checkTable(display.Columns, display.Rows); why != "" {
			return drop("%s", why)
		}
		return capability.Display{Kind: display.Kind, Columns: display.Columns, Rows: display.Rows}, true, ""
	case "diff":
		if units(display.Before) > maxDiffSide || units(display.After) > maxDiffSide {
			return drop("a side is longer than %d characters", maxDiffSide)
		}
		return capability.Display{Kind: display.Kind, Before: display.Before, After: display.After, Title: cut(display.Title, maxShortText)}, true, ""
	}
	return drop("there is no such kind")
}

// checkTable says what is wrong with a table, and puts cells that are no plain values into words.
func checkTable(columns []string, rows [][]any) string {
	if len(columns) == 0 {
		return "it has no columns"
	}
	if len(columns) > maxColumns {
		return fmt.Sprintf("it has more than %d columns", maxColumns)
	}
	if len(rows) > maxRows {
		return fmt.Sprintf("it has more than %d rows", maxRows)
	}
	for _, row := range rows {
		if len(row) > maxColumns {
			return fmt.Sprintf("a row has more than %d cells", maxColumns)
		}
		for n, cell := range row {
			text, isText := cell.(string)
			switch cell.(type) {
			case map[string]any, []any:
				data, err := json.Marshal(cell)
				if err != nil {
					return "a cell has no JSON"
				}
				text, isText = string(data), true
				row[n] = text
			}
			if isText && units(text) > maxCell {
				return fmt.Sprintf("a cell is longer than %d characters", maxCell)
			}
		}
	}
	return ""
}

// checkQuestions reads the questions of one form, or says why there is none (loca-notes.md, 4: a form with any question that
// is none resolves to nothing). The words are for the extension's author.
func checkQuestions(data json.RawMessage) (questions []capability.Question, why string) {
	var members []json.RawMessage
	switch err := json.Unmarshal(data, &members); {
	case err != nil:
		return nil, "it takes a list of questions"
	case len(members) == 0:
		return nil, "the list is empty"
	case len(members) > maxQuestions:
		return nil, fmt.Sprintf("there are more than %d questions", maxQuestions)
	}
	for n, member := range members {
		q, why := checkQuestion(member)
		if why != "" {
			return nil, fmt.Sprintf("question %d: %s", n+1, why)
		}
		questions = append(questions, q)
	}
	return questions, ""
}

func checkQuestion(data json.RawMessage) (q capability.Question, why string) {
	if err := json.Unmarshal(data, &q); err != nil {
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) && mistyped.Field != "" {
			return q, fmt.Sprintf("%s can't be %s", mistyped.Field, mistyped.Value)
		}
		return q, "it must be an object"
	}
	if strings.TrimSpace(q.Question) == "" {
		return q, "question is missing"
	}
	if units(q.Question) > maxMarkdown {
		return q, fmt.Sprintf("question is longer than %d characters", maxMarkdown)
	}
	switch q.Kind {
	case "", "choice":
		q.Kind = "choice"
		return q, checkOptions("options", q.Options)
	case "diff":
		if units(q.Before) > maxDiffSide || units(q.After) > maxDiffSide {
			return q, fmt.Sprintf("a side is longer than %d characters", maxDiffSide)
		}
	case "files":
		if len(q.Entries) == 0 {
			return q, "entries is missing: a list of {path, label?, description?}"
		}
		if len(q.Entries) > maxRows {
			return q, fmt.Sprintf("there are more than %d entries", maxRows)
		}
		for n, entry := range q.Entries {
			if entry.Path == "" {
				return q, fmt.Sprintf("entries[%d].path is missing", n)
			}
		}
	case "image":
		if _, err := base64.StdEncoding.DecodeString(q.DataB64); err != nil || q.DataB64 == "" {
			return q, "dataB64 is not base64"
		}
		if len(q.DataB64) > maxImage {
			return q, fmt.Sprintf("dataB64 is longer than %d characters", maxImage)
		}
		if !imageMime.MatchString(q.Mime) {
			return q, fmt.Sprintf("mime: %q is no type of image", cut(q.Mime, 80))
		}
		if len(q.Actions) == 0 {
			return q, "actions is missing: a list of {label, value}"
		}
		return q, checkOptions("actions", q.Actions)
	case "table":
		return q, checkTable(q.Columns, q.Rows)
	default:
		return q, fmt.Sprintf("kind: there is no kind %q; choice, diff, files, image and table are those there are", cut(q.Kind, 80))
	}
	return q, ""
}

func checkOptions(field string, options []capability.Option) (why string) {
	seen := map[string]bool{}
	for n := range options {
		if options[n].Label == "" {
			options[n].Label = options[n].Value
		}
		if options[n].Label == "" {
			return fmt.Sprintf("%s[%d] has neither label nor value", field, n)
		}
		if seen[options[n].Value] {
			return fmt.Sprintf("%s: the value %q stands there twice", field, cut(options[n].Value, 80))
		}
		seen[options[n].Value] = true
	}
	if len(options) > maxRows {
		return fmt.Sprintf("there are more than %d %s", maxRows, field)
	}
	return ""
}

// units is a text's length as JavaScript counts it, in UTF-16.
func units(text string) int {
	n := 0
	for _, r := range text {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}

// sentence is the first line of an error, as it stands at the end of a sentence of ours; the rest of it is for the details.
func sentence(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.TrimRight(cut(line, maxShortText), " .:")
}

// cut gives at most so many UTF-16 units of a text, never half a character.
func cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	n := 0
	for at, r := range text {
		if n++; r > 0xFFFF {
			n++
		}
		if n > max {
			return text[:at]
		}
	}
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "?")
	}
	return text
}
