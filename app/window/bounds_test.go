package window

import (
	"os"
	"path/filepath"
	"testing"
)

var (
	laptop  = Rect{0, 0, 1440, 900}
	monitor = Rect{1440, -200, 2560, 1400}
)

func TestAWindowComesBackWhereItCanBeTaken(t *testing.T) {
	for _, c := range []struct {
		name    string
		kept    Bounds
		screens []Rect
		want    Bounds
	}{
		{"where it was", Bounds{100, 50, 900, 600, false, true}, []Rect{laptop, monitor}, Bounds{100, 50, 900, 600, false, true}},
		{"on the second screen, above the first", Bounds{1500, -150, 1200, 900, false, true}, []Rect{laptop, monitor}, Bounds{1500, -150, 1200, 900, false, true}},
		{"partly off the screen, as the person left it", Bounds{-300, 50, 900, 600, false, true}, []Rect{laptop}, Bounds{-300, 50, 900, 600, false, true}},
		{"the second screen is gone: the middle of the first", Bounds{2000, 100, 1200, 800, false, true}, []Rect{laptop}, Bounds{120, 50, 1200, 800, false, true}},
		{"larger than the screen that is left", Bounds{1500, 0, 2400, 1300, false, true}, []Rect{laptop}, Bounds{0, 0, 1440, 900, false, true}},
		{"its title above the screen", Bounds{100, -500, 900, 1000, false, true}, []Rect{laptop}, Bounds{100, 0, 900, 900, false, true}},
		{"all but a sliver beyond the right edge", Bounds{1435, 50, 900, 600, false, true}, []Rect{laptop}, Bounds{1440 - grip, 50, 900, 600, false, true}},
		{"smaller than the least", Bounds{0, 0, 10, 10, false, true}, []Rect{laptop}, Bounds{0, 0, minWidth, minHeight, false, true}},
		{"a damaged size", Bounds{0, 0, -5, 1 << 30, false, true}, []Rect{laptop}, Bounds{0, 0, defaultWidth, defaultHeight, false, true}},
		{"maximised: the size it goes back to", Bounds{100, 50, 900, 600, true, true}, []Rect{laptop}, Bounds{100, 50, 900, 600, true, true}},
		{"never placed: the system places it", Bounds{Width: 900, Height: 600}, []Rect{monitor}, Bounds{Width: 900, Height: 600}},
		{"no screen is known", Bounds{5000, 5000, 900, 600, false, true}, nil, Bounds{5000, 5000, 900, 600, false, true}},
		{"a screen smaller than the least window", Bounds{0, 0, 900, 600, false, true}, []Rect{{0, 0, 640, 400}}, Bounds{0, 0, minWidth, minHeight, false, true}},
	} {
		if got := fit(c.kept, c.screens); got != c.want {
			t.Errorf("%s: %+v, not %+v", c.name, got, c.want)
		}
	}
}

func TestAFittedWindowStaysWhereItIs(t *testing.T) {
	for _, screens := range [][]Rect{{laptop}, {laptop, monitor}, {monitor}} {
		for _, b := range []Bounds{{5000, 5000, 9000, 9000, false, true}, {-900, -900, 1000, 1000, false, true}, {1439, 899, 721, 481, true, true}} {
			once := fit(b, screens)
			if twice := fit(once, screens); twice != once {
				t.Errorf("%+v on %v moved from %+v to %+v", b, screens, once, twice)
			}
		}
	}
}

func TestTheSizeOfAMaximisedWindowIsNotThePersons(t *testing.T) {
	kept := Bounds{100, 50, 900, 600, false, true}
	if got := remember(kept, Bounds{0, 0, 1440, 900, true, true}); got != (Bounds{100, 50, 900, 600, true, true}) {
		t.Errorf("kept %+v", got)
	}
	if got := remember(Bounds{100, 50, 900, 600, true, true}, Bounds{10, 20, 1000, 700, false, true}); got != (Bounds{10, 20, 1000, 700, false, true}) {
		t.Errorf("kept %+v after it was restored", got)
	}
}

func TestBoundsSurviveARestartAndADamagedFileIsAnOrdinaryWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), boundsFile)
	ordinary := Bounds{Width: defaultWidth, Height: defaultHeight}
	if got := newBoundsKeeper(file).load(); got != ordinary {
		t.Errorf("without a file it is %+v", got)
	}
	first := newBoundsKeeper(file)
	first.load()
	seen := Bounds{100, 50, 900, 600, false, true}
	if err := first.see(seen); err != nil {
		t.Fatal(err)
	}
	if got := newBoundsKeeper(file).load(); got != seen {
		t.Errorf("after a restart it is %+v", got)
	}
	if err := os.WriteFile(file, []byte(`{"x": 1`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := newBoundsKeeper(file).load(); got != ordinary {
		t.Errorf("of a damaged file it is %+v", got)
	}
}

func TestADiskThatRefusesLeavesTheOldFileAndNoOther(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "gone", boundsFile)
	k := newBoundsKeeper(file)
	k.load()
	if err := k.see(Bounds{1, 2, 800, 600, false, true}); err == nil {
		t.Error("a folder that is not there took the file")
	}
	if k.now().Placed {
		t.Error("what was not kept counts as kept, and would not be tried again")
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
