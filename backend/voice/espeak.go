package voice

import (
	"bytes"
	"context"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// espeakWords is how many words a minute espeak-ng speaks unless told otherwise.
const espeakWords = 175

// espeak is the program espeak-ng, or the older espeak.
type espeak struct{ voice *Voice }

func (e *espeak) id() string  { return Espeak }
func (e *espeak) ready() bool { return e.path() != "" }

func (e *espeak) path() string {
	for _, name := range []string{"espeak-ng", "espeak"} {
		if path, err := e.voice.options.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func (e *espeak) found(ctx context.Context) (Found, bool) {
	path := e.path()
	if path == "" {
		return Found{}, false
	}
	f := Found{Engine: Espeak, Name: "espeak-ng", Ready: true, Voices: []VoiceName{}}
	if said, err := e.run(ctx, path, nil, "--version"); err == nil {
		f.Name = espeakName(string(said))
	}
	if said, err := e.run(ctx, path, nil, "--voices"); err == nil {
		f.Voices = espeakVoices(said)
	}
	return f, true
}

func (e *espeak) speak(ctx context.Context, text string, s SpeakSettings) ([]byte, error) {
	return e.run(ctx, e.path(), []byte(text), append(espeakArgs(s), "--stdin", "--stdout")...)
}

func (e *espeak) run(ctx context.Context, path string, in []byte, args ...string) ([]byte, error) {
	policy := anything()
	policy.Write = []string{"/dev/null"}
	return e.voice.run(ctx, program{policy: policy, path: path, args: args, env: clean(), in: in, max: maxSoundBytes})
}

// espeakArgs are the same for the program and for the package.
func espeakArgs(s SpeakSettings) []string {
	args := []string{"-b", "1", "-s", strconv.Itoa(int(math.Round(espeakWords * s.Rate)))} // UTF-8
	if s.Voice != "" {
		args = append(args, "-v", s.Voice)
	}
	return args
}

// espeakVersion: "eSpeak NG text-to-speech: 1.51  Data at: /usr/lib/…".
var espeakVersion = regexp.MustCompile(`text-to-speech: *([0-9][0-9.a-z-]*)`)

func espeakName(said string) string {
	if m := espeakVersion.FindStringSubmatch(said); m != nil {
		return "espeak-ng " + m[1]
	}
	return "espeak-ng"
}

// espeakVoices reads what --voices says: "Pty Language Age/Gender VoiceName File Other Languages", in columns.
func espeakVoices(said []byte) []VoiceName {
	voices := []VoiceName{}
	for line := range bytes.Lines(said) {
		fields := strings.Fields(string(line))
		if len(fields) < 5 || fields[0] == "Pty" {
			continue
		}
		if _, err := strconv.Atoi(fields[0]); err != nil || !voiceName.MatchString(fields[1]) {
			continue
		}
		voices = append(voices, VoiceName{ID: fields[1], Name: strings.ReplaceAll(fields[3], "_", " "), Language: fields[1]})
	}
	return voices
}
