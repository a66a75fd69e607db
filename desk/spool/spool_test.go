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
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// someID returns the n-th record id of a month.
func someID(year int, month time.Month, n int) string {
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(time.Date(year, month, 3, 9, 0, 0, 0, time.UTC))); err != nil {
		panic(err)
	}
	if err := id.SetEntropy(fmt.Appendf(nil, "%010d", n)); err != nil {
		panic(err)
	}
	return id.String()
}

func openNew(tb testing.TB) *Spool {
	tb.Helper()
	s, err := Open(filepath.Join(tb.TempDir(), "a", "store"))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// openAgain returns the store as another process would have it.
func openAgain(tb testing.TB, s *Spool) *Spool {
	tb.Helper()
	again, err := Open(s.Dir())
	if err != nil {
		tb.Fatal(err)
	}
	return again
}

func create(tb testing.TB, s *Spool, kind desk.Kind, id string, data string) {
	tb.Helper()
	if err := s.Create(tb.Context(), kind, id, []byte(data)); err != nil {
		tb.Fatal(err)
	}
}

func TestDocuments(t *testing.T) {
	s := openNew(t)
	ctx := t.Context()
	if _, err := os.Lstat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("opening has created something: %v", err)
	}
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindReplies, desk.KindArchive} {
		t.Run(string(kind), func(t *testing.T) {
			id := someID(2026, 11, 1)
			if ids, err := s.List(ctx, kind, ""); err != nil || len(ids) != 0 {
				t.Errorf("List of nothing: %v, %v", ids, err)
			}
			if _, err := s.Get(ctx, kind, id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Get of nothing: %v", err)
			}
			create(t, s, kind, id, "first")
			if err := s.Create(ctx, kind, id, []byte("second")); !errors.Is(err, fs.ErrExist) {
				t.Errorf("Create of what is there: %v", err)
			}
			if data, err := s.Get(ctx, kind, id); err != nil || string(data) != "first" {
				t.Errorf("Get: %q, %v", data, err)
			}
			later := someID(2026, 12, 1)
			create(t, s, kind, later, "later")
			if ids, err := s.List(ctx, kind, ""); err != nil || !slices.Equal(ids, []string{id, later}) {
				t.Errorf("List: %v, %v", ids, err)
			}
			if ids, err := s.List(ctx, kind, later[:10]); err != nil || !slices.Equal(ids, []string{later}) {
				t.Errorf("List of a prefix: %v, %v", ids, err)
			}
			for range 2 {
				if err := s.Delete(ctx, kind, id); err != nil {
					t.Errorf("Delete: %v", err)
				}
			}
			if _, err := s.Get(ctx, kind, id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Get after Delete: %v", err)
			}
		})
	}
	if temps, err := names(filepath.Join(s.Dir(), tempDir)); err != nil || len(temps) != 0 {
		t.Errorf("temporary files left: %v, %v", temps, err)
	}
	if _, err := os.Lstat(filepath.Join(s.Dir(), "archive", "2026-12", someID(2026, 12, 1)+".json")); err != nil {
		t.Error(err)
	}
}

