package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
)

// Bounds of what a server answers to speech.
const (
	maxSpokenBytes = 64 << 20 // half an hour at 16 bits and 16 kHz
	maxHeardBytes  = 4 << 20
)

// Speech is a text to be spoken (OpenAI API, audio/speech). Empty: whatever the server takes by itself.
type Speech struct {
	Model string
	Voice string
	Text  string
	Speed float64 // 1: as the voice is; 0: likewise
}

// Recorded is speech to be written down (OpenAI API, audio/transcriptions).
type Recorded struct {
	Model    string
	Data     []byte
	FileName string // its ending says what it is: servers go by it
	Mime     string
	Language string // ISO 639-1; empty: the server listens for it
}

// Speak gives a text as the server speaks it: a WAV file, if it keeps to what it is asked for.
func (c *OpenAI) Speak(ctx context.Context, s Speech) ([]byte, error) {
	body, err := json.Marshal(struct {
		Model  string  `json:"model"`
		Voice  string  `json:"voice"`
		Input  string  `json:"input"`
		Format string  `json:"response_format"`
		Speed  float64 `json:"speed,omitempty"`
	}{s.Model, s.Voice, s.Text, "wav", s.Speed})
	if err != nil {
		return nil, fmt.Errorf("ask for speech: %w", err)
	}
	return c.whole(ctx, "/audio/speech", "application/json", body, s.Model, maxSpokenBytes)
}

// Transcribe gives what is said in a recording.
func (c *OpenAI) Transcribe(ctx context.Context, r Recorded) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, r.FileName)}, "Content-Type": {r.Mime}})
	if err == nil {
		_, err = part.Write(r.Data)
	}
	err = errors.Join(err, form.WriteField("model", r.Model), form.WriteField("response_format", "json"))
	if r.Language != "" {
		err = errors.Join(err, form.WriteField("language", r.Language))
	}
	if err = errors.Join(err, form.Close()); err != nil {
		return "", fmt.Errorf("ask for a transcript: %w", err)
	}
	answer, err := c.whole(ctx, "/audio/transcriptions", form.FormDataContentType(), body.Bytes(), r.Model, maxHeardBytes)
	if err != nil {
		return "", err
	}
	var heard struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(answer, &heard); err != nil || heard.Text == nil {
		return "", badAnswer(hostOf(c.baseURL), err)
	}
	return *heard.Text, nil
}

// whole makes one request and gives the whole answer. Its error is a Problem, or the context's.
func (c *OpenAI) whole(ctx context.Context, path, kind string, body []byte, model string, max int64) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		answer, err := c.onceWhole(ctx, path, kind, body, max)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pause, again := c.retry.after(err, attempt)
		if !again {
			return nil, c.problem(err, model, false)
		}
		if sleep(ctx, pause) != nil {
			return nil, ctx.Err()
		}
	}
}

func (c *OpenAI) onceWhole(ctx context.Context, path, kind string, body []byte, max int64) (_ []byte, err error) {
	key, err := c.keys(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = without(key, err) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.baseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("User-Agent", "Portico")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		said, _ := io.ReadAll(io.LimitReader(response.Body, maxFaultBytes))
		return nil, &refusal{status: response.StatusCode, header: response.Header, body: hide(key, said)}
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(answer)) > max {
		return nil, errEndless
	}
	return answer, nil
}
