package model

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"portico/backend/extension"
)

var (
	errSilent    = errors.New("the server said nothing for too long")
	errBrokenOff = errors.New("the stream ended before the answer was finished")
	errEndless   = errors.New("the answer is larger than any that makes sense")
)

// maxSaidChars bounds a server's own words within a Problem's sentence.
const maxSaidChars = 300

// refusal is an answer that is none: a status above 299, or a body that is no completion.
type refusal struct {
	status int
	header http.Header
	body   []byte
}

func (r *refusal) Error() string {
	return fmt.Sprintf("status %d: %s", r.status, strings.ToValidUTF8(string(r.body), "�"))
}

// complaint is what servers put into an error's body: {"error": {message, code, type}}, {"error": "text"},
// {"message": …}, {"detail": …}.
type complaint struct {
	message string
	code    string
	kind    string
}

func readComplaint(body []byte) complaint {
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return complaint{}
	}
	var c complaint
	inner := outer
	if raw, ok := outer["error"]; ok {
		if text := textOf(raw); text != "" {
			c.message = text
		} else if fields := map[string]json.RawMessage{}; json.Unmarshal(raw, &fields) == nil {
			inner = fields
		}
	}
	for _, name := range []string{"message", "detail"} {
		if c.message == "" {
			c.message = textOf(inner[name])
		}
	}
	c.code, c.kind = textOf(inner["code"]), textOf(inner["type"])
	return c
}

// textOf reads a string, or a number as one: OpenRouter's codes are numbers.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

func (c complaint) says(any ...string) bool {
	all := strings.ToLower(c.message + "\n" + c.code + "\n" + c.kind)
	for _, phrase := range any {
		if strings.Contains(all, phrase) {
			return true
		}
	}
	return false
}

func (r *refusal) outOfCredit() bool {
	return r.status == http.StatusPaymentRequired || readComplaint(r.body).says("insufficient_quota", "insufficient credits")
}

func (r *refusal) tooLong() bool {
	return r.status == http.StatusRequestEntityTooLarge || readComplaint(r.body).says(
		"context_length_exceeded", "exceed_context_size", "context length", "context size", "context window", "context the overflows",
		"prompt is too long", "input is too long", "too many tokens")
}

// refusesField says whether a server may have refused a request because of a field that it does not know.
func refusesField(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.status == http.StatusBadRequest || r.status == http.StatusUnprocessableEntity) && !r.tooLong()
}

// brokeOff says whether the connection, rather than the server, ended the answer. A refused connection is none that broke.
func brokeOff(err error) bool {
	if errors.Is(err, errBrokenOff) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return true
	}
	for _, reset := range resets {
		if errors.Is(err, reset) {
			return true
		}
	}
	// net/http keeps these words to itself.
	return err != nil && (strings.Contains(err.Error(), "server closed idle connection") || strings.Contains(err.Error(), "http2: server sent GOAWAY"))
}

// problem puts what went wrong into words for the person.
func (c *OpenAI) problem(err error, model string, begun bool) *extension.Problem {
	address := hostOf(c.baseURL)
	var refused *refusal
	var streamed *ssestream.StreamError
	var opError *net.OpError
	var dnsError *net.DNSError
	var told *extension.Problem
	switch {
	case errors.As(err, &told): // of where the key is kept
		return told
	case errors.Is(err, errSilent):
		wait := c.first
		if begun {
			wait = c.idle
		}
		return extension.NewProblem("model.silent", "{address} said nothing for {seconds} seconds.", "Try again. If it stays silent, restart it or choose another model.",
			"address", address, "seconds", strconv.Itoa(int(wait/time.Second))).Because(err)
	case errors.Is(err, errEndless):
		return extension.NewProblem("model.endless", "{address} sends an answer without an end.", "Try again, or choose another model.", "address", address).Because(err)
	case errors.As(err, &refused):
		return refused.problem(address, model)
	case errors.As(err, &streamed): // the status came before anything was known to be wrong, so the words have to say it
		return (&refusal{status: statusIn(streamed.Event.Data), header: http.Header{}, body: streamed.Event.Data}).problem(address, model)
	case untrusted(err):
		return extension.NewProblem("model.untrusted", "{address} could not prove that it is the server it claims to be.", "Check the address; if it is a server of your own, its certificate must be trusted by this computer.",
			"address", address).Because(err)
	case errors.As(err, &dnsError), errors.As(err, &opError) && opError.Op == "dial", isURLTimeout(err):
		return unreachable(address, err)
	case brokeOff(err), errors.As(err, &opError):
		return extension.NewProblem("model.dropped", "The connection to {address} broke off before the answer was finished.", "Try again.", "address", address).Because(err)
	}
	return badAnswer(address, err)
}

