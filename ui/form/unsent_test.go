package form

import (
	"errors"
	"strings"
	"testing"
)

// However long the cause is, a form whose answer was not taken says that it is kept, and what to do.
func TestLongCause(t *testing.T) {
	r := open(t, 40, 24, database())
	r.fail = errors.New("store the reply: " + strings.Repeat("a directory with a long name/", 10))
	words := strings.Fields(strings.ReplaceAll(r.keys("1", "enter").screen(), "│", ""))
	s := strings.Join(words, " ")
	if !strings.Contains(s, "kept; enter tries again") || !strings.Contains(s, "store the reply") {
		t.Errorf("the screen says\n%s", s)
	}
}
