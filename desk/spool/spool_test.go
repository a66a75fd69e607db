package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
	"mcp-askuser/desk/storetest"
)

func someID(year int, month time.Month, n int) string { return storetest.ID(year, month, n) }

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

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) desk.Store {
		s := openNew(t)
		t.Cleanup(func() { clean(t, s) })
		return s
	})
}

// clean fails if a store has temporary files, or directories of marks, that
// nobody needs any more, or something beside its rooms.
func clean(t *testing.T, s *Spool) {
	t.Helper()
	if temps, err := names(filepath.Join(s.Dir(), tempDir)); err != nil || len(temps) > 0 {
		t.Errorf("temporary files left: %v, %v", temps, err)
	}
	marked, err := names(filepath.Join(s.Dir(), "pending"))
	if err != nil {
		t.Error(err)
	}
	for _, name := range marked {
		if strings.HasSuffix(name, linkSuffix) || strings.HasSuffix(name, suffix) {
			continue
		}
		if ids, err := names(filepath.Join(s.Dir(), "pending", name)); err != nil || len(ids) == 0 {
			t.Errorf("an empty directory %s is left: %v", name, err)
		}
	}
	if beside, err := names(filepath.Dir(s.Dir())); err != nil || len(beside) > 1 {
		t.Errorf("beside the store: %v, %v", beside, err)
	}
}

func TestPlaces(t *testing.T) {
	s := openNew(t)
	if _, err := os.Lstat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("opening has created something: %v", err)
	}
	create(t, s, desk.KindArchive, someID(2026, 12, 1), "x")
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
	listed := 0
	for _, err := range s.List(t.Context(), desk.KindPending, desk.Range{}) {
		if listed++; err != nil {
			t.Error(err)
		}
	}
	if listed != 4 {
		t.Errorf("%d are listed", listed)
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
	old := time.Now().Add(-2 * time.Minute)
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
				if !errors.Is(err, ErrUnsafe) || !saysAll(err, tt.says, dir, "--dir", EnvDir) {
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
		if _, err := Open("store"); !saysAll(err, "absolute", "--dir", EnvDir) {
			t.Error("opened:", err)
		}
	})
	t.Run("below a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(filepath.Join(file, "store")); !saysAll(err, file, "move it away", "--dir", EnvDir) {
			t.Error("opened:", err)
		}
	})
	t.Run("not to be written to", func(t *testing.T) {
		for _, errno := range []error{syscall.EACCES, syscall.EROFS} {
			if err := advise(errno); !saysAll(err, "--dir", EnvDir) {
				t.Error(err)
			}
		}
	})
}

// saysAll reports whether an error has all these words.
func saysAll(err error, words ...string) bool {
	return err != nil && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(err.Error(), word) })
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

// Invariant: however many there are, they come newest first, each once, as far as
// they are looked at.
func TestNewestFirst(t *testing.T) {
	for _, n := range []int{0, 1, maxSorted - 1, 8 * maxSorted, 8*maxSorted + 1, 20 * maxSorted} {
		want := make([]ulid.ULID, n)
		for i := range want {
			want[i] = ulid.MustParse(someID(2026, 11, i))
		}
		slices.Reverse(want)
		ids := slices.Clone(want)
		rand.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		for _, look := range []int{1, maxSorted, maxSorted + 1, n} {
			var got []ulid.ULID
			for id := range newestFirst(slices.Clone(ids)) {
				if got = append(got, id); len(got) == look {
					break
				}
			}
			if !slices.Equal(got, want[:min(look, n)]) {
				t.Errorf("the first %d of %d are others", look, n)
			}
		}
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
		ids, err := s.listDir(ctx, filepath.Join(s.dir, "pending"), desk.Range{})
		if err != nil || len(ids) != i {
			return failure, fmt.Errorf("%d documents acknowledged, %d there: %w", i, len(ids), err)
		}
		for _, id := range ids {
			if got, err := s.Get(ctx, desk.KindPending, id.String()); err != nil || !bytes.Equal(got, data) {
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
