package voice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func (v *Voice) systemEngines() []engine { return []engine{&say{v}} }

const (
	sayPath  = "/usr/bin/say"
	sayWords = 175 // a minute, unless told otherwise
)

// say is macOS's own voice.
type say struct{ voice *Voice }

func (s *say) id() string { return Say }

func (s *say) ready() bool {
	_, err := os.Stat(sayPath)
	return err == nil
}

func (s *say) found(ctx context.Context) (Found, bool) {
	if !s.ready() {
		return Found{}, false
	}
	f := Found{Engine: Say, Name: "macOS", Ready: true, Voices: []VoiceName{}}
	if said, err := s.voice.run(ctx, program{policy: anything(), path: sayPath, args: []string{"-v", "?"}, env: clean(), max: maxHeardBytes}); err == nil {
		f.Voices = sayVoices(said)
	}
	return f, true
}

// speak: say writes files only, and takes its text from standard input.
func (s *say) speak(ctx context.Context, text string, settings SpeakSettings) ([]byte, error) {
	folder, err := s.voice.scratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "sound.wav")
	args := []string{"-f", "-", "-o", file, "--data-format=LEI16@22050", "-r", strconv.Itoa(int(math.Round(sayWords * settings.Rate)))}
	if settings.Voice != "" {
		args = append(args, "-v", settings.Voice)
	}
	if _, err := s.voice.run(ctx, program{policy: anything(), path: sayPath, args: args, env: clean(), in: []byte(text), max: maxHeardBytes}); err != nil {
		return nil, err
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read what say wrote: %w", err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxSoundBytes))
	if len(data) == maxSoundBytes {
		err = errors.Join(err, errTooMuch)
	}
	return data, err
}

// sayLine: "Mónica              es_ES    # Hola, me llamo Mónica."
var sayLine = regexp.MustCompile(`^(.+?)\s+([a-z]{2,3}[_-][A-Za-z0-9_-]+)\s+#`)

func sayVoices(said []byte) []VoiceName {
	voices := []VoiceName{}
	for line := range bytes.Lines(said) {
		if m := sayLine.FindStringSubmatch(string(line)); m != nil && voiceName.MatchString(m[1]) {
			voices = append(voices, VoiceName{ID: m[1], Name: m[1], Language: strings.ReplaceAll(m[2], "_", "-")})
		}
	}
	return voices
}
