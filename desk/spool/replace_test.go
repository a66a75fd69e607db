package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcp-askuser/desk"
)

// Invariant: a document that is replaced is whole for every reader, and the
// last one put.
func TestPut(t *testing.T) {
	const turns = 200
	s := openNew(t)
	id := someID(2026, 11, 1)
	whole := func(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%26)}, 5000+n) }
	if err := s.Put(t.Context(), desk.KindDrafts, id, whole(0)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		reader := openAgain(t, s)
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				data, err := reader.Get(t.Context(), desk.KindDrafts, id)
				if err != nil || len(data) < 5000 || !bytes.Equal(data, whole(len(data)-5000)) {
					t.Errorf("read %d bytes, %v", len(data), err)
					return
				}
			}
		})
	}
	for n := range turns {
		if err := s.Put(t.Context(), desk.KindDrafts, id, whole(n)); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	readers.Wait()
	if data, err := s.Get(t.Context(), desk.KindDrafts, id); err != nil || !bytes.Equal(data, whole(turns-1)) {
		t.Errorf("the last one is %d bytes, %v", len(data), err)
	}
	if temps, err := names(filepath.Join(s.Dir(), tempDir)); err != nil || len(temps) > 0 {
		t.Errorf("temporary files left: %v, %v", temps, err)
	}
	if err := s.Put(t.Context(), desk.KindDrafts, "../x", nil); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("put outside: %v", err)
	}
	if err := s.Put(t.Context(), desk.KindDrafts, id, make([]byte, maxSize+1)); err == nil {
		t.Error("put a document that cannot be read again")
	}
}

func TestMarks(t *testing.T) {
	s := openNew(t)
	ctx := t.Context()
	first, second := someID(2026, 11, 1), someID(2026, 11, 2)
	marked := func(want ...string) {
		t.Helper()
		got, err := openAgain(t, s).Marks(ctx, desk.MarkContent, "abc")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("marked %v, %v; want %v", got, err, want)
		}
	}
	marked()
	for _, id := range []string{second, first, first} {
		if err := s.Mark(ctx, desk.MarkContent, "abc", id); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), "content", "abc", "README"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	marked(first, second)
	for range 2 {
		if err := s.Unmark(ctx, desk.MarkContent, "abc", first); err != nil {
			t.Fatal(err)
		}
		marked(second)
	}
	for _, bad := range [][2]string{{"", first}, {"..", first}, {"a/b", first}, {"abc", "../x"}, {"abc", strings.ToLower(first)}} {
		if err := s.Mark(ctx, desk.MarkContent, bad[0], bad[1]); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("mark %q: %v", bad, err)
		}
		if err := s.Unmark(ctx, desk.MarkContent, bad[0], bad[1]); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("unmark %q: %v", bad, err)
		}
	}
}

// Invariant: a mark stays until it is taken out, though the last of a name
// takes the directory with it, and others come and go.
func TestMarksComeAndGo(t *testing.T) {
	s := openNew(t)
	var markers sync.WaitGroup
	for worker := range 8 {
		spool := openAgain(t, s)
		markers.Go(func() {
			for n := range 200 {
				id := someID(2026, 11, worker*1000+n)
				if err := spool.Mark(t.Context(), desk.MarkContent, "abc", id); err != nil {
					t.Error(err)
				}
				ids, err := spool.Marks(t.Context(), desk.MarkContent, "abc")
				if err != nil || !slices.Contains(ids, id) {
					t.Errorf("%s is not among %v: %v", id, ids, err)
				}
				if err := spool.Unmark(t.Context(), desk.MarkContent, "abc", id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	markers.Wait()
	if dirs, err := names(filepath.Join(s.Dir(), "content")); err != nil || len(dirs) > 0 {
		t.Errorf("directories left: %v, %v", dirs, err)
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
