package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"portico/backend/extension"
)

// What an extension, a model or a project wrote reaches the terminal beside Portico's own words, so it must not move the
// cursor, colour, hide or reorder what stands there, nor pass for a line of Portico's. The first is held by the streams
// themselves (plainWriter), whatever is printed; the second by oneLine and indented, where a stranger's text is printed.

// oneLine is a stranger's text within a line of Portico's.
func oneLine(text string) string { return extension.PlainLine(text) }

// indented is a stranger's text that may have several lines: none of those that follow starts where Portico's own do.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(extension.Plain(text), "\n"), "\n", "\n  ")
}

// escaped writes what is unseen in JSON as JSON writes it anywhere else, so that the value stays the same. Outside of
// strings JSON has none of it.
func escaped(data []byte) []byte {
	var out bytes.Buffer
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			out.WriteString(`\ufffd`)
		case r > 0xffff && extension.Unseen(r):
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case r >= 0x7f && extension.Unseen(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(data[:size])
		}
		data = data[size:]
	}
	return out.Bytes()
}

// plainWriter is a stream that only plain text passes, and that remembers that something could not be written: a result
// that nobody got is no result.
type plainWriter struct {
	to io.Writer

	mu     sync.Mutex
	rest   []byte // the beginning of a character whose end is still to come
	failed error
}

func (w *plainWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, data...)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				whole -= n
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.to, extension.Plain(string(text[:whole]))); err != nil {
		w.failed = errors.Join(w.failed, err)
		return 0, err
	}
	return len(data), nil
}

// lost is why something that was to be printed was not.
func (w *plainWriter) lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
