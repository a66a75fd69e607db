package term

import (
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/internal/termtest"
)

// TestReaderMoves: from wherever a text stands, a key that moves shows lines of it,
// also one that would go beyond its beginning or its end.
func TestReaderMoves(t *testing.T) {
	var text []string
	for i := range 40 {
		text = append(text, fmt.Sprintf("line %02d", i+1))
	}
	for name, r := range map[string]*Reader{
		"text": TextReader(strings.Join(text, "\n")), "lines": NewReader("", func(*Styles, int) []string { return text }),
	} {
		for _, step := range []struct{ keys, first string }{
			{"", "line 01"},
			{"up", "line 01"},
			{"home home pgup", "line 01"},
			{"down", "line 02"},
			{"space", "line 11"},
			{"end end down pgdown", "line 31"},
			{"pgup", "line 22"},
			{"home", "line 01"},
		} {
			for _, key := range termtest.Keys(strings.Fields(step.keys)...) {
				if r.Press(key) {
					t.Errorf("%s: %s closes it", name, key)
				}
			}
			if got := r.Draw(NewStyles(true), 20, 10).Lines[0]; !strings.HasPrefix(got, step.first) {
				t.Errorf("%s: after %q the first line is %q, want %q", name, step.keys, got, step.first)
			}
		}
		if !r.Press(termtest.Keys("x")[0]) {
			t.Errorf("%s: x does not close it", name)
		}
	}
}
