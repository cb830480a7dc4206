package capability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"portico/backend/extension"
)

// Limits of an answer: what a person types or edits is handed to the tool as one line.
const (
	maxAnswerBytes = 1 << 20
	maxAnswerRows  = 10_000
)

// CheckAnswer says whether an answer fits its question (loca-extensions.md, Asking the user): an answer comes from a
// window or a flag and is no more to be trusted than any other input.
func CheckAnswer(q Question, answer json.RawMessage) error {
	bad := func(what string) error {
		return extension.NewProblem("ask.bad-answer", "That is no answer to “{question}”: {what}.", "Answer it again.", "question", q.Question, "what", what)
	}
	if len(answer) > maxAnswerBytes {
		return bad("it is longer than 1 MB")
	}
	switch q.Kind {
	case "", "choice":
		return checkChoice(q, answer, bad)
	case "diff":
		return checkOneOf(answer, []string{"accept", "reject"}, bad)
	case "image":
		return checkOneOf(answer, values(q.Actions), bad)
	case "files":
		paths := make([]string, len(q.Entries))
		for n, entry := range q.Entries {
			paths[n] = entry.Path
		}
		if q.Multiselect {
			return checkAllOf(answer, paths, bad)
		}
		return checkOneOf(answer, paths, bad)
	case "table":
		return checkTable(q, answer, bad)
	}
	return bad(fmt.Sprintf("there is no kind of question %q", q.Kind))
}

// Tidied is an answer that fits, as the tool is given it: a text that the person typed comes without the space around it
// (loca-notes.md, 4), and what was chosen comes to the letter.
func Tidied(q Question, answer json.RawMessage) json.RawMessage {
	if q.Kind != "" && q.Kind != "choice" || !q.AllowFreeform && len(q.Options) > 0 {
		return answer
	}
	tidy := func(text string) string {
		if slices.Contains(values(q.Options), text) {
			return text
		}
		return strings.TrimSpace(text)
	}
	var tidied any
	if q.Multiselect {
		texts, ok := decode[[]string](answer)
		if !ok {
			return answer
		}
		for n := range texts {
			texts[n] = tidy(texts[n])
		}
		tidied = texts
	} else {
		text, ok := decode[string](answer)
		if !ok {
			return answer
		}
		tidied = tidy(text)
	}
	data, err := json.Marshal(tidied)
	if err != nil {
		return answer
	}
	return data
}

func values(options []Option) []string {
	all := make([]string, len(options))
	for n, option := range options {
		all[n] = option.Value
	}
	return all
}

func checkChoice(q Question, answer json.RawMessage, bad func(string) error) error {
	free := q.AllowFreeform || len(q.Options) == 0
	if q.Multiselect {
		if free {
			if _, ok := decode[[]string](answer); !ok {
				return bad("it must be a list of texts")
			}
			return nil
		}
		return checkAllOf(answer, values(q.Options), bad)
	}
	if free {
		text, ok := decode[string](answer)
		if !ok {
			return bad("it must be a text")
		}
		if strings.TrimSpace(text) == "" && !slices.Contains(values(q.Options), text) {
			return bad("it is empty")
		}
		return nil
	}
	return checkOneOf(answer, values(q.Options), bad)
}

func checkOneOf(answer json.RawMessage, allowed []string, bad func(string) error) error {
	text, ok := decode[string](answer)
	if !ok {
		return bad("it must be one text")
	}
	if !slices.Contains(allowed, text) {
		return bad(fmt.Sprintf("%q is not among what was offered (%s)", text, strings.Join(allowed, ", ")))
	}
	return nil
}

func checkAllOf(answer json.RawMessage, allowed []string, bad func(string) error) error {
	texts, ok := decode[[]string](answer)
	if !ok {
		return bad("it must be a list of texts")
	}
	for n, text := range texts {
		if !slices.Contains(allowed, text) {
			return bad(fmt.Sprintf("%q is not among what was offered (%s)", text, strings.Join(allowed, ", ")))
		}
		if slices.Contains(texts[:n], text) {
			return bad(fmt.Sprintf("%q stands in it twice", text))
		}
	}
	return nil
}

func checkTable(q Question, answer json.RawMessage, bad func(string) error) error {
	rows, ok := decode[[]map[string]string](answer)
	if !ok {
		return bad("it must be a list of rows, each with a text for every column")
	}
	if len(rows) > maxAnswerRows {
		return bad(fmt.Sprintf("it has more than %d rows", maxAnswerRows))
	}
	for n, row := range rows {
		for column := range row {
			if !slices.Contains(q.Columns, column) {
				return bad(fmt.Sprintf("row %d has a column %q that was not offered", n+1, column))
			}
		}
	}
	return nil
}

// decode reads exactly one JSON value of the type; null is none.
func decode[T any](answer json.RawMessage) (T, bool) {
	var value T
	if trimmed := bytes.TrimSpace(answer); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		return value, false
	}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	err := decoder.Decode(&value)
	return value, err == nil && !decoder.More()
}
