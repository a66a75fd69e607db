package storetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
)

// files: a content is kept for its record alone, whole, until it is deleted; a bad name
// touches nothing.
func files(t *testing.T, store desk.Store) {
	ctx := t.Context()
	id, other := own(t, store, 2026, 11, 1), own(t, store, 2026, 11, 2)
	_, err := store.FilePath(ctx, id, strings.Repeat("0", 64)+".txt")
	copies := !errors.Is(err, desk.ErrNoFiles) // the store has a directory on this machine
	contents := map[string][]byte{}
	for _, data := range [][]byte{[]byte("x"), bytes.Repeat([]byte("0123456789"), 1<<20)} {
		sum := sha256.Sum256(data)
		contents[hex.EncodeToString(sum[:])+".txt"] = data
	}
	kept := func(id string, want int) {
		t.Helper()
		keys, err := store.Files(ctx, id)
		if err != nil || len(keys) != want {
			t.Errorf("%s has the files %v, %v; want %d", id, keys, err, want)
		}
	}
	kept(id, 0)
	for key, data := range contents {
		if _, err := store.GetFile(ctx, id, key); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("GetFile of nothing: %v", err)
		}
		if copies {
			if _, err := store.FilePath(ctx, id, key); !errors.Is(err, desk.ErrNotFound) {
				t.Errorf("FilePath of nothing: %v", err)
			}
		}
		for range 2 {
			if err := store.PutFile(ctx, id, key, data); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := store.GetFile(ctx, id, key); err != nil || !bytes.Equal(got, data) {
			t.Errorf("GetFile: %d bytes, %v", len(got), err)
		}
		if copies {
			path, err := store.FilePath(ctx, id, key)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
				t.Errorf("the file at %s: %d bytes, %v", path, len(got), err)
			}
		}
		if _, err := store.GetFile(ctx, other, key); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("GetFile of another record: %v", err)
		}
	}
	kept(id, len(contents))
	kept(other, 0)
	for key := range contents {
		for range 2 {
			if err := store.DeleteFile(ctx, id, key); err != nil {
				t.Errorf("DeleteFile: %v", err)
			}
		}
		if _, err := store.GetFile(ctx, id, key); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("GetFile after DeleteFile: %v", err)
		}
		for _, bad := range [][2]string{{"../" + id, key}, {id, "../" + key}, {id, key[:63] + ".txt"}, {id, key[:64] + ".exe"}, {id, key[:64]}, {"", key}, {id, ""}} {
			err := []error{store.PutFile(ctx, bad[0], bad[1], nil), fault(store.GetFile(ctx, bad[0], bad[1])), store.DeleteFile(ctx, bad[0], bad[1])}
			if copies {
				err = append(err, fault(store.FilePath(ctx, bad[0], bad[1])))
			}
			if slices.ContainsFunc(err, func(err error) bool { return !errors.Is(err, desk.ErrBadName) }) {
				t.Errorf("%v: %v", bad, err)
			}
		}
	}
	kept(id, 0)
}
