package voice

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"portico/backend/capability"
	"portico/backend/confine/confinetest"
	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/runtime/deno"
)

func TestMain(m *testing.M) {
	confinetest.Main(m, func() error { return goleak.Find(goleak.IgnoreTopFunction("portico/backend/confine.spawnLoop")) })
}

// with makes a voice with settings, and with what else a test changes.
func with(t *testing.T, s Settings, change ...func(*Options)) *Voice {
	t.Helper()
	if s.Speak.Rate == 0 {
		s.Speak.Rate = 1
	}
	options := Options{
		Settings: func(context.Context) (Settings, error) { return s, nil },
		Key:      func(string) model.Keys { return func(context.Context) (string, error) { return "the key", nil } },
		Folder:   t.TempDir(), Cache: t.TempDir(), Deno: deno.Find,
		LookPath: func(name string) (string, error) { return "", exec.ErrNotFound },
		Archive:  func(context.Context, Pin, Progress) (string, error) { return "", errors.New("no test asks for it") },
	}
	for _, do := range change {
		do(&options)
	}
	return New(options)
}

// programs lets the voice find the system's own.
func programs(o *Options) { o.LookPath = exec.LookPath }

func speaks(engine string) Settings {
	return Settings{Speak: SpeakSettings{On: true, Engine: engine, Rate: 1}}
}

func codeOf(err error) string {
	var p *extension.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// seconds checks a sound as strictly as a player may, and gives how long it is.
func seconds(t *testing.T, s capability.Sound) float64 {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(s.DataB64)
	if err != nil || s.Mime != "audio/wav" || len(data) < 44 {
		t.Fatalf("%d bytes of %s: %v", len(data), s.Mime, err)
	}
	size, rate, samples := binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[24:]), binary.LittleEndian.Uint32(data[40:])
	if string(data[:4]) != "RIFF" || string(data[8:16]) != "WAVEfmt " || string(data[36:40]) != "data" || int(size) != len(data)-8 || int(samples) != len(data)-44 || int(rate) != s.SampleRate {
		t.Fatalf("sizes %d and %d in %d bytes, rate %d and %d", size, samples, len(data), rate, s.SampleRate)
	}
	loudest := 0.0
	for at := 44; at+1 < len(data); at += 2 {
		loudest = max(loudest, math.Abs(float64(int16(binary.LittleEndian.Uint16(data[at:])))))
	}
	if loudest < 500 {
		t.Errorf("it is silent: %f", loudest)
	}
	return float64(samples) / float64(binary.LittleEndian.Uint32(data[28:]))
}

func TestSpeakingIsOffUntilItIsOnAndHasLimits(t *testing.T) {
	if DefaultSettings.Speak.On || DefaultSettings.Listen.On {
		t.Error("it is on by itself")
	}
	for _, c := range []struct{ name, text, code string }{
		{"blank", " \n\t", "voice.no-text"},
		{"too long", strings.Repeat("ñ", MaxTextChars+1), "voice.text-too-long"},
		{"no engine", strings.Repeat("ñ", MaxTextChars), "voice.no-engine"},
	} {
		if _, err := with(t, speaks(Automatic)).Speak(t.Context(), c.text); codeOf(err) != c.code {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	if _, err := with(t, Settings{}).Speak(t.Context(), "hello"); codeOf(err) != "voice.speak-off" {
		t.Errorf("off: got %v", err)
	}
	if _, err := with(t, speaks(Espeak)).Speak(t.Context(), "hello"); codeOf(err) != "voice.no-engine" {
		t.Errorf("an engine that is not there: got %v", err)
	}
}

func TestAServerSpeaksWithItsOwnKey(t *testing.T) {
	wav := writeWAV([]byte{1, 0, 1, 0, 0x80, 0x3e, 0, 0, 0, 0x7d, 0, 0, 2, 0, 16, 0}, []byte(strings.Repeat("\x00\x10", 16000)))
	wav[40], wav[41], wav[42], wav[43] = 0xff, 0xff, 0xff, 0xff // servers that stream don't know how long it will be
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer the key":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/audio/speech":
			w.Write(wav)
		case r.URL.Path == "/mp3/audio/speech":
			fmt.Fprint(w, "ID3 and so on")
		case r.URL.Path == "/v1/audio/transcriptions":
			fmt.Fprintf(w, `{"text":" in %s \n"}`, r.FormValue("language"))
		}
	}))
	t.Cleanup(server.Close)
	s := speaks(Endpoint)
	s.Speak.Endpoint = server.URL + "/v1"
	sound, err := with(t, s).Speak(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	if long := seconds(t, sound); long != 1 || sound.SampleRate != 16000 {
		t.Errorf("it is %f s at %d Hz", long, sound.SampleRate)
	}
	s.Speak.Endpoint = server.URL + "/mp3"
	if _, err := with(t, s).Speak(t.Context(), "hello"); codeOf(err) != "voice.bad-sound" {
		t.Errorf("no WAV: got %v", err)
	}
	if _, err := with(t, s, func(o *Options) {
		o.Key = func(string) model.Keys { return func(context.Context) (string, error) { return "another", nil } }
	}).Speak(t.Context(), "hello"); codeOf(err) != "model.refused-key" {
		t.Errorf("another key: got %v", err)
	}
	hears := Settings{Listen: ListenSettings{On: true, Engine: Endpoint, Endpoint: server.URL + "/v1"}}
	text, err := with(t, hears).Transcribe(t.Context(), capability.Recording{DataB64: "UklGRg==", Language: "ES-mx"})
	if err != nil || text != "in es" {
		t.Errorf("heard %q %v", text, err)
	}
}

func TestSettingsThatCantWorkAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, code string
		s          Settings
	}{
		{"defaults", "", DefaultSettings},
		{"off and half filled", "", Settings{Speak: SpeakSettings{Engine: Endpoint, Rate: 1}}},
		{"a program", "", Settings{Listen: ListenSettings{On: true, Engine: Program, Program: "whisper-cli", Arguments: `-m "my models/base.bin" -f {file}`}}},
		{"no such engine", "voice.bad-setting", Settings{Speak: SpeakSettings{Engine: "festival"}}},
		{"a voice that is an option", "voice.bad-setting", Settings{Speak: SpeakSettings{Voice: "--path=/etc"}}},
		{"too fast", "voice.bad-setting", Settings{Speak: SpeakSettings{Rate: 10}}},
		{"no speed at all", "voice.bad-setting", Settings{Speak: SpeakSettings{Rate: math.NaN()}}},
		{"a server without an address", "voice.bad-setting", Settings{Speak: SpeakSettings{On: true, Engine: Endpoint}}},
		{"an address that is none", "model.bad-address", Settings{Speak: SpeakSettings{Engine: Endpoint, Endpoint: "ftp://x"}}},
		{"nobody listens", "voice.bad-setting", Settings{Listen: ListenSettings{On: true}}},
		{"no program", "voice.bad-setting", Settings{Listen: ListenSettings{On: true, Engine: Program, Arguments: "{file}"}}},
		{"the recording is not handed on", "voice.bad-setting", Settings{Listen: ListenSettings{On: true, Engine: Program, Program: "p", Arguments: "-f"}}},
		{"an open quote", "voice.bad-setting", Settings{Listen: ListenSettings{Engine: Program, Program: "p", Arguments: `"{file}`}}},
		{"a line break", "voice.bad-setting", Settings{Listen: ListenSettings{Arguments: "a\nb"}}},
		{"endless", "voice.bad-setting", Settings{Listen: ListenSettings{Program: strings.Repeat("a", 5000)}}},
	} {
		kept, err := Check(c.s)
		if codeOf(err) != c.code {
			t.Errorf("%s: got %v", c.name, err)
		}
		if err == nil && kept.Speak.Rate == 0 {
			t.Errorf("%s: kept without a rate", c.name)
		}
	}
	kept, err := Check(Settings{Speak: SpeakSettings{Engine: Endpoint, Endpoint: " localhost:8000/v1/audio/speech "}})
	if err != nil || kept.Speak.Endpoint != "http://localhost:8000/v1" {
		t.Errorf("kept %q %v", kept.Speak.Endpoint, err)
	}
}

func TestArgumentsArePartedAsAPersonMeansThem(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "  ": "", "a b": "a|b", " a\t b ": "a|b", `-m "my models/a.bin" {file}`: "-m|my models/a.bin|{file}", `a'b c'd`: "ab cd", `""`: "", `x "" y`: "x||y",
		`C:\Programs\x.exe`: `C:\Programs\x.exe`, `"it's"`: "it's",
	} {
		got, err := splitArguments(line)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: got %q %v", line, got, err)
		}
	}
	if args, err := splitArguments(`""`); err != nil || len(args) != 1 {
		t.Errorf("an empty argument: %q %v", args, err)
	}
	if _, err := splitArguments(`"a`); err == nil {
		t.Error("an open quote was taken")
	}
}

