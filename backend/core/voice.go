package core

import (
	"context"

	"portico/backend/capability"
	"portico/backend/event"
	"portico/backend/npm"
	"portico/backend/runtime/deno"
	"portico/backend/voice"
)

// VoiceStatus is Settings › Voice: what is chosen, and what can speak here.
type VoiceStatus struct {
	voice.Settings
	Found []voice.Found `json:"found"`
}

// openVoice makes the voice. It touches nothing before it is used.
func (c *Core) openVoice() *voice.Voice {
	return voice.New(voice.Options{
		Settings: c.voiceSettings, Key: c.keyOf, Folder: c.places.Voice, Cache: c.places.Cache, Deno: deno.Find, Archive: c.fetchArchive,
	})
}

func (c *Core) voiceSettings(ctx context.Context) (voice.Settings, error) {
	s := voice.DefaultSettings
	err := c.kept.get(ctx, "voice", &s)
	return s, err
}

// fetchArchive gets a package from where npm gets it on this computer.
func (c *Core) fetchArchive(ctx context.Context, pin voice.Pin, progress voice.Progress) (string, error) {
	config, err := npm.Read(npm.OnThisComputer(registry))
	if err != nil {
		return "", err
	}
	return npm.Archive(ctx, config, npm.Standard, c.places.Cache, pin.Name, pin.Version, pin.Integrity, progress)
}

// VoiceStatus gives the settings, and looks for what can speak.
func (c *Core) VoiceStatus(ctx context.Context) (VoiceStatus, error) {
	s, err := c.voiceSettings(ctx)
	if err != nil {
		return VoiceStatus{}, err
	}
	return VoiceStatus{s, c.voice.Found(ctx)}, nil
}

// SaveVoice checks and keeps the settings.
func (c *Core) SaveVoice(ctx context.Context, s voice.Settings) (VoiceStatus, error) {
	s, err := voice.Check(s)
	if err != nil {
		return VoiceStatus{}, err
	}
	if err := c.kept.set(ctx, "voice", s); err != nil {
		return VoiceStatus{}, err
	}
	c.Events.Publish(event.Event{Topic: event.Voice})
	return c.VoiceStatus(ctx)
}

// Speak reads a text aloud.
func (c *Core) Speak(ctx context.Context, text string) (capability.Sound, error) {
	return c.voice.Speak(ctx, text)
}

// Transcribe writes down what is said.
func (c *Core) Transcribe(ctx context.Context, r capability.Recording) (string, error) {
	return c.voice.Transcribe(ctx, r)
}

// FetchVoice fetches espeak-ng as WebAssembly. Its progress comes as an install's does, and CancelInstall cancels it.
func (c *Core) FetchVoice(ctx context.Context, job string) (VoiceStatus, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if job != "" {
		c.jobs.Lock()
		c.byJob[job] = cancel
		c.jobs.Unlock()
		defer func() {
			c.jobs.Lock()
			delete(c.byJob, job)
			c.jobs.Unlock()
		}()
	}
	err := c.voice.Fetch(ctx, func(step string, fraction float64) {
		c.Events.Publish(event.Event{Topic: event.Install, Payload: event.InstallStep{Job: job, Step: step, Fraction: fraction}})
	})
	if err != nil {
		return VoiceStatus{}, err
	}
	c.Events.Publish(event.Event{Topic: event.Voice})
	return c.VoiceStatus(context.WithoutCancel(ctx))
}

// RemoveVoice takes the fetched voice away.
func (c *Core) RemoveVoice(ctx context.Context) (VoiceStatus, error) {
	if err := c.voice.RemovePackage(); err != nil {
		return VoiceStatus{}, err
	}
	c.Events.Publish(event.Event{Topic: event.Voice})
	return c.VoiceStatus(ctx)
}
