package voice

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/model"
)

// fileMark stands in the arguments for the recording's file.
const fileMark = "{file}"

// endings of a recording's file, by its media type: programs and servers go by them.
var endings = map[string]string{
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/wave": ".wav", "audio/vnd.wave": ".wav",
	"audio/mpeg": ".mp3", "audio/mp3": ".mp3", "audio/mp4": ".m4a", "audio/m4a": ".m4a", "audio/x-m4a": ".m4a", "video/mp4": ".mp4",
	"audio/ogg": ".ogg", "audio/opus": ".opus", "audio/webm": ".webm", "video/webm": ".webm", "audio/flac": ".flac", "audio/x-flac": ".flac",
}

// Transcribe writes down what is said in a recording. Nothing said is an empty text.
func (v *Voice) Transcribe(ctx context.Context, r capability.Recording) (string, error) {
	settings, err := v.options.Settings(ctx)
	if err != nil {
		return "", err
	}
	s := settings.Listen
	if !s.On {
		return "", extension.NewProblem("voice.listen-off", "Writing down speech is switched off.", "Switch it on in Settings › Voice.")
	}
	data, err := decode(r.DataB64)
	if err != nil {
		return "", err
	}
	kind, ending, err := kindOf(r.Mime)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, listenLimit)
	defer cancel()
	var text string
	switch s.Engine {
	case Endpoint:
		client := model.NewOpenAI(s.Endpoint, model.WithKeys(v.options.Key(s.Endpoint)))
		language, _, _ := strings.Cut(r.Language, "-")
		text, err = client.Transcribe(limited, model.Recorded{Model: s.Model, Data: data, FileName: "recording" + ending, Mime: kind, Language: strings.ToLower(language)})
	case Program:
		text, err = v.hear(limited, s, data, ending)
	default:
		return "", extension.NewProblem("voice.no-listener", "Nothing is chosen that writes down speech.", "Choose a server or a program in Settings › Voice.")
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if limited.Err() != nil {
		return "", extension.NewProblem("voice.listen-slow", "The recording was not written down within {minutes} minutes.", "Try a shorter one, or another program or server in Settings › Voice.",
			"minutes", fmt.Sprint(int(listenLimit/time.Minute))).Because(err)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, "�")), nil
}

// hear lets the person's program write down a recording.
func (v *Voice) hear(ctx context.Context, s ListenSettings, data []byte, ending string) (string, error) {
	path, err := v.options.LookPath(s.Program)
	if err != nil {
		return "", extension.NewProblem("voice.no-program", "There is no program {program}.", "Install it, or write its whole path in Settings › Voice.", "program", s.Program).Because(err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("find %s: %w", s.Program, err)
	}
	args, err := splitArguments(s.Arguments)
	if err != nil {
		return "", badSetting("arguments", err.Error())
	}
	folder, err := v.scratch()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "recording"+ending)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return "", extension.NewProblem("voice.no-room", "There is no room for a sound on this disk, or no right to write it.", "Make room, and try again.").At(folder).Because(err)
	}
	for n := range args {
		args[n] = strings.ReplaceAll(args[n], fileMark, file)
	}
	out, err := v.run(ctx, program{policy: anything(), path: path, args: args, env: clean(), folder: folder, max: maxHeardBytes})
	return string(out), err
}

// decode gives the bytes of a recording.
func decode(text string) ([]byte, error) {
	tooLarge := func() error {
		return extension.NewProblem("voice.audio-too-large", "The recording has more than {max} MB.", "Give it in parts.", "max", fmt.Sprint(MaxAudioBytes>>20))
	}
	if base64.StdEncoding.DecodedLen(len(text)) > MaxAudioBytes+base64.StdEncoding.DecodedLen(4) {
		return nil, tooLarge()
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err == nil && len(data) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, extension.NewProblem("voice.bad-encoding", "The recording can't be read: it has to be base64.", "Give the file's bytes as base64.").Because(err)
	}
	if len(data) > MaxAudioBytes {
		return nil, tooLarge()
	}
	return data, nil
}

// kindOf gives a media type without its parameters, and the ending of such files.
func kindOf(text string) (kind, ending string, err error) {
	if text == "" {
		return "audio/wav", ".wav", nil
	}
	kind, _, err = mime.ParseMediaType(text)
	if ending = endings[kind]; err != nil || ending == "" {
		return "", "", extension.NewProblem("voice.bad-mime", "A recording of the kind {kind} can't be written down.", "Give it as WAV, MP3, M4A, Ogg, WebM or FLAC.", "kind", clip(text)).Because(err)
	}
	return kind, ending, nil
}

func clip(text string) string {
	const most = 80
	if chars := []rune(text); len(chars) > most {
		return string(chars[:most]) + "…"
	}
	return text
}

// splitArguments parts a line at its spaces; quotes of either kind hold together what is between them. A backslash is one:
// paths on Windows have them.
func splitArguments(line string) ([]string, error) {
	var args []string
	var arg strings.Builder
	quote, begun := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			arg.WriteRune(r)
		case r == '"' || r == '\'':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			if begun {
				args = append(args, arg.String())
				arg.Reset()
				begun = false
			}
		default:
			arg.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		args = append(args, arg.String())
	}
	return args, nil
}
