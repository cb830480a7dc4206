// Command sign signs the extension that is embedded into Portico: `go run ./build sign`. It reads the private key from the
// file that $PORTICO_SIGNING_KEY names and writes what it signed beside the extension's folder. -new-key FILE makes a key.
// docs/signing.md says when which is done.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"portico/backend/planted"
	"portico/sandbox"

	"github.com/Masterminds/semver/v3"
)

const keyVariable = "PORTICO_SIGNING_KEY"

func main() {
	newKey := flag.String("new-key", "", "make a private key in this file, and print its public half")
	flag.Parse()
	var err error
	if *newKey != "" {
		err = makeKey(*newKey)
	} else {
		err = sign()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// makeKey writes a new private key, and replaces none.
func makeKey(file string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	if err := errors.Join(pem.Encode(out, &pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), out.Close()); err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	fmt.Printf("%s holds the private key: keep it out of the repository.\nIts public half, for backend/planted/key.go: %s\n", file, hex.EncodeToString(public))
	return nil
}

func readKey() (ed25519.PrivateKey, error) {
	file := os.Getenv(keyVariable)
	if file == "" {
		return nil, fmt.Errorf("%s names no key file: only who holds the makers' private key can sign (docs/signing.md)", keyVariable)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the private key: %w", err)
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("read the private key: %s is not PEM", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the private key: %w", err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("read the private key: %s is no Ed25519 key", file)
	}
	if !private.Public().(ed25519.PublicKey).Equal(planted.BuiltIn().Key) {
		return nil, fmt.Errorf("%s is not the key whose public half stands in backend/planted/key.go", file)
	}
	return private, nil
}

func sign() error {
	key, err := readKey()
	if err != nil {
		return err
	}
	archive := os.DirFS(sandbox.BuiltInFolder)
	version, err := versionOf(archive)
	if err != nil {
		return err
	}
	names, err := sandbox.Shipped(archive)
	if err != nil {
		return fmt.Errorf("list %s: %w", sandbox.BuiltInFolder, err)
	}
	signed, err := planted.Sign(archive, sandbox.BuiltInID, version, names, key)
	if err != nil {
		return err
	}
	file := sandbox.BuiltInFolder + ".signed.json"
	before, err := os.ReadFile(file)
	if err == nil {
		err = raised(before, signed)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(signed); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// raised refuses other files under the version that was signed before: who has that version would never get them.
func raised(before []byte, now planted.Signed) error {
	last, err := planted.ReadSigned(before)
	if err != nil || maps.Equal(last.Files, now.Files) {
		return nil
	}
	if semver.MustParse(now.Version).GreaterThan(semver.MustParse(last.Version)) {
		return nil
	}
	return fmt.Errorf("the files changed since %s was signed: raise the version in package.json of %s", last.Version, sandbox.BuiltInFolder)
}

func versionOf(archive fs.FS) (string, error) {
	data, err := fs.ReadFile(archive, "package.json")
	if err != nil {
		return "", fmt.Errorf("read the version: %w", err)
	}
	var said struct{ Version string }
	if err := json.Unmarshal(data, &said); err != nil {
		return "", fmt.Errorf("read the version in package.json: %w", err)
	}
	return said.Version, nil
}
