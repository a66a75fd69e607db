package tokens

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

func add(t *testing.T, s *Store, name string) string {
	t.Helper()
	token, err := s.Add(name, false)
	fatal.If(t, err)
	return token
}

func check(t *testing.T, s *Store, token, want string) {
	t.Helper()
	got, ok, err := s.Check(token)
	if err != nil || ok != (want != "") || got.Name != want {
		t.Errorf("Check(%q) is %q, %v, %v, want %q", token, got.Name, ok, err, want)
	}
}

// A token is good from when it was added until it is removed, for a store that
// was open before as well: whoever serves never starts anew.
func TestLife(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "below", "tokens")
	serving, s := New(dir), New(dir)
	check(t, serving, "anything", "")
	a := add(t, s, "a")
	check(t, serving, a, "a")
	b := add(t, s, "b")
	check(t, serving, b, "b")
	check(t, serving, a, "a")
	for _, wrong := range []string{"", a[:len(a)-1], a + "x", strings.ToLower(a), "a"} {
		check(t, serving, wrong, "")
	}
	was, _, _ := serving.Check(a)
	if !serving.Holds(was) {
		t.Error("a token is gone before it was removed")
	}
	fatal.If(t, s.Remove("a"))
	check(t, serving, a, "")
	check(t, serving, b, "b")
	again := add(t, s, "a")
	check(t, serving, again, "a")
	check(t, serving, a, "")
	if serving.Holds(was) {
		t.Error("an old token is valid by its name")
	}
	all, err := s.List()
	if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" || time.Since(all[0].Created) > time.Hour {
		t.Errorf("got %v, %v", all, err)
	}
}

// What is kept is for the owner's eyes, and no token.
func TestOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tokens")
	token := add(t, New(dir), "a")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	path := filepath.Join(dir, entries[0].Name())
	data, err := os.ReadFile(path)
	fatal.If(t, err)
	if secret := strings.TrimPrefix(token, prefix); strings.Contains(string(data), secret) || len(secret) < 26 {
		t.Errorf("the token %s is in %s", token, data)
	}
	for _, x := range []string{dir, path} {
		if info, err := os.Stat(x); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", x, info.Mode(), err)
		}
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	s := New(dir)
	for _, name := range []string{"", ".", "..", "../a", "a/b", "-a", "a b", "ä", "a:b", strings.Repeat("a", 65)} {
		if _, err := s.Add(name, false); !errors.Is(err, ErrName) {
			t.Errorf("Add(%q): %v", name, err)
		}
		if err := s.Remove(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("Remove(%q): %v", name, err)
		}
	}
	good := add(t, s, "a")
	if _, err := s.Add("a", false); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	check(t, s, good, "a")
	// A file that is none locks out its own token alone, and the error names it.
	other := add(t, s, "b")
	for _, text := range []string{"", "{}", `{"sha256":"00"}`, `{"sha256":"zz"}`, "[]", "\x00"} {
		fatal.If(t, os.WriteFile(filepath.Join(dir, "b.json"), []byte(text), 0o600))
		s := New(dir)
		check(t, s, good, "a")
		for _, shown := range []string{other, "askuser_unknown", ""} {
			if _, ok, err := s.Check(shown); ok || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "b.json") {
				t.Errorf("%q: %v, %v", text, ok, err)
			}
		}
		all, err := s.List()
		if len(all) != 1 || all[0].Name != "a" || !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v, %v", text, all, err)
		}
	}
	if err := s.Remove("b"); err != nil {
		t.Error(err)
	}
	if _, ok, err := s.Check(other); ok || err != nil {
		t.Errorf("after the file is removed: %v, %v", ok, err)
	}
}
