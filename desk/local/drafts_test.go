package local

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

func TestKeptDrafts(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	defer s.Close()
	ctx := t.Context()
	kept := func(id string) (string, bool) {
		t.Helper()
		drafts, err := s.KeptDrafts(ctx)
		fatal.If(t, err)
		data, has := drafts[id]
		return string(data), has
	}
	keep := func(id, more string) {
		t.Helper()
		fatal.If(t, s.KeepDraft(ctx, id, func(old []byte) ([]byte, error) { return append(old, more...), nil }))
	}

	err := s.DropDraft(ctx, "none")
	if _, has := kept("none"); has || err != nil {
		t.Error("an empty store keeps a draft", err)
	}
	keep("one", "a")
	keep("two", "x")
	keep("one", "b")
	if got, _ := kept("one"); got != "ab" {
		t.Errorf("kept: %q", got)
	}
	why := errors.New("no change")
	err = s.KeepDraft(ctx, "one", func([]byte) ([]byte, error) { return nil, why })
	if got, _ := kept("one"); !errors.Is(err, why) || got != "ab" {
		t.Errorf("kept: %q, %v", got, err)
	}
	err = s.DropDraft(ctx, "one")
	if _, has := kept("one"); has || err != nil {
		t.Error("still kept", err)
	}

	keep("old", "x")
	db, err := s.database(ctx, false)
	if err == nil {
		_, err = db.ExecContext(ctx, `update draft set at=? where id='old'`, time.Now().Add(-31*24*time.Hour).UnixMilli())
	}
	if err == nil {
		_, err = s.Prune(ctx, time.Now(), true)
	}
	if _, has := kept("old"); !has || err != nil {
		t.Error("counting has removed a draft", err)
	}
	_, err = s.Prune(ctx, time.Now(), false)
	_, hasOld := kept("old")
	_, hasTwo := kept("two")
	if hasOld || !hasTwo || err != nil {
		t.Errorf("after pruning: old %v, young %v, %v", hasOld, hasTwo, err)
	}
}
