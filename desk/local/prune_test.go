package local

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// TestRemovedForGood: no file has a text after it was removed.
func TestRemovedForGood(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := Open(dir)
	const secret = "hunter2 "
	row := storetest.Ask(t, s, strings.Repeat(secret, 1000)) // of several pages
	fatal.If(t, s.Note(t.Context(), row.ID, store.Draft, func([]byte) ([]byte, error) {
		return []byte(strings.Repeat(secret, 10)), nil
	}))
	storetest.Answer(t, s, row.ID, strings.Repeat(secret, 1000))
	fatal.If(t, s.Delivered(t.Context(), row.ID))
	rows, err := s.Prune(t.Context(), time.Now().Add(time.Hour), false)
	if err != nil || rows != 1 {
		t.Fatalf("%d rows removed, %v", rows, err)
	}
	fatal.If(t, s.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	fatal.If(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil && bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s still has the text", filepath.Base(file))
		}
	}
}
