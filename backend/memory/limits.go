package memory

import "time"

const (
	// MaxBytes is the most that the text of a memory holds, and of a file that a skill bundles.
	MaxBytes = 1 << 20
	// MaxTitleChars is the most that a title holds.
	MaxTitleChars = 200

	maxNameBytes        = 230 // of a file's name: every system takes 255, and a temporary name is longer by some
	maxSummaryChars     = 300
	maxDescriptionChars = 1_024 // of a skill (Agent Skills)
	maxFrontMatterBytes = 16 << 10
	maxMemories         = 20_000 // of the person; what is beyond is not read
	maxSkillFiles       = 1_000
	maxSkillDepth       = 8

	undoTime = 24 * time.Hour // how long a removed memory can be restored

	quiet        = 150 * time.Millisecond // how long the folder rests before a change is announced: an editor's save is several
	longestQuiet = time.Second            // a folder that never rests is announced so often
	pollEvery    = 10 * time.Second       // where the folder can't be watched

	// A file's times are trusted after it rested for so long: two changes within one tick of a file system's clock leave
	// the same ones.
	rest = 2 * time.Second
)
