// Package voice speaks texts and writes down what was said: with the system's own voices, with espeak-ng, with any server
// that speaks the OpenAI API, and with a program that the person names. Both are off until they are switched on. Texts and
// recordings go to programs through pipes and files of their own, never through a command line, which is everybody's to
// read. Every refusal is a *extension.Problem. A call ends with its context, and with it all that it started.
package voice

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"portico/backend/capability"
	"portico/backend/extension"
	"portico/backend/model"
)

// Limits (loca-notes.md, 4).
const (
	MaxTextChars  = 2_000
	MaxAudioBytes = 25 << 20 // decoded

	speakLimit  = time.Minute // 2,000 characters take the fetched voice 1.3 s
	listenLimit = 5 * time.Minute

	maxSoundBytes   = 64 << 20 // of a WAV file
	maxHeardBytes   = 1 << 20  // of a program's transcript
	maxWordsBytes   = 8 << 10  // of a program's last words
	maxSettingBytes = 2_000    // of one text in the settings
	minRate         = 0.5
	maxRate         = 3.0
)

// Engines. Which there are depends on the system; Found says.
const (
	Automatic = ""             // the first that is there
	Say       = "say"          // macOS
	Windows   = "windows"      // System.Speech
	Espeak    = "espeak-ng"    // the program
	Package   = "espeak-ng-js" // the same as WebAssembly, fetched on request
	Endpoint  = "endpoint"     // a server that speaks the OpenAI API
	Program   = "program"      // one that the person names; only for listening
)

// Settings are what the person chose.
type Settings struct {
	Speak  SpeakSettings  `json:"speak"`
	Listen ListenSettings `json:"listen"`
}

// SpeakSettings choose who speaks.
type SpeakSettings struct {
	On       bool    `json:"on"`
	Engine   string  `json:"engine"`   // Automatic or another
	Voice    string  `json:"voice"`    // the engine's own name for it; empty: its own choice
	Rate     float64 `json:"rate"`     // 1: as the voice is; 0.5 to 3
	Endpoint string  `json:"endpoint"` // base address; its key is the model server's of that address
	Model    string  `json:"model"`    // of the endpoint
}

// ListenSettings choose who listens.
type ListenSettings struct {
	On        bool   `json:"on"`
	Engine    string `json:"engine"` // Endpoint or Program; empty: none chosen yet
	Endpoint  string `json:"endpoint"`
	Model     string `json:"model"`
	Program   string `json:"program"`   // a path, or a name that is looked for
	Arguments string `json:"arguments"` // parted by spaces, quotes hold together; {file} is the recording
}

// DefaultSettings have both off.
var DefaultSettings = Settings{Speak: SpeakSettings{Rate: 1}}

// Options are what voices stand on.
type Options struct {
	Settings func(context.Context) (Settings, error)
	Key      func(baseURL string) model.Keys
	Folder   string                                               // where the fetched package is
	Cache    string                                               // where files of one call are
	Deno     func() (string, error)                               // the path of Deno
	Archive  func(context.Context, Pin, Progress) (string, error) // fetches a package's archive into a file
	LookPath func(string) (string, error)                         // nil: exec.LookPath
}

// Progress says how many bytes have come.
type Progress func(bytes int64)

// Voice speaks and listens. It is safe for concurrent use and keeps no process between calls.
type Voice struct{ options Options }

// New makes a voice. It touches nothing.
func New(options Options) *Voice {
	if options.LookPath == nil {
		options.LookPath = exec.LookPath
	}
	return &Voice{options}
}

var (
	_ capability.Speaker     = (*Voice)(nil)
	_ capability.Transcriber = (*Voice)(nil)
)

// voiceName is what engines call their voices: no option, no path.
var voiceName = regexp.MustCompile(`^[\pL\pN][\pL\pN _.,()+'/-]*$`)

// Check gives settings as they are kept, or says what can't be.
func Check(s Settings) (Settings, error) {
	bad := func(field, why string) (Settings, error) { return s, badSetting(field, why) }
	for _, text := range []*string{&s.Speak.Engine, &s.Speak.Voice, &s.Speak.Endpoint, &s.Speak.Model, &s.Listen.Engine, &s.Listen.Endpoint, &s.Listen.Model, &s.Listen.Program, &s.Listen.Arguments} {
		*text = strings.TrimSpace(*text)
		if len(*text) > maxSettingBytes || strings.ContainsAny(*text, "\x00\r\n") {
			return bad("voice", "it is too long or has line breaks")
		}
	}
	switch s.Speak.Engine {
	case Automatic, Say, Windows, Espeak, Package, Endpoint:
	default:
		return bad("engine", "there is none called "+s.Speak.Engine)
	}
	if s.Speak.Rate == 0 {
		s.Speak.Rate = 1
	}
	if math.IsNaN(s.Speak.Rate) || s.Speak.Rate < minRate || s.Speak.Rate > maxRate {
		return bad("rate", "it is not between 0.5 and 3")
	}
	if s.Speak.Voice != "" && !voiceName.MatchString(s.Speak.Voice) {
		return bad("voice", "no voice is called that")
	}
	switch s.Listen.Engine {
	case "", Endpoint, Program:
	default:
		return bad("engine", "there is none called "+s.Listen.Engine)
	}
	for _, address := range []*string{&s.Speak.Endpoint, &s.Listen.Endpoint} {
		if *address == "" {
			continue
		}
		normal, err := model.NormalizeBaseURL(*address)
		if err != nil {
			return s, err
		}
		*address = normal
	}
	switch {
	case s.Speak.On && s.Speak.Engine == Endpoint && s.Speak.Endpoint == "", s.Listen.On && s.Listen.Engine == Endpoint && s.Listen.Endpoint == "":
		return bad("address", "it is empty")
	case s.Listen.On && s.Listen.Engine == "":
		return bad("engine", "none is chosen")
	case s.Listen.On && s.Listen.Engine == Program && s.Listen.Program == "":
		return bad("program", "it is empty")
	}
	if s.Listen.Engine == Program && s.Listen.Program != "" {
		if _, err := splitArguments(s.Listen.Arguments); err != nil {
			return bad("arguments", err.Error())
		}
		if !strings.Contains(s.Listen.Arguments, fileMark) {
			return bad("arguments", "{file} does not occur in them")
		}
	}
	return s, nil
}

