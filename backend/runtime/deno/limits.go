package deno

import "time"

// Limits of one call. What a page of the contract says stands beside the number.
const (
	bootLimit   = 10 * time.Second // loca-notes.md, 2
	cancelGrace = 2 * time.Second  // from ctx.signal to the end of the process (loca-notes.md, 2)

	maxFrameBytes  = 16 << 20 // loca-notes.md, 2: one line
	maxResultBytes = 8 << 20  // what a tool may give back; the worker knows the same number
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

// Limits of one worker's process.
const (
	heapMegabytes = 512
	dataBytes     = 2 << 30 // private writable memory: the heap, buffers outside of it, WebAssembly
	fileBytes     = 8 << 30
	openFiles     = 1_024
	cpuSeconds    = 1_800 // a backstop: calls end by the clock
)

// Limits of what runs at the same time and of what is booted ahead.
const (
	maxRunning = 8 // calls; more wait their turn. One that waits for a person counts for nothing
	maxAhead   = 4
	aheadBytes = 384 << 20 // memory of all that is booted ahead
	aheadIdle  = 5 * time.Minute
)

// Limits of getting an extension ready.
const (
	prepareLimit   = 60 * time.Second
	fetchLimit     = 15 * time.Minute // what a slow line takes for the largest packages
	maxConfigBytes = 1 << 20
	maxModules     = 20_000
)
