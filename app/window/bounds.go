package window

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"portico/backend/whole"
)

// The window's size in logical pixels: at first, at least, and at most (a file says otherwise only when it is damaged).
const (
	defaultWidth, defaultHeight = 1280, 860
	minWidth, minHeight         = 720, 480
	maxExtent                   = 32767 // what X11 and Win32 can place

	// grip is how much of the window's top edge must be on a screen, so that it can be taken and moved.
	grip = 64
)

// Bounds are where the window is. While it is maximised, size and position are those it goes back to.
type Bounds struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	Placed    bool `json:"placed"` // X and Y mean something; else the system places the window
}

// Rect is one screen, without what the system's own bars take.
type Rect struct{ X, Y, Width, Height int }

// sized makes the size one that a window can have.
func (b Bounds) sized() Bounds {
	if b.Width <= 0 || b.Height <= 0 || b.Width > maxExtent || b.Height > maxExtent {
		b.Width, b.Height = defaultWidth, defaultHeight
	}
	b.Width, b.Height = max(b.Width, minWidth), max(b.Height, minHeight)
	return b
}

// fit moves and shrinks bounds so that the window is on one of the screens that are there now: the one it covers most
// of, or the first where it covers none (a monitor that is gone). A window whose top edge can be taken is left where
// the person put it, partly off the screen or not.
func fit(b Bounds, screens []Rect) Bounds {
	b = b.sized()
	if len(screens) == 0 {
		return b
	}
	screen, most := screens[0], 0
	for _, s := range screens {
		if area := overlap(b, s); area > most {
			screen, most = s, area
		}
	}
	b.Width = clamp(b.Width, minWidth, max(screen.Width, minWidth))
	b.Height = clamp(b.Height, minHeight, max(screen.Height, minHeight))
	if !b.Placed {
		return b
	}
	if most == 0 { // in the middle of a screen it was never on
		b.X, b.Y = screen.X+max(screen.Width-b.Width, 0)/2, screen.Y+max(screen.Height-b.Height, 0)/2
		return b
	}
	b.X = clamp(b.X, screen.X-b.Width+grip, screen.X+screen.Width-grip)
	b.Y = clamp(b.Y, screen.Y, screen.Y+screen.Height-grip)
	return b
}

func overlap(b Bounds, s Rect) int {
	width := min(b.X+b.Width, s.X+s.Width) - max(b.X, s.X)
	height := min(b.Y+b.Height, s.Y+s.Height) - max(b.Y, s.Y)
	return max(width, 0) * max(height, 0)
}

func clamp(v, low, high int) int { return max(low, min(v, high)) }

// remember is what is kept of what was seen: the size of a maximised window is the screen's, not the person's.
func remember(kept, seen Bounds) Bounds {
	if seen.Maximised {
		kept.Maximised = true
		return kept
	}
	return seen
}

// boundsKeeper keeps the bounds in a file. A file that is missing or damaged is a window of the default size: nothing
// that a person made is lost with it.
type boundsKeeper struct {
	file string

	mu   sync.Mutex
	kept Bounds
}

func newBoundsKeeper(file string) *boundsKeeper { return &boundsKeeper{file: file} }

func (k *boundsKeeper) load() Bounds {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = Bounds{Width: defaultWidth, Height: defaultHeight}
	if data, err := os.ReadFile(k.file); err == nil {
		var read Bounds
		if json.Unmarshal(data, &read) == nil {
			k.kept = read
		}
	}
	k.kept = k.kept.sized()
	return k.kept
}

// fit fits the bounds to the screens that are there, and gives them.
func (k *boundsKeeper) fit(screens []Rect) Bounds {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = fit(k.kept, screens)
	return k.kept
}

func (k *boundsKeeper) now() Bounds {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept
}

// see keeps what the window's bounds are now, if they changed.
func (k *boundsKeeper) see(seen Bounds) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := remember(k.kept, seen)
	if now == k.kept {
		return nil
	}
	data, err := json.Marshal(now)
	if err == nil {
		err = whole.Write(k.file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the window's place in %s: %w", k.file, err)
	}
	k.kept = now
	return nil
}
