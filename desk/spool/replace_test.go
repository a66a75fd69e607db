package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-askuser/desk"
)

func TestTooLarge(t *testing.T) {
	s := openNew(t)
	if err := s.Put(t.Context(), desk.KindDrafts, someID(2026, 11, 1), make([]byte, maxSize+1)); err == nil {
		t.Error("put a document that cannot be read again")
	}
}

// What others put among the marks is none.
func TestForeignMarks(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	if err := s.Mark(t.Context(), desk.MarkContent, "abc", id); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), "content", "abc", "README"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if ids, err := s.Marks(t.Context(), desk.MarkContent, "abc"); err != nil || !slices.Equal(ids, []string{id}) {
		t.Errorf("marked %v, %v", ids, err)
	}
}

// putWhereItIsFull replaces a document by a larger one until that fails; it is
// the last one acknowledged then.
func putWhereItIsFull(ctx context.Context, s *Spool) (failure, fault error) {
	id := someID(2026, 11, 1)
	var last []byte
	for n := 1; n < 100; n++ {
		data := bytes.Repeat([]byte{byte('a' + n%26)}, n*3000)
		if failure = s.Put(ctx, desk.KindDrafts, id, data); failure == nil {
			last = data
			continue
		}
		if got, err := s.Get(ctx, desk.KindDrafts, id); err != nil || !bytes.Equal(got, last) {
			return failure, fmt.Errorf("%d bytes acknowledged, %d there: %w", len(last), len(got), err)
		}
		if temps, err := names(filepath.Join(s.dir, tempDir)); err != nil || len(temps) != 0 {
			return failure, fmt.Errorf("temporary files left: %v, %w", temps, err)
		}
		return failure, s.Delete(ctx, desk.KindDrafts, id)
	}
	return nil, errors.New("the store never fills up")
}
