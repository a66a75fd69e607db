package local

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-askuser/desk/store/storetest"
)

// An inbox that is open while the store is replaced hears of what is asked in the new one, and is
// seen there, from the next look on.
func TestReplacedWhileWatching(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, other := Open(dir), Open(dir)
	t.Cleanup(func() { _, _ = s.Close(), other.Close() })
	changes, err := s.Changes(t.Context(), "inbox")
	if err == nil {
		err = os.Rename(dir, dir+".old")
	}
	if err == nil {
		_, err = other.Ask(t.Context(), storetest.NewRow("New?"))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.look()
	names, err := other.Present(context.Background())
	if err != nil || !slices.Equal(names, []string{"inbox"}) {
		t.Fatalf("present are %q, %v", names, err)
	}
	for len(changes) > 0 {
		<-changes
	}
	_, err = other.Ask(t.Context(), storetest.NewRow("Another?"))
	if err != nil {
		t.Fatal(err)
	}
	<-changes
}
