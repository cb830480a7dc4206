// Package event carries what happens in the core to whoever listens. Two kinds of event: those that must arrive (entries,
// sessions, extensions) are never dropped and keep their order; text that streams is folded while a listener is behind,
// so that a slow window slows nothing and loses nothing: what it missed is in the next entry event.
package event

// Topic names a kind of event; the payload's type is beside it.
type Topic string

const (
	Entry       Topic = "entry"       // session.Entry: new, or changed
	Delta       Topic = "delta"       // TextDelta: more of a streaming entry's text
	Session     Topic = "session"     // session.Session: new, or changed
	SessionGone Topic = "sessionGone" // Gone
	Extensions  Topic = "extensions"  // nothing: list them again
	Install     Topic = "install"     // InstallStep
	Settings    Topic = "settings"    // nothing: get them again
	Models      Topic = "models"      // nothing: get the choice again
	Memories    Topic = "memories"    // nothing: list them again
	Vault       Topic = "vault"       // nothing: get its status again
	Voice       Topic = "voice"       // nothing: get the settings again
	Schedules   Topic = "schedules"   // nothing: list them again, with their histories
	Menu        Topic = "menu"        // MenuAction
	Drop        Topic = "drop"        // Dropped
	Resync      Topic = "resync"      // nothing: the listener missed something, everything is to be fetched again
)

// Event is one thing that happened.
type Event struct {
	Topic   Topic `json:"topic"`
	Payload any   `json:"payload,omitempty"`
}

// TextDelta is text to append to an entry. A listener whose text is longer than At has part of it already, because it fetched
// the entry in the meantime, and appends the rest; one whose text is shorter missed something and fetches the entry.
type TextDelta struct {
	Session string `json:"session"`
	Entry   string `json:"entry"`
	At      int    `json:"at"` // length of the text before, in UTF-16 code units
	Text    string `json:"text"`
}

// Gone names a session that was deleted.
type Gone struct {
	ID string `json:"id"`
}

// InstallStep is how far an install is.
type InstallStep struct {
	Job      string  `json:"job"`
	Step     string  `json:"step"`               // read, copy, check, fingerprint, fetch, swap, done
	Fraction float64 `json:"fraction"`           // 0 to 1 of the whole
	Detail   string  `json:"detail,omitempty"`   // the file at hand
	Packages int     `json:"packages,omitempty"` // of fetch: how many are needed, as far as is known
	Fetched  int     `json:"fetched,omitempty"`  // of fetch: how many of them have come
}

// MenuAction is an item of the native menu that was chosen: the id of a frontend action.
type MenuAction struct {
	Action string `json:"action"`
}

// Dropped is what was dropped on the window: absolute paths.
type Dropped struct {
	Paths []string `json:"paths"`
}
