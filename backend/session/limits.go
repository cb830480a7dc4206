package session

import "time"

// Sizes. What goes beyond one is a Problem, or is cut where that says so.
const (
	MaxMessageBytes = 1 << 20  // what a person sends at once, and a draft
	MaxTextBytes    = 4 << 20  // any other entry's text; a stream is cut there, see TextStream.Full
	MaxEntryBytes   = 16 << 20 // an entry on disk: a call with arguments, log and result, a display with its image
	MaxLogLines     = 200      // of one call; the oldest go
	MaxLogLineBytes = 8 << 10  // a longer line is cut
	MaxTitleRunes   = 200
	MaxNameBytes    = 4 << 10 // a model's name, a project's folder

	firstTitleRunes = 60 // of the title that the first message gives
)

// How often a running entry is announced and saved.
const (
	// deltaEvery spaces the deltas of one stream: a window draws one in 16 to 33 ms.
	deltaEvery = 25 * time.Millisecond
	// liveEvery spaces the announcements of one running call.
	liveEvery = 34 * time.Millisecond
	// saveEvery is how long streamed text or progress stays unsaved. With the commit itself it must stay within the
	// 250 ms that a crash may cost (architecture.md, Streaming and disk).
	saveEvery = 200 * time.Millisecond
	// saveAgainAfter is the wait after a save that failed: the disk is full, or another process holds the file.
	saveAgainAfter = time.Second
)
