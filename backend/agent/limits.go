package agent

const (
	// DefaultSteps is how often the model is asked within one turn, unless the settings say otherwise.
	DefaultSteps = 12
	// MaxTools is how many tools the model is shown, but for those that are always available or named: each one costs
	// the model attention, and a small local one its context.
	MaxTools = 30
	// MaxMatches is how many tools direct mode offers.
	MaxMatches = 5
	// MaxResultChars is how much of one result the model is told: some 10,000 tokens.
	MaxResultChars = 40_000
	// MaxKeptResultBytes is how much of one result the session keeps; a longer one is kept as a text, its beginning.
	MaxKeptResultBytes = 256 << 10

	maxRepeats       = 3       // the same call with the same arguments in a row: this one is refused, a further one ends the turn
	maxArgsBytes     = 1 << 20 // of one call
	maxCalls         = 64      // of one answer
	maxQuestions     = 50      // asked at once
	maxQuestionBytes = 12 << 20
	maxOpenQuestions = 20 // of one call at the same time
	maxDisplays      = 200
	maxDisplayBytes  = 32 << 20 // of one call, altogether: some of the largest images
	maxLabelChars    = 200
	maxNamedTools    = 40 // in the answer to a call of a tool that does not exist

	// What a display may hold (loca-notes.md, ctx). What is longer is cut, or dropped where a part makes no sense.
	maxMarkdownChars = 256_000
	maxImageChars    = 8_000_000 // base64
	maxTableRows     = 1_000
	maxTableColumns  = 64
	maxCellChars     = 4_096
	maxDiffChars     = 256_000
)
