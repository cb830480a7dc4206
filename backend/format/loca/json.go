package loca

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"portico/backend/extension"
)

// maxNesting bounds the manifest's depth: deeper is an attack on its readers.
const maxNesting = 100

// member is one key of an object, in the file's order.
type member struct {
	key   string
	value any // map-less: object, []any, string, json.Number, bool, nil
}

// object keeps the order and the doubles of its keys, which encoding/json would drop in silence.
type object []member

func (o object) get(key string) (any, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// parse reads JSON strictly; its issue names the line and column.
func parse(data []byte) (any, *extension.Issue) {
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		data = data[3:] // editors on Windows put a byte order mark there
	}
	if !utf8.Valid(data) {
		return nil, &extension.Issue{Place: marker, What: "it is not UTF-8"}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := parseValue(decoder, 0)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is something after the closing brace")
		}
	}
	if err != nil {
		offset := decoder.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset = syntax.Offset
		}
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = errors.New("it ends too early")
		}
		line, column := position(data, offset)
		return nil, &extension.Issue{Place: fmt.Sprintf("%s:%d:%d", marker, line, column), What: fmt.Sprintf("line %d, column %d: %v", line, column, err)}
	}
	return value, nil
}

func position(data []byte, offset int64) (line, column int) {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

func parseValue(decoder *json.Decoder, level int) (any, error) {
	if level > maxNesting {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxNesting)
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		members := object{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			if _, double := members.get(name); double {
				return nil, fmt.Errorf("the key %q stands there twice", name)
			}
			value, err := parseValue(decoder, level+1)
			if err != nil {
				return nil, err
			}
			members = append(members, member{name, value})
		}
		_, err := decoder.Token()
		return members, err
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, err := parseValue(decoder, level+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := decoder.Token()
		return items, err
	}
	return token, nil
}

// raw writes a parsed value back as JSON, its keys in their order.
func raw(value any) json.RawMessage {
	var out bytes.Buffer
	writeRaw(&out, value)
	return out.Bytes()
}

func writeRaw(out *bytes.Buffer, value any) {
	switch v := value.(type) {
	case object:
		out.WriteByte('{')
		for n, m := range v {
			if n > 0 {
				out.WriteByte(',')
			}
			writeRaw(out, m.key)
			out.WriteByte(':')
			writeRaw(out, m.value)
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for n, item := range v {
			if n > 0 {
				out.WriteByte(',')
			}
			writeRaw(out, item)
		}
		out.WriteByte(']')
	case json.Number:
		out.WriteString(v.String()) // as the author wrote it
	default:
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(v) // a text, a truth value or null: always encodes
		out.Truncate(out.Len() - 1)
	}
}
