package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"portico/backend/extension"
)

// Keys gives a server's key at the moment when it is needed; empty: it has none. An error is a Problem of where it is kept.
type Keys func(ctx context.Context) (string, error)

func noKeys(context.Context) (string, error) { return "", nil }

const (
	// maxKeyBytes is far more than any key: the longest are tokens of 2 to 3 kB.
	maxKeyBytes = 8 << 10
	// minHidden is how much of a key may stand at the cut end of an answer: so little says nothing.
	minHidden = 4
	hidden    = "•••"
)

// CheckKey gives a key as it is sent: without what was copied along around it. A server that is not near is told a key only
// where nobody can listen.
func CheckKey(baseURL, key string) (string, error) {
	bad := func(why string) error {
		return extension.NewProblem("model.bad-key", "That can't be a key: {why}.", "Copy it again from where it was given to you.", "why", why)
	}
	key = strings.TrimSpace(key)
	if scheme, token, found := strings.Cut(key, " "); found && strings.EqualFold(scheme, "Bearer") {
		key = strings.TrimSpace(token)
	}
	switch {
	case key == "":
		return "", bad("it is empty")
	case len(key) > maxKeyBytes:
		return "", bad("it is too long")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", bad("it has spaces or characters that no key has")
	}
	if u, err := url.Parse(baseURL); err != nil || u.Scheme != "https" && !isNear(strings.ToLower(u.Hostname())) {
		return "", extension.NewProblem("model.open-line", "{address} is far away, and what is sent there can be read on the way.", "Use an address that begins with https.", "address", hostOf(baseURL))
	}
	return key, nil
}

// hide takes a key out of what a server said: some put it into their complaints. It goes out where it is cut off, too.
func hide(key string, said []byte) []byte {
	if key == "" {
		return said
	}
	for _, written := range [][]byte{[]byte(key), quoted(key), []byte(url.QueryEscape(key))} {
		said = bytes.ReplaceAll(said, written, []byte(hidden))
	}
	if cut := overlap(string(said[max(0, len(said)-len(key)):]), key); cut >= minHidden {
		said = append(said[:len(said)-cut:len(said)-cut], hidden...)
	}
	return said
}

// quoted is a key as it stands in JSON.
func quoted(key string) []byte {
	data, err := json.Marshal(key)
	if err != nil {
		return []byte(key)
	}
	return data[1 : len(data)-1]
}

// without gives an error whose words don't hold the key. What it wraps is still found.
func without(key string, err error) error {
	if err == nil || key == "" {
		return err
	}
	var streamed *ssestream.StreamError
	if errors.As(err, &streamed) {
		streamed.Event.Data = hide(key, streamed.Event.Data)
	}
	return &keyless{err, string(hide(key, []byte(err.Error())))}
}

type keyless struct {
	error
	words string
}

func (k *keyless) Error() string { return k.words }
func (k *keyless) Unwrap() error { return k.error }

// maxRedirects is as many as net/http follows.
const maxRedirects = 10

// keepKey lets a key go nowhere but to the server it is for: net/http would send it on to other ports of the same host, to
// hosts below it, and over a line that can be listened to.
func keepKey(next *http.Request, before []*http.Request) error {
	if len(before) >= maxRedirects {
		return errors.New("the server sends from one address to the next without an end")
	}
	first := before[0].URL
	if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host {
		next.Header.Del("Authorization")
	}
	return nil
}
