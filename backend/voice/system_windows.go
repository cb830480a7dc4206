package voice

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

func (v *Voice) systemEngines() []engine { return []engine{&speech{v}} }

// speech is System.Speech, by way of PowerShell, which every Windows has.
type speech struct{ voice *Voice }

func (s *speech) id() string { return Windows }

func (s *speech) path() string {
	return filepath.Join(os.Getenv("SystemRoot"), "System32", "WindowsPowerShell", "v1.0", "powershell.exe")
}

func (s *speech) ready() bool {
	_, err := os.Stat(s.path())
	return err == nil
}

// speakScript reads the voice, the rate and the text from standard input, and writes a WAV file to standard output: nothing
// of them is part of the script.
const speakScript = `$ErrorActionPreference='Stop'
Add-Type -AssemblyName System.Speech
$in=New-Object IO.StreamReader([Console]::OpenStandardInput(),(New-Object Text.UTF8Encoding($false)))
$voice=$in.ReadLine();$rate=[int]$in.ReadLine();$text=$in.ReadToEnd()
$speaker=New-Object System.Speech.Synthesis.SpeechSynthesizer
if($voice){$speaker.SelectVoice($voice)}
$speaker.Rate=$rate
$wav=New-Object IO.MemoryStream
$speaker.SetOutputToWaveStream($wav)
$speaker.Speak($text)
$speaker.SetOutputToNull()
$out=[Console]::OpenStandardOutput()
$wav.WriteTo($out);$out.Flush()`

const voicesScript = `$ErrorActionPreference='Stop'
[Console]::OutputEncoding=New-Object Text.UTF8Encoding($false)
Add-Type -AssemblyName System.Speech
(New-Object System.Speech.Synthesis.SpeechSynthesizer).GetInstalledVoices()|Where-Object Enabled|ForEach-Object{$_.VoiceInfo.Name+[char]9+$_.VoiceInfo.Culture.Name}`

func (s *speech) run(ctx context.Context, script, in string, max int64) ([]byte, error) {
	return s.voice.run(ctx, program{policy: anything(), path: s.path(), env: clean(), in: []byte(in), max: max,
		args: []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", script}})
}

func (s *speech) found(ctx context.Context) (Found, bool) {
	if !s.ready() {
		return Found{}, false
	}
	f := Found{Engine: Windows, Name: "Windows", Ready: true, Voices: []VoiceName{}}
	said, err := s.run(ctx, voicesScript, "", maxHeardBytes)
	if err != nil {
		return f, true
	}
	for line := range bytes.Lines(said) {
		if name, language, ok := strings.Cut(strings.TrimSpace(string(line)), "\t"); ok {
			f.Voices = append(f.Voices, VoiceName{ID: name, Name: name, Language: language})
		}
	}
	return f, true
}

func (s *speech) speak(ctx context.Context, text string, settings SpeakSettings) ([]byte, error) {
	// Its rate goes from -10 to 10; ten is about three times as fast.
	rate := int(math.Round(max(-10, min(10, 10*math.Log(settings.Rate)/math.Log(3)))))
	return s.run(ctx, speakScript, fmt.Sprintf("%s\n%d\n%s", settings.Voice, rate, text), maxSoundBytes)
}
