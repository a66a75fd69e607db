package edit

import (
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	c := Change{Before: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), After: []byte("1\n2\n3\n4\n5\nx\n6\n7\n8\n")}
	if got, want := c.Diff(), "  …\n  3\n  4\n  5\n+ x\n  6\n  7\n  8\n- 9\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// Files of clients can be large: they are shown all the same.
func TestDiffOfLargeFiles(t *testing.T) {
	many := strings.Repeat("x\n", 30_000)
	c := Change{Before: []byte("a\n" + many + "b\n"), After: []byte("A\n" + strings.ReplaceAll(many, "x", "y") + "B\n")}
	if got := c.Diff(); !strings.HasPrefix(got, "- a\n- x\n") || !strings.HasSuffix(got, "+ y\n+ B\n") {
		t.Errorf("got %d bytes, %.40q", len(got), got)
	}
}