func badSetting(field, why string) *extension.Problem {
	return extension.NewProblem("voice.bad-setting", "The setting {field} can't be used: {why}.", "Change it in Settings › Voice.", "field", field, "why", why)
}

// Found is an engine that can speak here, or that can be fetched.
type Found struct {
	Engine  string      `json:"engine"`
	Name    string      `json:"name"`    // "espeak-ng 1.51"
	Ready   bool        `json:"ready"`   // false: it can be fetched
	Bytes   int64       `json:"bytes"`   // what fetching it takes; 0: nothing
	License string      `json:"license"` // of what is fetched
	Voices  []VoiceName `json:"voices"`
}

// VoiceName is one of an engine's voices.
type VoiceName struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Language string `json:"language"` // BCP 47
}

// Found lists the engines of this computer, best first.
func (v *Voice) Found(ctx context.Context) []Found {
	found := []Found{}
	for _, e := range v.engines() {
		if f, ok := e.found(ctx); ok {
			found = append(found, f)
		}
	}
	return found
}

// engine is one way to speak.
type engine interface {
	id() string
	// found says what there is of it; false: nothing, and nothing to fetch.
	found(ctx context.Context) (Found, bool)
	// ready says whether it can speak now, without starting anything.
	ready() bool
	speak(ctx context.Context, text string, s SpeakSettings) ([]byte, error)
}

// engines gives all of this system, best first. A package is for Linux: the other systems have voices of their own.
func (v *Voice) engines() []engine {
	return append(v.systemEngines(), &espeak{v}, &packaged{v})
}

// Speak gives a text as a WAV file.
func (v *Voice) Speak(ctx context.Context, text string) (capability.Sound, error) {
	settings, err := v.options.Settings(ctx)
	if err != nil {
		return capability.Sound{}, err
	}
	s := settings.Speak
	if !s.On {
		return capability.Sound{}, extension.NewProblem("voice.speak-off", "Reading aloud is switched off.", "Switch it on in Settings › Voice.")
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "�"))
	switch n := len([]rune(text)); {
	case n == 0:
		return capability.Sound{}, extension.NewProblem("voice.no-text", "There is nothing to read aloud.", "Give a text.")
	case n > MaxTextChars:
		return capability.Sound{}, extension.NewProblem("voice.text-too-long", "The text has {count} characters; {max} are read aloud at once.", "Give it in parts.",
			"count", fmt.Sprint(n), "max", fmt.Sprint(MaxTextChars))
	}
	text = strings.ReplaceAll(text, "\x00", " ")
	limited, cancel := context.WithTimeout(ctx, speakLimit)
	defer cancel()
	said, err := v.say(limited, text, s)
	if ctx.Err() != nil {
		return capability.Sound{}, ctx.Err()
	}
	if limited.Err() != nil {
		return capability.Sound{}, extension.NewProblem("voice.speak-slow", "The voice did not finish within {seconds} seconds.", "Try a shorter text, or another voice in Settings › Voice.",
			"seconds", fmt.Sprint(int(speakLimit/time.Second))).Because(err)
	}
	if err != nil {
		return capability.Sound{}, err
	}
	return soundOf(said)
}

// say gives the file of the chosen engine.
func (v *Voice) say(ctx context.Context, text string, s SpeakSettings) ([]byte, error) {
	if s.Engine == Endpoint {
		client := model.NewOpenAI(s.Endpoint, model.WithKeys(v.options.Key(s.Endpoint)))
		speech := model.Speech{Model: s.Model, Voice: s.Voice, Text: text}
		if s.Rate != 1 {
			speech.Speed = s.Rate
		}
		return client.Speak(ctx, speech)
	}
	for _, e := range v.engines() {
		if s.Engine == Automatic && e.ready() {
			s.Voice = voiceOf(s, e)
			return e.speak(ctx, text, s)
		}
		if s.Engine == e.id() {
			if !e.ready() {
				break
			}
			return e.speak(ctx, text, s)
		}
	}
	return nil, extension.NewProblem("voice.no-engine", "There is no voice on this computer.", "Choose one in Settings › Voice; one of them can be fetched there.")
}

// voiceOf: a voice was chosen of an engine; when another speaks in its place, it has no such voice.
func voiceOf(s SpeakSettings, e engine) string {
	if e.id() == Espeak || e.id() == Package { // they have the same voices
		return s.Voice
	}
	return ""
}

// scratch is a folder for one call.
func (v *Voice) scratch() (string, error) {
	folder, err := makeScratch(v.options.Cache)
	if err != nil {
		return "", extension.NewProblem("voice.no-room", "There is no room for a sound on this disk, or no right to write it.", "Make room, and try again.").At(filepath.Clean(v.options.Cache)).Because(err)
	}
	return folder, nil
}
