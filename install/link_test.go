//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A link to a file that does not exist yet, as managers of dotfiles make them, stays a link: the file
// is written behind it, and removed again.
func TestDanglingLink(t *testing.T) {
	c, _ := ByName("cursor")
	p := place(t, "linux", "")
	dir, target := filepath.Join(p.Home(), "dotfiles", "cursor"), filepath.Join(p.Home(), "dotfiles", "mcp.json")
	err := errors.Join(os.MkdirAll(dir, 0o755), os.Symlink(dir, filepath.Join(p.Home(), ".cursor")),
		os.Symlink(filepath.Join("..", "mcp.json"), filepath.Join(dir, "mcp.json")))
	fatal.If(t, err)
	for _, out := range []bool{false, true} {
		register(t, &c, p, out)
		_, err := os.Readlink(filepath.Join(dir, "mcp.json"))
		_, missing := os.Stat(target)
		if err != nil || (missing != nil) != out {
			t.Errorf("out %v: %v, %v", out, err, missing)
		}
	}
}

// A directory behind a link stays, also where it is empty again: without it the link would dangle, and
// nothing could be made there.
func TestLinkedDirectory(t *testing.T) {
	c, _ := ByName("cursor")
	p := place(t, "linux", "")
	dir := filepath.Join(p.Home(), "dotfiles", "cursor")
	fatal.If(t, errors.Join(os.MkdirAll(dir, 0o755), os.Symlink(dir, filepath.Join(p.Home(), ".cursor"))))
	for range 2 {
		register(t, &c, p, false)
		register(t, &c, p, true)
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}