func unreachable(address string, err error) *extension.Problem {
	return extension.NewProblem("model.unreachable", "No model server answers at {address}.", "Start it, or choose another in Settings › Models.", "address", address).Because(err)
}

func badAnswer(address string, err error) *extension.Problem {
	return extension.NewProblem("model.bad-answer", "{address} answered with something that is not the OpenAI API.", "Check the address in Settings › Models; it mostly ends in /v1.",
		"address", address).Because(err)
}

func isURLTimeout(err error) bool {
	var at *url.Error
	return errors.As(err, &at) && at.Timeout()
}

func untrusted(err error) bool {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var check *tls.CertificateVerificationError
	return errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &check)
}

// statusIn reads the status that an error within a stream names; 500 where it names none.
func statusIn(body []byte) int {
	code, err := strconv.Atoi(readComplaint(body).code)
	if err != nil || code < 400 || code > 599 {
		return http.StatusInternalServerError
	}
	return code
}

func (r *refusal) problem(address, model string) *extension.Problem {
	said := readComplaint(r.body)
	words := clip(strings.TrimSpace(said.message), maxSaidChars)
	status := strconv.Itoa(r.status)
	switch {
	case r.outOfCredit():
		return extension.NewProblem("model.no-credit", "{address} wants payment: the account has no credit left.", "Add credit there, or choose another model in Settings › Models.", "address", address).Because(r)
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		return extension.NewProblem("model.refused-key", "{address} refused the key.", "Check the key in Settings › Models.", "address", address).Because(r)
	case r.tooLong():
		return extension.NewProblem("model.too-long", "The conversation is longer than {model} can read at once.", "Start a new session, or choose a model with a larger context.", "model", model).Because(r)
	case said.says("does not support tools", "tool calling is not supported", "tools is not supported", "no endpoints found that support tool use"):
		return extension.NewProblem("model.no-tools", "{model} can't use tools.", "Choose a model that can, in Settings › Models, or switch the tools off.", "model", model).Because(r)
	case r.unknownModel(said):
		return extension.NewProblem("model.unknown", "{address} has no model {model}.", "Choose another in Settings › Models, or fetch it first (with Ollama: `ollama pull {model}`).", "address", address, "model", model).Because(r)
	case r.status == http.StatusTooManyRequests:
		return extension.NewProblem("model.busy", "{address} takes no more requests for now.", "Wait a moment and try again.", "address", address).Because(r)
	case words == "":
		if r.status >= 500 {
			return extension.NewProblem("model.server-error", "{address} failed (status {status}).", "Try again; if it goes on, look at the server's own log.", "address", address, "status", status).Because(r)
		}
		return badAnswer(address, r)
	case r.status >= 500:
		return extension.NewProblem("model.server-failed", "{address} failed: “{said}”", "Try again; if it goes on, look at the server's own log.", "address", address, "status", status, "said", words).Because(r)
	}
	return extension.NewProblem("model.refused", "{address} refused the request: “{said}”", "The details have the whole answer.", "address", address, "status", status, "said", words).Because(r)
}

func (r *refusal) unknownModel(said complaint) bool {
	if said.says("model_not_found", "is not a valid model id", "no model loaded", "no models loaded") {
		return true
	}
	return said.says("model") && (r.status == http.StatusNotFound || said.says("not found", "does not exist"))
}

func clip(text string, chars int) string {
	text = strings.ToValidUTF8(text, "�")
	if utf8.RuneCountInString(text) <= chars {
		return text
	}
	return string([]rune(text)[:chars-1]) + "…"
}
