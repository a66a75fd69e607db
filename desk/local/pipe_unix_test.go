//go:build unix

package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// A process whose pipe cannot be opened at the moment, for want of files, is not taken for dead.
func TestPipeThatCannotBeOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	asker, other := Open(dir), Open(dir)
	row := storetest.Ask(t, asker, "Mine?")
	path := filepath.Join(dir, pipeDir, asker.ownName())
	fatal.If(t, os.Remove(path))
	fatal.If(t, os.Symlink(path, path)) // which fails like it, with an error of its own
	_, err := other.Attend(t.Context(), row.ID)
	if !errors.Is(err, store.ErrAttended) {
		t.Errorf("another process attends it: %v", err)
	}
}
