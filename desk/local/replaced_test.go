package local

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// An inbox that is open while the store is replaced listens to the new one, from the next look on.
func TestReplacedWhileWatching(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, other := Open(dir), Open(dir)
	t.Cleanup(func() { _, _ = s.Close(), other.Close() })
	s.again = time.Millisecond
	_, err := s.Changes(t.Context(), "inbox")
	if err == nil {
		err = os.Rename(dir, dir+".old")
	}
	if err == nil {
		_, err = other.Ask(t.Context(), storetest.NewRow("New?"))
	}
	fatal.If(t, err)
	waitFor(t, func() bool {
		names, err := other.Present(t.Context())
		return err == nil && slices.Equal(names, []string{"inbox"})
	})
}
