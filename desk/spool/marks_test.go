package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
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
	for _, mark := range []desk.Mark{desk.MarkContent, desk.MarkSessions} {
		s := openNew(t)
		dir := s.marksOf(mark, "abc")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "README"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("README", dir+".id"); err != nil {
			t.Skip(err)
		}
		id := someID(2026, 11, 1)
		if err := s.Mark(t.Context(), mark, "abc", id); err != nil {
			t.Fatal(err)
		}
		marked(t, s, mark, id)
	}
}

func marked(t *testing.T, s *Spool, mark desk.Mark, want ...string) {
	t.Helper()
	if ids, err := s.Marks(t.Context(), mark, "abc"); err != nil || !slices.Equal(ids, want) {
		t.Errorf("%s: marked %v, %v; want %v", mark, ids, err, want)
	}
}

// A mark that is a file, as every one was once, counts as one that is a link.
func TestMarksThatAreFiles(t *testing.T) {
	s := openNew(t)
	old, fresh := someID(2026, 11, 1), someID(2026, 11, 2)
	dir := s.marksOf(desk.MarkContent, "abc")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, old), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	marked(t, s, desk.MarkContent, old)
	for _, id := range []string{old, fresh, old} {
		if err := s.Mark(t.Context(), desk.MarkContent, "abc", id); err != nil {
			t.Fatal(err)
		}
	}
	marked(t, s, desk.MarkContent, old, fresh)
	for _, id := range []string{old, fresh} {
		if err := s.Unmark(t.Context(), desk.MarkContent, "abc", id); err != nil {
			t.Fatal(err)
		}
	}
	marked(t, s, desk.MarkContent)
	if left, err := names(filepath.Dir(dir)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Whoever takes a mark out takes no other out that has come in its place.
func TestUnmarkTwiceAtOnce(t *testing.T) {
	s := openNew(t)
	first, second := someID(2026, 11, 1), someID(2026, 11, 2)
	for range 500 {
		if err := s.Mark(t.Context(), desk.MarkContent, "abc", first); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := s.Unmark(t.Context(), desk.MarkContent, "abc", first); err != nil {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			if err := s.Mark(t.Context(), desk.MarkContent, "abc", second); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		marked(t, s, desk.MarkContent, second)
		if err := s.Unmark(t.Context(), desk.MarkContent, "abc", second); err != nil {
			t.Fatal(err)
		}
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
