package core

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/backend/capability"
	"portico/backend/voice"
)

func TestTheVoiceIsKeptAndSpeaksWithTheKeyOfItsServer(t *testing.T) {
	data := t.TempDir()
	c := withPassphrase(t, data)
	status, err := c.VoiceStatus(t.Context())
	if err != nil || status.Speak.On || status.Listen.On || status.Speak.Rate != 1 {
		t.Fatalf("at first it is %+v %v", status.Settings, err)
	}
	wav := append([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x22\x56\x00\x00\x44\xac\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff"), make([]byte, 1000)...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer sk-the-key":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/audio/speech":
			w.Write(wav)
		default:
			fmt.Fprint(w, `{"text":"hello"}`)
		}
	}))
	t.Cleanup(server.Close)
	if err := c.SetModelKey(t.Context(), server.URL, "sk-the-key"); err != nil {
		t.Fatal(err)
	}
	s := voice.Settings{
		Speak:  voice.SpeakSettings{On: true, Engine: voice.Endpoint, Endpoint: server.URL, Rate: 1.5},
		Listen: voice.ListenSettings{On: true, Engine: voice.Endpoint, Endpoint: server.URL},
	}
	if _, err := c.SaveVoice(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	// The same services as an extension is given.
	sound, err := c.services().Speaker.Speak(t.Context(), "hello")
	if err != nil || sound.SampleRate != 22050 || sound.Mime != "audio/wav" {
		t.Errorf("spoken is %+v %v", sound, err)
	}
	text, err := c.services().Transcriber.Transcribe(t.Context(), capability.Recording{DataB64: base64.StdEncoding.EncodeToString(wav)})
	if err != nil || text != "hello" {
		t.Errorf("heard is %q %v", text, err)
	}
	again := withPassphrase(t, data)
	if status, err := again.VoiceStatus(t.Context()); err != nil || status.Speak.Rate != 1.5 || status.Listen.Endpoint != server.URL+"/v1" {
		t.Errorf("kept is %+v %v", status.Settings, err)
	}
}
