package app

import (
	"context"

	"portico/backend/capability"
	"portico/backend/core"
	"portico/backend/voice"
)

// Voice is Settings › Voice, and what reads aloud and listens in the chat.
type Voice struct{ core *core.Core }

type SpokenText struct {
	Text string `json:"text"`
}

type HeardText struct {
	Text string `json:"text"`
}

// Get gives the settings and what can speak on this computer.
func (v *Voice) Get(ctx context.Context, _ None) (core.VoiceStatus, error) {
	return v.core.VoiceStatus(ctx)
}

// Save changes the settings.
func (v *Voice) Save(ctx context.Context, r voice.Settings) (core.VoiceStatus, error) {
	return v.core.SaveVoice(ctx, r)
}

// Speak gives a text as a WAV file.
func (v *Voice) Speak(ctx context.Context, r SpokenText) (capability.Sound, error) {
	return v.core.Speak(ctx, r.Text)
}

// Transcribe writes down what is said in a recording.
func (v *Voice) Transcribe(ctx context.Context, r capability.Recording) (HeardText, error) {
	text, err := v.core.Transcribe(ctx, r)
	return HeardText{text}, err
}

// Fetch fetches the voice that can be fetched. Progress arrives as "install" events with the job's name, and
// extensions.cancelInstall cancels it.
func (v *Voice) Fetch(ctx context.Context, r Job) (core.VoiceStatus, error) {
	return v.core.FetchVoice(ctx, r.Job)
}

// RemoveFetched takes it away again.
func (v *Voice) RemoveFetched(ctx context.Context, _ None) (core.VoiceStatus, error) {
	return v.core.RemoveVoice(ctx)
}
