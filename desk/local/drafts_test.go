package local

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

// A draft that is kept is pruned a month later. A change that fails, and a count, leave it as it is.
func TestKeptDrafts(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	defer s.Close()
	ctx := t.Context()
	none, err := s.KeptDrafts(ctx)
	err = errors.Join(err, s.DropDraft(ctx, "none"))
	if len(none) > 0 || err != nil {
		t.Errorf("an empty store keeps %s, %v", none, err)
	}
	for _, id := range []string{"young", "old", "young", "dropped"} {
		fatal.If(t, s.KeepDraft(ctx, id, func(old []byte) ([]byte, error) { return append(old, 'x'), nil }))
	}
	why := errors.New("no change")
	err = s.KeepDraft(ctx, "young", func([]byte) ([]byte, error) { return nil, why })
	if !errors.Is(err, why) {
		t.Errorf("a change that fails: %v", err)
	}
	fatal.If(t, s.DropDraft(ctx, "dropped"))
	db, err := s.database(ctx, false)
	fatal.If(t, err)
	_, err = db.ExecContext(ctx, `update draft set at=? where id='old'`, time.Now().Add(-31*24*time.Hour).UnixMilli())
	fatal.If(t, err)
	prune := func(dry bool, want string) {
		_, err := s.Prune(ctx, time.Now(), dry)
		fatal.If(t, err)
		drafts, err := s.KeptDrafts(ctx)
		fatal.If(t, err)
		if got := fmt.Sprintf("%s", drafts); got != want {
			t.Errorf("pruned, dry %v: kept are %s", dry, got)
		}
	}
	prune(true, "map[old:x young:xx]")
	prune(false, "map[young:xx]")
}
