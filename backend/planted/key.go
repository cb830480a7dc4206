package planted

import (
	"crypto/ed25519"
	"encoding/hex"
)

// makers is the public half of the key that the extensions in this repository are signed with (docs/signing.md).
const makers = "99aac9761cfbe7797c59a00de3b06f1bae8c9024d3ec3f533c85599102979f88"

func makersKey() ed25519.PublicKey {
	key, err := hex.DecodeString(makers)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return make(ed25519.PublicKey, ed25519.PublicKeySize) // no signature fits it
	}
	return key
}
