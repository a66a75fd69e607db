package local

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
)

// TestDiskFull: on a disk that is full, at 40 levels, a write is done or fails with what to
// do; what was acknowledged is there, and once there is room all goes on.
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
		s := Open(dir)
		said := map[string]string{}
		for range 20 {
			row, err := s.Ask(t.Context(), storetest.NewRow(strings.Repeat("Room? ", 2000)))
			if err == nil {
				said[row.ID] = ""
				err = s.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("Yes")})
			}
			if err == nil {
				said[row.ID] = "Yes"
				continue
			}
			failed++
			if !strings.Contains(err.Error(), "room") && !strings.Contains(err.Error(), "no space left") {
				t.Errorf("level %d: the error does not say what to do: %v", level, err)
			}
			break
		}
		err := os.Remove(filler)
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range said {
			row, err := s.Get(t.Context(), id)
			if err != nil || want != "" && string(row.Outcome) != want {
				t.Errorf("level %d: %s reads as %q, %v", level, id, row.Outcome, err)
			}
		}
		_, err = s.Ask(t.Context(), storetest.NewRow("Room now?"))
		if err != nil {
			t.Errorf("level %d: with room again: %v", level, err)
		}
		_ = s.Close()
		err = os.RemoveAll(dir)
		if err != nil {
			t.Fatal(err)
		}
	}
	if failed < 20 {
		t.Errorf("only %d of 40 levels were full", failed)
	}
	t.Logf("%d of 40 levels were full", failed)
}
