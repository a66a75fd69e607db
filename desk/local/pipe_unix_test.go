//go:build unix

package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
)

// A process whose pipe cannot be opened at the moment, for want of files, is not taken for dead.
func TestPipeThatCannotBeOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	asker, other := Open(dir), Open(dir)
	row, err := asker.Ask(t.Context(), storetest.NewRow("Mine?"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, pipeDir, asker.ownName())
	err = os.Remove(path)
	if err == nil {
		err = os.Symlink(path, path) // which fails like it, with an error of its own
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Attend(t.Context(), row.ID)
	if !errors.Is(err, store.ErrAttended) {
		t.Errorf("another process attends it: %v", err)
	}
}
