package grant

import (
	"testing"

	"portico/backend/extension"
)

func TestAProgramsRiskIsWhatPorticoLetsItDo(t *testing.T) {
	for _, c := range []struct{ program, level, code string }{
		{"xdg-open", "full", "opens-things"},
		{"gtk-launch", "full", "opens-things"},
		{"wmctrl", "full", "arranges-windows"},
		{"pandoc", "full", "held-to-same-files"},
		{"/usr/bin/xdg-open", "full", "held-to-same-files"}, // a whole path gets no stand-in
		{"xdg-open", "partial", "anything-you-can"},         // nothing keeps it from the system's own
		{"wmctrl", "runtime", "anything-you-can"},
	} {
		if got := RiskOf(extension.Permission{Kind: extension.Run, Binary: c.program}, c.level); got.Code != c.code {
			t.Errorf("%s under %s: %s, not %s", c.program, c.level, got.Code, c.code)
		}
	}
}
