package core

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"
)

// Places are where Portico keeps what is on disk (architecture.md, On disk).
type Places struct {
	Data          string // all of it
	Database      string // portico.db
	Extensions    string
	ExtensionData string // one folder for each extension that keeps something; made when it is first used
	Models        string // what $models names
	Sessions      string // what $sessions names
	Memories      string // made when it is first used
	Vault         string // likewise
	Voice         string // likewise: the voice that was fetched
	Logs          string
	Cache         string
}

// DataFolder is the platform's data folder, or $PORTICO_HOME.
func DataFolder() (string, error) {
	if home := os.Getenv("PORTICO_HOME"); home != "" {
		abs, err := filepath.Abs(home)
		if err != nil {
			return "", fmt.Errorf("find the folder $PORTICO_HOME names: %w", err)
		}
		return abs, nil
	}
	name := "portico"
	if runtime.GOOS != "linux" {
		name = "Portico"
	}
	return filepath.Join(xdg.DataHome, name), nil
}

func placesIn(data string) Places {
	return Places{
		Data:          data,
		Database:      filepath.Join(data, "portico.db"),
		Extensions:    filepath.Join(data, "extensions"),
		ExtensionData: filepath.Join(data, "extension-data"),
		Models:        filepath.Join(data, "models"),
		Sessions:      filepath.Join(data, "sessions"),
		Memories:      filepath.Join(data, "memories"),
		Vault:         filepath.Join(data, "vault"),
		Voice:         filepath.Join(data, "voice"),
		Logs:          filepath.Join(data, "logs"),
		Cache:         filepath.Join(data, "cache"),
	}
}

// make creates the folders, readable by their owner alone.
func (p Places) make() error {
	for _, folder := range []string{p.Data, p.Extensions, p.Models, p.Sessions, p.Logs, p.Cache} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make Portico's folder %s: %w", folder, err)
		}
	}
	return nil
}
