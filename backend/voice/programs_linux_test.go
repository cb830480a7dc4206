package voice

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
)

// script is a program of the test's.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEspeakSpeaksWithEachVoiceAndRate(t *testing.T) {
	say := func(text, voice string, rate float64) float64 {
		t.Helper()
		s := speaks(Espeak)
		s.Speak.Voice, s.Speak.Rate = voice, rate
		sound, err := with(t, s, programs).Speak(t.Context(), text)
		if err != nil {
			t.Fatalf("%v (Debian: espeak-ng)", err)
		}
		if sound.SampleRate != 22050 {
			t.Errorf("its rate is %d", sound.SampleRate)
		}
		return seconds(t, sound)
	}
	short, long := say("Hello.", "", 1), say("Hello, this is a much longer sentence that takes its time.", "", 1)
	if short <= 0.2 || long < 2*short {
		t.Errorf("a word takes %f s, a sentence %f s", short, long)
	}
	if fast := say("Hello, this is a much longer sentence that takes its time.", "", 2); fast > 0.7*long {
		t.Errorf("twice as fast it takes %f s, not half of %f s", fast, long)
	}
	say("¡Qué pingüino más simpático! 🐧", "es", 1)
	say("<speak>-v --path=/etc $(id) `id`</speak>", "", 1)
	if most := say(strings.Repeat("eleven ma. ", MaxTextChars/11), "", 3); most < 20 {
		t.Errorf("2,000 characters take %f s", most)
	}
	// Without a choice it is what there is.
	if sound, err := with(t, speaks(Automatic), programs).Speak(t.Context(), "Hello."); err != nil || seconds(t, sound) != short {
		t.Errorf("by itself: %v", err)
	}
	s := speaks(Espeak)
	s.Speak.Voice = "zzz-none"
	_, err := with(t, s, programs).Speak(t.Context(), "hello")
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != "voice.program-failed" || !strings.Contains(p.Detail, "does not exist") {
		t.Errorf("a voice that is not there: got %+v", p)
	}
}

func TestWhatThereIsIsFoundWithItsVoices(t *testing.T) {
	found := with(t, DefaultSettings, programs).Found(t.Context())
	if len(found) != 1 || found[0].Engine != Espeak || !found[0].Ready || !strings.HasPrefix(found[0].Name, "espeak-ng 1.") {
		t.Fatalf("found %+v", found)
	}
	has := map[string]bool{}
	for _, v := range found[0].Voices {
		has[v.ID] = v.Name != "" && v.Language != ""
	}
	if len(has) < 50 || !has["es"] || !has["en-gb"] {
		t.Errorf("%d voices: %v", len(has), has)
	}
	// Where there is none, one can be fetched, and it says how much that is and under what licence.
	found = with(t, DefaultSettings).Found(t.Context())
	if len(found) != 1 || found[0].Engine != Package || found[0].Ready || found[0].Bytes != 9189030 || found[0].License != "GPL-3.0-or-later" {
		t.Errorf("found %+v", found)
	}
}

func TestTheTextIsOnNoCommandLineAndProgramsGetACleanEnvironment(t *testing.T) {
	t.Setenv("PORTICO_TEST_SECRET", "sk-unmistakable")
	speaker := script(t, `{ printf '%s\n' "$@"; env; cat /proc/$$/cmdline; } >&2; exit 1`)
	v := with(t, speaks(Espeak), func(o *Options) { o.LookPath = func(string) (string, error) { return speaker, nil } })
	var p *extension.Problem
	if _, err := v.Speak(t.Context(), "unmistakable words"); !errors.As(err, &p) || strings.Contains(p.Detail, "unmistakable") || !strings.Contains(p.Detail, "PATH=") || !strings.Contains(p.Detail, "--stdin") {
		t.Errorf("it was told %+v", p)
	}
	recorded := filepath.Join(t.TempDir(), "recorded")
	listener := script(t, `{ printf '%s\n' "$@"; env; } > `+recorded+"\necho done\n")
	s := Settings{Listen: ListenSettings{On: true, Engine: Program, Program: listener, Arguments: "-x {file}"}}
	if text, err := with(t, s, programs).Transcribe(t.Context(), capability.Recording{DataB64: "UklGRg=="}); err != nil || text != "done" {
		t.Fatalf("heard %q %v", text, err)
	}
	data, err := os.ReadFile(recorded)
	if err != nil || strings.Contains(string(data), "unmistakable") || !strings.Contains(string(data), "recording.wav") || !strings.Contains(string(data), "PATH=") {
		t.Errorf("it was told %s %v", data, err)
	}
}

