package memory

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"portico/backend/extension"
)

// front is what stands at the head of a text between two lines of "---" (Agent Skills).
type front struct {
	name        string
	description string
}

var errFront = errors.New("the lines between the two “---” can't be read")

// splitFront parts a text into its front matter and the rest. A text without one has an empty one.
func splitFront(text string) (f front, body string, err error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, has := strings.CutPrefix(text, "---\n")
	if !has {
		return front{}, text, nil
	}
	head := rest[:min(len(rest), maxFrontMatterBytes)]
	end := strings.Index("\n"+head+"\n", "\n---\n")
	if end < 0 {
		return front{}, text, errors.New("the “---” that ends its first lines is missing")
	}
	head, body = rest[:end], strings.TrimPrefix(rest[min(len(rest), end+len("---")):], "\n")
	f, err = readFront(head)
	return f, body, err
}

// readFront reads YAML. Much of what is written by hand is none ("description: Use it: always"), so where the parser
// gives up the lines are read as they stand.
func readFront(head string) (f front, err error) {
	defer func() {
		if r := recover(); r != nil { // a parser that panics has met what it can't read
			err = fmt.Errorf("%w: %v", errFront, r)
		}
	}()
	var values map[string]yaml.Node // nodes: aliases stay unexpanded
	if err := yaml.Unmarshal([]byte(head), &values); err == nil {
		text := func(key string) string {
			if node := values[key]; node.Kind == yaml.ScalarNode && node.Tag != "!!null" {
				return node.Value
			}
			return ""
		}
		return front{text("name"), text("description")}, nil
	}
	f = front{lineOf(head, "name"), lineOf(head, "description")}
	if f.description == "" {
		return f, errFront
	}
	return f, nil
}

func lineOf(head, key string) string {
	found := regexp.MustCompile(`(?m)^` + key + `:[ \t]+(.+)$`).FindStringSubmatch(head)
	if found == nil {
		return ""
	}
	value := strings.TrimSpace(found[1])
	if len(value) >= 2 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		value = value[1 : len(value)-1]
	}
	return value
}

// summaryOf is the description, or the first paragraph of the text that says something.
func summaryOf(f front, body string) string {
	if text := extension.PlainLine(f.description); text != "" {
		return shorten(text, maxDescriptionChars)
	}
	heading := ""
	var paragraph []string
	fenced := false
	for line := range strings.Lines(body[:min(len(body), indexedBytes)]) {
		line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			continue
		case fenced:
			continue
		case strings.HasPrefix(line, "#"):
			if heading == "" {
				heading = strings.TrimSpace(strings.Trim(line, "#"))
			}
			line = ""
		}
		if line != "" {
			paragraph = append(paragraph, line)
		} else if len(paragraph) > 0 {
			break
		}
		if len(paragraph) > 20 {
			break
		}
	}
	text := extension.PlainLine(strings.Join(paragraph, " "))
	if text == "" {
		text = extension.PlainLine(heading)
	}
	return shorten(text, maxSummaryChars)
}

func shorten(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return strings.TrimSpace(string(runes[:limit-1])) + "…"
}
