package inbox

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

var style = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// checkScreen: a screen fills the terminal and no more, and the only control
// sequences in it are styles.
func checkScreen(t testing.TB, r *rig) {
	t.Helper()
	content := r.m.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) > r.h {
		t.Errorf("%d lines on a terminal of %d", len(lines), r.h)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > r.w {
			t.Errorf("line %d is %d cells wide on a terminal of %d: %q", i+1, w, r.w, line)
		}
		for _, c := range style.ReplaceAllString(line, "") {
			if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
				t.Errorf("line %d has the control character %q: %q", i+1, c, line)
			}
		}
	}
}