func TestNobodyElseCanRead(t *testing.T) {
	s := openNew(t)
	create(t, s, desk.KindArchive, someID(2026, 11, 1), "x")
	err := filepath.WalkDir(s.Dir(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBadIDsTouchNothing(t *testing.T) {
	s := openNew(t)
	create(t, s, desk.KindPending, someID(2026, 11, 1), "x")
	outside := filepath.Join(s.Dir(), "secret.json")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "../secret", "..", "x", strings.ToLower(someID(2026, 11, 1)), someID(2026, 11, 1) + "/../../secret"} {
		for _, kind := range []desk.Kind{desk.KindPending, desk.KindArchive} {
			if data, err := s.Get(t.Context(), kind, id); err == nil {
				t.Errorf("Get(%q) = %q", id, data)
			}
			if err := s.Create(t.Context(), kind, id, nil); err == nil {
				t.Errorf("Create(%q)", id)
			}
			if err := s.Delete(t.Context(), kind, id); err == nil {
				t.Errorf("Delete(%q)", id)
			}
		}
	}
	if data, err := os.ReadFile(outside); string(data) != "secret" {
		t.Errorf("the file outside: %q, %v", data, err)
	}
}

func TestWhatIsNoDocument(t *testing.T) {
	s := openNew(t)
	create(t, s, desk.KindPending, someID(2026, 11, 1), "x")
	pending := filepath.Join(s.Dir(), "pending")
	directory, link, huge := someID(2026, 11, 2), someID(2026, 11, 3), someID(2026, 11, 4)
	for _, err := range []error{
		os.Mkdir(filepath.Join(pending, directory+suffix), 0o700),
		os.Symlink("/etc/passwd", filepath.Join(pending, link+suffix)),
		os.WriteFile(filepath.Join(pending, huge+suffix), nil, 0o600),
		os.Truncate(filepath.Join(pending, huge+suffix), maxSize+1),
		os.WriteFile(filepath.Join(pending, "foreign.txt"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{directory, link, huge} {
		if _, err := s.Get(t.Context(), desk.KindPending, id); !errors.Is(err, desk.ErrDamaged) {
			t.Errorf("Get: %v", err)
		}
	}
	if err := s.Create(t.Context(), desk.KindPending, someID(2026, 11, 5), make([]byte, maxSize+1)); err == nil {
		t.Error("created a document that cannot be read again")
	}
	if ids, err := s.List(t.Context(), desk.KindPending, ""); err != nil || len(ids) != 4 {
		t.Errorf("List: %v, %v", ids, err)
	}
}

func TestEndedContext(t *testing.T) {
	s := openNew(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	id := someID(2026, 11, 1)
	_, errGet := s.Get(ctx, desk.KindPending, id)
	_, errList := s.List(ctx, desk.KindPending, "")
	for name, err := range map[string]error{
		"Create": s.Create(ctx, desk.KindPending, id, nil),
		"Get":    errGet,
		"List":   errList,
		"Delete": s.Delete(ctx, desk.KindPending, id),
	} {
		if !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was created: %v", err)
	}
}

func TestStaleTemporaryFilesAreSwept(t *testing.T) {
	s := openNew(t)
	create(t, s, desk.KindPending, someID(2026, 11, 1), "x")
	stale, fresh := filepath.Join(s.Dir(), tempDir, "stale"), filepath.Join(s.Dir(), tempDir, "fresh")
	for _, path := range []string{stale, fresh} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-staleAfter - time.Minute)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	create(t, s, desk.KindArchive, someID(2026, 11, 1), "x")
	if _, err := os.Lstat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stale one: %v", err)
	}
	if _, err := os.Lstat(fresh); err != nil {
		t.Errorf("the fresh one: %v", err)
	}
}

func TestUnsafeDirectories(t *testing.T) {
	tests := []struct {
		name string
		make func(dir string) error
		says string
	}{
		{"a symbolic link", func(dir string) error { return os.Symlink(filepath.Dir(dir), dir) }, "symbolic link"},
		{"a dangling link", func(dir string) error { return os.Symlink(dir+"x", dir) }, "symbolic link"},
		{"a file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a directory"},
		{"writable by the group", func(dir string) error { return mkdir(dir, 0o770) }, "chmod 700"},
		{"writable by the world", func(dir string) error { return mkdir(dir, 0o777) }, "chmod 700"},
		{"another's", func(dir string) error {
			if err := mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chown(dir, os.Geteuid()+1, -1)
		}, "run as its owner"},
	}
	for _, tt := range tests {
		for _, room := range []string{"", "pending", "tmp"} {
			t.Run(tt.name+"/"+room, func(t *testing.T) {
				if tt.name == "another's" && os.Geteuid() != 0 {
					t.Skip("only root can give a directory away")
				}
				dir := filepath.Join(t.TempDir(), "store")
				if room != "" {
					if err := mkdir(dir, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				if err := tt.make(filepath.Join(dir, room)); err != nil {
					t.Fatal(err)
				}
				s, err := Open(dir)
				if err == nil && room != "" {
					err = s.Create(t.Context(), desk.KindPending, someID(2026, 11, 1), []byte("x"))
				}
				if !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), dir) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
	t.Run("becomes unsafe later", func(t *testing.T) {
		s := openNew(t)
		create(t, s, desk.KindPending, someID(2026, 11, 1), "x")
		if err := os.Chmod(s.Dir(), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := s.Create(t.Context(), desk.KindReplies, someID(2026, 11, 1), nil); !errors.Is(err, ErrUnsafe) {
			t.Errorf("Create: %v", err)
		}
		if _, err := s.Watch(t.Context()); !errors.Is(err, ErrUnsafe) {
			t.Errorf("Watch: %v", err)
		}
	})
	t.Run("readable is no harm", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "store")
		if err := mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		create(t, s, desk.KindPending, someID(2026, 11, 1), "x")
	})
	t.Run("relative", func(t *testing.T) {
		if _, err := Open("store"); err == nil {
			t.Error("opened")
		}
	})
}

// mkdir makes a directory whatever the umask.
func mkdir(dir string, mode fs.FileMode) error {
	if err := os.Mkdir(dir, mode); err != nil {
		return err
	}
	return os.Chmod(dir, mode)
}

func TestDefaultDir(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want string
		err  string
	}{
		{"named", map[string]string{EnvDir: "/q//desk/", "XDG_STATE_HOME": "/state", "HOME": "/home/u"}, "/q/desk", ""},
		{"named relatively", map[string]string{EnvDir: "desk", "HOME": "/home/u"}, "", "must be an absolute path"},
		{"named with a tilde", map[string]string{EnvDir: "~/desk", "HOME": "/home/u"}, "", "must be an absolute path"},
		{"XDG", map[string]string{"XDG_STATE_HOME": "/state", "HOME": "/home/u"}, "/state/mcp-askuser", ""},
		{"XDG relative", map[string]string{"XDG_STATE_HOME": "state", "HOME": "/home/u"}, "/home/u/.local/state/mcp-askuser", ""},
		{"home", map[string]string{"HOME": "/home/u"}, "/home/u/.local/state/mcp-askuser", ""},
		{"nothing", nil, "", EnvDir},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DefaultDir(func(name string) string { return tt.env[name] })
			if got != tt.want || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// fillUp creates documents until the store refuses one, and returns the error.
// What was acknowledged until then is whole, what was refused is not there.
func fillUp(ctx context.Context, s *Spool) (failure error, fault error) {
	data := bytes.Repeat([]byte("x"), 3000)
	for i := range 10_000 {
		id := someID(2026, 11, i)
		failure = s.Create(ctx, desk.KindPending, id, data)
		if failure == nil {
			continue
		}
		ids, err := s.List(ctx, desk.KindPending, "")
		if err != nil || len(ids) != i {
			return failure, fmt.Errorf("%d documents acknowledged, %d there: %w", i, len(ids), err)
		}
		for _, id := range ids {
			if got, err := s.Get(ctx, desk.KindPending, id); err != nil || !bytes.Equal(got, data) {
				return failure, fmt.Errorf("%s is torn: %d bytes, %w", id, len(got), err)
			}
		}
		if temps, err := names(filepath.Join(s.dir, tempDir)); err != nil || len(temps) != 0 {
			return failure, fmt.Errorf("temporary files left: %v, %w", temps, err)
		}
		return failure, nil
	}
	return nil, errors.New("the store never fills up")
}