func TestRecordingsAreCheckedBeforeAnythingStarts(t *testing.T) {
	listening := Settings{Listen: ListenSettings{On: true, Engine: Program, Program: "none", Arguments: "{file}"}}
	large := base64.StdEncoding.EncodeToString(make([]byte, MaxAudioBytes+1))
	fits := base64.StdEncoding.EncodeToString(make([]byte, MaxAudioBytes))
	for _, c := range []struct{ name, data, mime, code string }{
		{"nothing", "", "", "voice.bad-encoding"},
		{"no base64", "*", "", "voice.bad-encoding"},
		{"cut off", "UklGR", "", "voice.bad-encoding"},
		{"bits that mean nothing", "UklGRh==", "", "voice.bad-encoding"},
		{"one byte too many", large, "", "voice.audio-too-large"},
		{"as much as fits", fits, "", "voice.no-program"},
		{"a picture", "UklGRg==", "image/png", "voice.bad-mime"},
		{"no kind", "UklGRg==", ";;;", "voice.bad-mime"},
		{"a path", "UklGRg==", "audio/../../x", "voice.bad-mime"},
		{"with parameters", "UklGRg==", "audio/webm; codecs=opus", "voice.no-program"},
		{"in capitals", "UklGRg==", "Audio/WAV", "voice.no-program"},
	} {
		if _, err := with(t, listening).Transcribe(t.Context(), capability.Recording{DataB64: c.data, Mime: c.mime}); codeOf(err) != c.code {
			t.Errorf("%s: got %v", c.name, codeOf(err))
		}
	}
	if _, err := with(t, Settings{}).Transcribe(t.Context(), capability.Recording{DataB64: "UklGRg=="}); codeOf(err) != "voice.listen-off" {
		t.Errorf("off: got %v", err)
	}
}

func TestFilesThatAreNoWAVAreToldFromThoseThatAre(t *testing.T) {
	format := []byte{1, 0, 1, 0, 0x22, 0x56, 0, 0, 0x44, 0xac, 0, 0, 2, 0, 16, 0}
	good := writeWAV(format, []byte{1, 2, 3, 4})
	chunk := func(kind string, body []byte) []byte {
		out := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))
		out = append(out, body...)
		return append(out, make([]byte, len(body)%2)...)
	}
	head := good[:12]
	join := func(parts ...[]byte) []byte {
		out := append([]byte{}, head...)
		for _, part := range parts {
			out = append(out, part...)
		}
		return out
	}
	endless := append([]byte{}, good...)
	copy(endless[40:], []byte{0xff, 0xff, 0xff, 0x7f})
	for name, data := range map[string][]byte{
		"good": good, "endless": endless,
		"with more in it": join(chunk("LIST", []byte("odd")), chunk("fmt ", format), chunk("fact", []byte("more")), chunk("data", []byte{1, 2, 3, 4}), chunk("id3 ", []byte("x"))),
	} {
		if file, rate, err := plainWAV(data); err != nil || rate != 22050 || string(file) != string(good) {
			t.Errorf("%s: got %x at %d: %v", name, file, rate, err)
		}
	}
	for name, data := range map[string][]byte{
		"nothing": nil, "another": []byte("ID3 and much more than twelve bytes"), "a head": head, "no samples": join(chunk("fmt ", format)), "no format": join(chunk("data", []byte{1, 2})),
		"a format cut off": join(chunk("fmt ", format[:8]), chunk("data", []byte{1, 2})), "silence": join(chunk("fmt ", format), chunk("data", nil)),
		"no rate": join(chunk("fmt ", make([]byte, 16)), chunk("data", []byte{1, 2})), "a chunk beyond the end": join([]byte("LIST\xff\xff\xff\xff")),
	} {
		if _, _, err := plainWAV(data); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func FuzzWAV(f *testing.F) {
	f.Add(writeWAV([]byte{1, 0, 1, 0, 0x22, 0x56, 0, 0, 0x44, 0xac, 0, 0, 2, 0, 16, 0}, []byte{1, 2, 3}))
	f.Add([]byte("RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, rate, err := plainWAV(data)
		if err != nil {
			return
		}
		if again, rateAgain, err := plainWAV(file); err != nil || rateAgain != rate || string(again) != string(file) {
			t.Errorf("what was made plain is not: %v", err)
		}
	})
}
