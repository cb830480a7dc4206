package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxEventBytes bounds one event of a stream. A chunk holds one token, or at most one whole tool call.
const maxEventBytes = 8 << 20

var errEventTooLong = fmt.Errorf("an event of the stream is longer than %d bytes", maxEventBytes)

// plainStream rewrites a server's event stream into the plainest one: one line of data an event, each followed by a blank
// line, the last one too; no comments, names or ids. Servers leave out blank lines, end without one, name errors in the
// event line, and put "error": null into every chunk; the SDK's reader takes each of these wrongly.
type plainStream struct {
	in      *bufio.Reader
	out     bytes.Buffer
	name    string   // of the event being read
	pending [][]byte // its data lines so far, when they are no whole JSON yet
	size    int
	done    func() // called at [DONE]
	err     error
}

func (p *plainStream) Read(into []byte) (int, error) {
	for p.out.Len() == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.next()
	}
	return p.out.Read(into)
}

func (p *plainStream) next() {
	line, err := readLine(p.in, maxEventBytes)
	p.take(line)
	if err != nil {
		if errors.Is(err, io.EOF) {
			p.dispatch()
		}
		p.err = err
	}
}

func (p *plainStream) take(line []byte) {
	if len(line) == 0 {
		p.dispatch()
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		p.name = string(value)
	case "data":
		if p.size += len(value) + 1; p.size > maxEventBytes {
			p.err = errEventTooLong
			return
		}
		p.pending = append(p.pending, value)
		if whole := bytes.TrimSpace(value); len(p.pending) == 1 && (bytes.Equal(whole, []byte("[DONE]")) || json.Valid(whole)) {
			p.dispatch()
		}
	}
}

func (p *plainStream) dispatch() {
	data := bytes.TrimSpace(bytes.Join(p.pending, []byte("\n")))
	name := p.name
	p.pending, p.name, p.size = nil, "", 0
	switch {
	case len(data) == 0:
		return
	case bytes.Equal(data, []byte("[DONE]")):
		p.done()
	default:
		data = plainEvent(name, data)
	}
	var flat bytes.Buffer
	if json.Compact(&flat, data) == nil { // data over several lines
		data = flat.Bytes()
	}
	p.out.WriteString("data: ")
	p.out.Write(bytes.ReplaceAll(data, []byte("\n"), []byte(" ")))
	p.out.WriteString("\n\n")
}

// plainEvent leaves "error" in an event exactly when it is one.
func plainEvent(name string, data []byte) []byte {
	if name != "error" && !bytes.Contains(data, []byte(`"error"`)) {
		return data
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return data
	}
	err, has := fields["error"]
	switch {
	case has && (string(err) == "null" || string(err) == `""`) && name != "error":
		delete(fields, "error")
	case !has && name == "error":
		fields = map[string]json.RawMessage{"error": data}
	default:
		return data
	}
	plain, marshalErr := json.Marshal(fields)
	if marshalErr != nil {
		return data
	}
	return plain
}

// readLine reads up to a line's end, which it drops. The last line needs none.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if len(line)+len(piece) > limit {
			return nil, errEventTooLong
		}
		line = append(line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// asStream gives the answer of a server that did not stream as the one chunk it would have been.
func asStream(whole []byte) ([]byte, bool) {
	var answer map[string]json.RawMessage
	var choices []map[string]json.RawMessage
	if json.Unmarshal(whole, &answer) != nil || json.Unmarshal(answer["choices"], &choices) != nil {
		return nil, false
	}
	for _, choice := range choices {
		if message, ok := choice["message"]; ok {
			choice["delta"] = message
			delete(choice, "message")
		}
	}
	var err error
	if answer["choices"], err = json.Marshal(choices); err != nil {
		return nil, false
	}
	chunk, err := json.Marshal(answer)
	if err != nil {
		return nil, false
	}
	return fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", chunk), true
}
