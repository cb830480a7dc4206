package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"portico/backend/capability"
	"portico/backend/extension"
)

// fitted gives a display as it is kept: texts that are too long are cut, what cannot be cut is refused with the reason.
func fitted(d capability.Display) (shown capability.Display, why string) {
	switch d.Kind {
	case "markdown":
		return capability.Display{Kind: d.Kind, Markdown: clip(d.Markdown, maxMarkdownChars)}, ""
	case "image":
		switch {
		case len(d.DataB64) > maxImageChars:
			return d, fmt.Sprintf("the image is larger than %d characters of base64", maxImageChars)
		case !strings.HasPrefix(d.Mime, "image/"):
			return d, fmt.Sprintf("%q is no type of image", clip(d.Mime, maxLabelChars))
		}
		return capability.Display{Kind: d.Kind, DataB64: d.DataB64, Mime: d.Mime, Alt: clip(d.Alt, maxLabelChars*4)}, ""
	case "table":
		if why := unfitTable(d.Columns, d.Rows); why != "" {
			return d, why
		}
		return capability.Display{Kind: d.Kind, Columns: d.Columns, Rows: d.Rows}, ""
	case "diff":
		if len(d.Before) > maxDiffChars || len(d.After) > maxDiffChars {
			return d, fmt.Sprintf("a side of the difference is longer than %d characters", maxDiffChars)
		}
		return capability.Display{Kind: d.Kind, Before: d.Before, After: d.After, Title: clip(d.Title, maxLabelChars)}, ""
	}
	return d, fmt.Sprintf("there is no kind of display %q", clip(d.Kind, maxLabelChars))
}

func unfitTable(columns []string, rows [][]any) string {
	switch {
	case len(columns) > maxTableColumns:
		return fmt.Sprintf("the table has more than %d columns", maxTableColumns)
	case len(rows) > maxTableRows:
		return fmt.Sprintf("the table has more than %d rows", maxTableRows)
	}
	for n, row := range rows {
		if len(row) > maxTableColumns {
			return fmt.Sprintf("row %d has more than %d cells", n+1, maxTableColumns)
		}
		for _, cell := range row {
			if text, ok := cell.(string); ok && len(text) > maxCellChars {
				return fmt.Sprintf("a cell of row %d is longer than %d characters", n+1, maxCellChars)
			}
		}
	}
	return ""
}

// checkQuestions refuses what no window could draw or nobody could answer; a tool would wait for it forever.
func checkQuestions(questions []capability.Question) error {
	bad := func(n int, why string) error {
		return extension.NewProblem("ask.bad-question", "Question {number} can't be asked: {why}.", "Tell the extension's author.", "number", fmt.Sprint(n+1), "why", why)
	}
	if len(questions) > maxQuestions {
		return bad(maxQuestions, fmt.Sprintf("at most %d are asked at once", maxQuestions))
	}
	for n, q := range questions {
		if why := unanswerable(q); why != "" {
			return bad(n, why)
		}
	}
	if whole, err := json.Marshal(questions); err != nil || len(whole) > maxQuestionBytes {
		return bad(0, fmt.Sprintf("all together are larger than %d bytes", maxQuestionBytes))
	}
	return nil
}

func unanswerable(q capability.Question) string {
	switch q.Kind {
	case "", "choice", "diff":
		return ""
	case "files":
		if len(q.Entries) == 0 && !q.Multiselect {
			return "it has no files to choose from"
		}
		return ""
	case "image":
		switch {
		case len(q.Actions) == 0:
			return "it has no actions to choose from"
		case len(q.DataB64) > maxImageChars:
			return fmt.Sprintf("its image is larger than %d characters of base64", maxImageChars)
		}
		return ""
	case "table":
		if len(q.Columns) == 0 {
			return "its table has no columns"
		}
		return unfitTable(q.Columns, q.Rows)
	}
	return fmt.Sprintf("there is no kind of question %q", clip(q.Kind, maxLabelChars))
}
