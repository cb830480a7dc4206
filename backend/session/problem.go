package session

import (
	"fmt"

	"portico/backend/extension"
)

func missing(id string) error {
	return extension.NewProblem("session.missing", "This session is not there any more.", "Choose another one, or start a new one.", "session", id)
}

func entryMissing(id string) error {
	return extension.NewProblem("session.entry-missing", "This part of the session is not there any more.", "Open the session again.", "entry", id)
}

func entryEnded(e Entry) error {
	return extension.NewProblem("session.entry-ended", "That is settled already.", "Open the session again to see how.", "entry", e.ID, "state", string(e.State))
}

func busy(id string) error {
	return extension.NewProblem("session.busy", "A turn of this session is still going on.",
		"Stop it or wait until it is done. It may run in another window or command of Portico.", "session", id)
}

func badTitle() error {
	return extension.NewProblem("session.bad-title", "A title has 1 to {limit} characters.", "Give it another one.", "limit", fmt.Sprint(MaxTitleRunes))
}

func badMode(m Mode) error {
	return extension.NewProblem("session.bad-mode", "There is no mode “{mode}”.", "Choose plan, interactive, guided or autonomous.", "mode", string(m))
}

func modeFixed() error {
	return extension.NewProblem("session.mode-fixed", "This session is autonomous, and stays so.", "Start a new session for another mode.")
}

// tooLarge names what is: message, draft, text, entry, model or project.
func tooLarge(what string, limit int) error {
	return extension.NewProblem("session.too-large", "The {what} is too large: at most {limit} bytes fit.", "Shorten it, or put it into a file.",
		"what", what, "limit", fmt.Sprint(limit))
}