// transcriber runs a shell script with the recording as $1.
func transcriber(t *testing.T, text string) Settings {
	t.Helper()
	return Settings{Listen: ListenSettings{On: true, Engine: Program, Program: script(t, text), Arguments: "{file}"}}
}

func TestAProgramWritesDownRealSpeech(t *testing.T) {
	const data = "/usr/share/pocketsphinx/test/data/"
	recording, err := os.ReadFile(data + "cards/005.wav")
	if err != nil {
		t.Fatalf("%v (Debian: pocketsphinx-testdata)", err)
	}
	s := Settings{Listen: ListenSettings{On: true, Engine: Program, Program: "pocketsphinx_continuous", Arguments: "-infile {file} -jsgf " + data + "cards/cards.gram -logfn /dev/null"}}
	if s, err = Check(s); err != nil {
		t.Fatal(err)
	}
	v := with(t, s, programs)
	text, err := v.Transcribe(t.Context(), capability.Recording{DataB64: base64.StdEncoding.EncodeToString(recording)})
	if err != nil || text != "eight of spades four of clubs seven of hearts" {
		t.Errorf("heard %q %v", text, err)
	}
	if left, err := os.ReadDir(v.options.Cache); err != nil || leftOver(left) != "" {
		t.Errorf("left in the cache: %s %v", leftOver(left), err)
	}
}

// leftOver names what is not the launcher's.
func leftOver(entries []os.DirEntry) string {
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "voice-") {
			return entry.Name()
		}
	}
	return ""
}

func TestAProgramThatFailsSaysWhy(t *testing.T) {
	for _, c := range []struct{ name, text, code, detail string }{
		{"it fails", "echo no model >&2; exit 3", "voice.program-failed", "no model"},
		{"it says too much", "yes", "voice.program-failed", errTooMuch.Error()},
		{"its last words are endless", "yes words >&2 & sleep 0.3; kill $!; exit 1", "voice.program-failed", "words"},
		{"it reads nothing and says nothing", "exit 0", "", ""},
		{"it says no UTF-8", `printf 'a\377b'`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := with(t, transcriber(t, c.text), programs)
			_, err := v.Transcribe(t.Context(), capability.Recording{DataB64: "UklGRg=="})
			var p *extension.Problem
			errors.As(err, &p)
			if codeOf(err) != c.code || p != nil && (!strings.Contains(p.Detail, c.detail) || len(p.Detail) > maxWordsBytes+1000) {
				t.Errorf("got %v\n%+v", err, p)
			}
			if left, err := os.ReadDir(v.options.Cache); err != nil || leftOver(left) != "" {
				t.Errorf("left in the cache: %s %v", leftOver(left), err)
			}
		})
	}
}

func TestCancellingEndsTheProgramAndAllThatItStarted(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	// One that stays in the group, one that leaves it, one that won't hear.
	v := with(t, transcriber(t, `sleep 1000 & echo $! >> `+pids+`
setsid sleep 1000 & echo $! >> `+pids+`
(trap '' TERM INT HUP; sleep 1000) & echo $! >> `+pids+`
echo $$ >> `+pids+`
wait
`), programs)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := v.Transcribe(ctx, capability.Recording{DataB64: "UklGRg=="})
		ended <- err
	}()
	var started []string
	for ends := time.Now().Add(30 * time.Second); len(started) < 4; time.Sleep(10 * time.Millisecond) {
		data, _ := os.ReadFile(pids)
		started = strings.Fields(string(data))
		if time.Now().After(ends) {
			t.Fatalf("started are %q", started)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	for _, pid := range started {
		for ends := time.Now().Add(10 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(ends) {
				t.Errorf("%s still runs", pid)
				break
			}
		}
	}
}

// alive says whether a process runs, and is not only waited for.
func alive(pid string) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestManyVoicesAtOnce(t *testing.T) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Fatalf("%v (Debian: espeak-ng)", err)
	}
	v := with(t, speaks(Espeak), programs)
	errs := make(chan error)
	for n := range 8 {
		go func() {
			_, err := v.Speak(t.Context(), strings.Repeat("number ", n+1))
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
