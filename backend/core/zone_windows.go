package core

import "time"

// localZone gives the computer's time zone. Go reads it once here, when the process starts.
func localZone() func() *time.Location { return func() *time.Location { return time.Local } }
