package proc

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A chain ends with process 1, which in a container may be the client of an agent, however long it
// is, or where it becomes a circle.
func TestChain(t *testing.T) {
	for first, length := range map[int]int{5: 5, 300: 300, 1000: 501} {
		look := func(pid int) (Process, bool) {
			if pid == 500 {
				return Process{Parent: 1000}, true
			}
			return Process{Parent: pid - 1}, true
		}
		got, last := 0, 0
		for pid := range Chain(first, look) {
			got, last = got+1, pid
		}
		if got != length || last != first-length+1 {
			t.Errorf("the chain of %d has %d processes up to %d", first, got, last)
		}
	}
}

// A program that was started by a link is named by that, unless the link leads elsewhere.
func TestSelf(t *testing.T) {
	file, err := os.Executable()
	fatal.If(t, err)
	link, other := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "other")
	err = os.Symlink(file, link)
	if err != nil {
		t.Skip("links take a right here: ", err)
	}
	fatal.If(t, os.WriteFile(other, nil, 0o700))
	before := os.Args[0]
	defer func() { os.Args[0] = before }()
	for started, want := range map[string]string{link: link, file: file, other: file, "no-such-program": file} {
		os.Args[0] = started
		got, err := Self()
		if err != nil || got != want {
			t.Errorf("started as %s it is %s, %v", started, got, err)
		}
	}
}
