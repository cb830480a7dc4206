package deno

import (
	"time"

	"portico/backend/confine"
)

// Limits of one call. What a page of the contract says stands beside the number.
const (
	bootLimit   = 10 * time.Second // loca-notes.md, 2
	cancelGrace = 2 * time.Second  // from ctx.signal to the end of the process (loca-notes.md, 2)

	maxFrameBytes  = 16 << 20 // loca-notes.md, 2: one line
	maxResultBytes = 8 << 20  // what a tool may give back; the worker knows the same number
	maxDepth       = 9_000    // levels of a result; what reads it later may wrap it, and readers of JSON stop at 10,000
	maxFrames      = 200_000  // of one call; a tool that sends more is running wild
	maxUnsent      = 10_000   // answers that a worker does not read

	progressEvery = 33 * time.Millisecond // at most thirty a second are passed on

	maxLogLines   = 2_000   // of one call, passed on to it
	maxLogBytes   = 1 << 20 // of one call, passed on to it
	maxNoiseBytes = 256 << 10
	maxDisplays   = 500
	maxQuestions  = 50 // in one form

	maxRequests    = 64       // of one call, at the same time; forms are among them
	maxHeldBytes   = 64 << 20 // of what they ask
	maxAnswerBytes = 16 << 20 // what a member of ctx gives back
	maxPartsBytes  = 48 << 20 // 25 MB of sound as base64, and some
	maxBrokerBytes = 1 << 20  // one question about an access

	stderrTailBytes = 8 << 10 // what a failed call tells of its standard error
	stderrTailLines = 12
)

// Limits of what is shown (loca-notes.md, 4), in UTF-16 units as JavaScript counts.
const (
	maxMarkdown  = 256_000
	maxImage     = 8_000_000
	maxRows      = 1_000
	maxColumns   = 64
	maxCell      = 4_096
	maxDiffSide  = 256_000
	maxShortText = 2_000 // labels, titles, the text of an error for the model
)

// Limits are what the person may change of what workers use of the computer.
type Limits struct {
	Running    int `json:"running"`    // calls at the same time; more wait their turn. One that waits for a person counts for nothing
	Ahead      int `json:"ahead"`      // workers that are booted before they are needed
	Megabytes  int `json:"megabytes"`  // of JavaScript's heap, in each worker
	CPUSeconds int `json:"cpuSeconds"` // of computing, in each worker: a backstop, calls end by the clock
}

// StandardLimits are those of a fresh installation; the other two bound what can be chosen. Deno does not boot in less
// memory, and a call is nothing that computes for a day.
var (
	StandardLimits = Limits{Running: 8, Ahead: 4, Megabytes: 512, CPUSeconds: 1_800}
	LeastLimits    = Limits{Running: 1, Ahead: 0, Megabytes: 64, CPUSeconds: 5}
	MostLimits     = Limits{Running: 64, Ahead: 16, Megabytes: 16_384, CPUSeconds: 86_400}
)

// ofProcess is what the operating system holds a worker to.
func (l Limits) ofProcess() confine.Limits {
	return confine.Limits{
		DataBytes: uint64(l.Megabytes)<<20 + besideHeap, CPUSeconds: uint64(l.CPUSeconds), FileBytes: fileBytes, OpenFiles: openFiles,
	}
}

// Limits of one worker's process that nobody changes.
const (
	besideHeap = 3 << 29 // private writable memory beside the heap: buffers, WebAssembly, Deno's own
	fileBytes  = 8 << 30
	openFiles  = 1_024
)

// Limits of what is booted ahead.
const (
	aheadBytes = 384 << 20 // memory of all of it
	aheadIdle  = 5 * time.Minute
)

// Limits of getting an extension ready.
const (
	prepareLimit   = 60 * time.Second
	fetchLimit     = 15 * time.Minute // what a slow line takes for the largest packages
	maxConfigBytes = 1 << 20
	maxModules     = 20_000
)
