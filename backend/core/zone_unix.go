//go:build unix

package core

import (
	"bytes"
	"os"
	"sync"
	"time"
)

// zoneFile is what the system's time zone is read from.
const zoneFile = "/etc/localtime"

// localZone gives the computer's time zone as it is now. time.Local stays what it was when the process started, and a
// laptop travels.
func localZone() func() *time.Location {
	if _, fixed := os.LookupEnv("TZ"); fixed {
		return func() *time.Location { return time.Local }
	}
	return zoneIn(zoneFile)
}

// zoneIn compares what the file holds: its time of change is often the same for all zones.
func zoneIn(file string) func() *time.Location {
	var mu sync.Mutex
	var held []byte
	zone := time.Local
	return func() *time.Location {
		mu.Lock()
		defer mu.Unlock()
		data, err := os.ReadFile(file)
		if err != nil || bytes.Equal(data, held) {
			return zone
		}
		if found, err := time.LoadLocationFromTZData("Local", data); err == nil {
			zone, held = found, data
		}
		return zone
	}
}
