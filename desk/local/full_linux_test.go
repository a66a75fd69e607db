package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// TestDiskFull: on a disk that is full, at 40 levels, a write is done or fails with what to
// do. Each acknowledged row is stored once, its waiting call is woken, and once the disk has
// room again, writes succeed.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m")
	if err != nil {
		t.Skip("a small disk takes the right to mount one: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	failed := 0
	for level := range 40 {
		dir := filepath.Join(disk, "store")
		filler := filepath.Join(disk, "filler")
		write(t, filler, make([]byte, 1<<20-(4096*(1+4*level))))
		s, user := Open(dir), Open(dir) // two processes
		said, drafts := map[string]string{}, map[string]string{}
		asked := 0
		for range 20 {
			asked++
			row, err := s.Ask(t.Context(), storetest.NewRow(strings.Repeat("Room? ", 2000)))
			if err == nil {
				said[row.ID] = ""
				err = user.Note(t.Context(), row.ID, store.Draft, func([]byte) ([]byte, error) { return []byte("Y"), nil })
			}
			if err == nil {
				drafts[row.ID] = "Y"
				err = user.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("Yes")})
			}
			if err == nil {
				said[row.ID] = "Yes"
				_, err = s.Wait(t.Context(), row.ID)
			}
			if err == nil {
				continue
			}
			failed++
			if !strings.Contains(err.Error(), "room") && !strings.Contains(err.Error(), "no space left") {
				t.Errorf("level %d: the error does not say what to do: %v", level, err)
			}
			break
		}
		fatal.If(t, os.Remove(filler))
		for id, want := range said {
			row, err := s.Get(t.Context(), id)
			if err != nil || want != "" && string(row.Outcome) != want || string(row.Notes[store.Draft]) != drafts[id] {
				t.Errorf("level %d: %s reads as %q, %q, %v", level, id, row.Outcome, row.Notes[store.Draft], err)
			}
		}
		stored := 0
		for _, err := range s.Rows(t.Context(), store.Query{}) {
			stored++
			if err != nil {
				t.Errorf("level %d: %v", level, err)
			}
		}
		if stored < len(said) || stored > asked {
			t.Errorf("level %d: %d rows of %d questions, of which %d were acknowledged", level, stored, asked, len(said))
		}
		_, err = s.Ask(t.Context(), storetest.NewRow("Room now?"))
		if err != nil {
			t.Errorf("level %d: with room again: %v", level, err)
		}
		_ = errors.Join(s.Close(), user.Close())
		fatal.If(t, os.RemoveAll(dir))
	}
	if failed < 20 {
		t.Errorf("only %d of 40 levels were full", failed)
	}
	t.Logf("%d of 40 levels were full", failed)
}
