package voice

import (
	"encoding/base64"
	"encoding/binary"
	"errors"

	"portico/backend/capability"
	"portico/backend/extension"
)

// Offsets and sizes of a WAV file (RIFF): a header of 12 bytes, then chunks with a head of 8.
const (
	riffHead   = 12
	chunkHead  = 8
	formatSize = 16
)

// soundOf gives a WAV file with its sizes right: a program that writes into a pipe knows no length beforehand, and says that
// it is two gigabytes.
func soundOf(data []byte) (capability.Sound, error) {
	file, rate, err := plainWAV(data)
	if err != nil {
		return capability.Sound{}, extension.NewProblem("voice.bad-sound", "The voice gave something that is no WAV file.", "Choose another voice in Settings › Voice.").Because(err)
	}
	return capability.Sound{DataB64: base64.StdEncoding.EncodeToString(file), Mime: "audio/wav", SampleRate: rate}, nil
}

// plainWAV keeps the format and the samples, and nothing else.
func plainWAV(data []byte) (file []byte, sampleRate int, err error) {
	if len(data) < riffHead || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return nil, 0, errors.New("it does not begin as one")
	}
	var format []byte
	for rest := data[riffHead:]; len(rest) >= chunkHead; {
		kind, size := string(rest[:4]), uint64(binary.LittleEndian.Uint32(rest[4:8]))
		body := rest[chunkHead:]
		cut := min(size, uint64(len(body)))
		switch kind {
		case "fmt ":
			if cut < formatSize {
				return nil, 0, errors.New("its format is cut off")
			}
			format = body[:cut]
		case "data":
			if format == nil {
				return nil, 0, errors.New("its samples come before their format")
			}
			rate := binary.LittleEndian.Uint32(format[4:8])
			if cut == 0 || rate == 0 {
				return nil, 0, errors.New("there is no sound in it")
			}
			return writeWAV(format, body[:cut]), int(rate), nil
		}
		rest = body[min(cut+size%2, uint64(len(body))):] // chunks begin at even places
	}
	return nil, 0, errors.New("it has no samples")
}

func writeWAV(format, samples []byte) []byte {
	pad := len(format) % 2
	size := riffHead + chunkHead + len(format) + pad + chunkHead + len(samples) + len(samples)%2
	out := make([]byte, 0, size)
	out = append(out, "RIFF"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(size-8))
	out = append(out, "WAVEfmt "...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(format)))
	out = append(append(out, format...), make([]byte, pad)...)
	out = append(out, "data"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(samples)))
	out = append(out, samples...)
	return append(out, make([]byte, len(samples)%2)...)
}
