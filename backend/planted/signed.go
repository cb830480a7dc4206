package planted

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// signedSchema is the shape of Signed that this Portico reads.
const signedSchema = 1

// Signed says what an archive holds, and its maker's signature stands under it.
type Signed struct {
	SchemaVersion int               `json:"schemaVersion"`
	ID            string            `json:"id"`
	Version       string            `json:"version"`
	Files         map[string]string `json:"files"`     // SHA-256 in hex by path; whatever else the archive holds is not part of it
	Signature     string            `json:"signature"` // Ed25519 in base64, over all of the above
}

// statement is what is signed: compact JSON with sorted keys, without the signature itself (loca-notes.md, 5).
func (s Signed) statement() ([]byte, error) {
	return json.Marshal(map[string]any{"schemaVersion": s.SchemaVersion, "id": s.ID, "version": s.Version, "files": s.Files})
}

// Sign describes these files of an archive and signs that.
func Sign(archive fs.FS, id, version string, files []string, key ed25519.PrivateKey) (Signed, error) {
	if _, err := semver.StrictNewVersion(version); err != nil {
		return Signed{}, fmt.Errorf("sign %s: the version %q: %w", id, version, err)
	}
	signed := Signed{SchemaVersion: signedSchema, ID: id, Version: version, Files: map[string]string{}}
	for _, name := range files {
		data, err := fs.ReadFile(archive, name)
		if err != nil {
			return Signed{}, fmt.Errorf("sign %s: %w", id, err)
		}
		signed.Files[name] = hashOf(data)
	}
	statement, err := signed.statement()
	if err != nil {
		return Signed{}, fmt.Errorf("sign %s: %w", id, err)
	}
	signed.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(key, statement))
	return signed, nil
}

// ReadSigned reads what Sign gave, as JSON. It believes nothing of it: Verify does.
func ReadSigned(data []byte) (Signed, error) {
	var signed Signed
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&signed); err != nil {
		return Signed{}, fmt.Errorf("read what was signed: %w", err)
	}
	if _, err := semver.StrictNewVersion(signed.Version); err != nil {
		return Signed{}, fmt.Errorf("read what was signed: the version %q: %w", signed.Version, err)
	}
	return signed, nil
}

// Verify gives the signed files of an archive, each read once and as it was signed, or says which differs.
func (s Signed) Verify(archive fs.FS, key ed25519.PublicKey) (map[string][]byte, error) {
	signature, err := base64.StdEncoding.DecodeString(s.Signature)
	if err != nil {
		return nil, fmt.Errorf("the signature is not base64: %w", err)
	}
	statement, err := s.statement()
	if err != nil {
		return nil, err
	}
	if s.SchemaVersion != signedSchema {
		return nil, fmt.Errorf("it is of the shape %d, and this Portico reads %d", s.SchemaVersion, signedSchema)
	}
	if !ed25519.Verify(key, statement, signature) {
		return nil, errors.New("the signature is not its maker's")
	}
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("%q is no path of a file", name)
		}
		data, err := fs.ReadFile(archive, name)
		if err != nil {
			return nil, err
		}
		if hashOf(data) != strings.ToLower(s.Files[name]) {
			return nil, fmt.Errorf("%s is not the file that was signed", name)
		}
		files[name] = data
	}
	return files, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
