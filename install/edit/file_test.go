package edit

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	c := Change{Before: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), After: []byte("1\n2\n3\n4\n5\nx\n6\n7\n8\n")}
	if got, want := c.Diff(), "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n+x\n 6\n 7\n 8\n-9\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// What a file holds is shown as nothing but text, and no line as two.
func TestDiffIsText(t *testing.T) {
	c := Change{Before: []byte("a\x1b[2Jb\r\n\tc\u202ed\u009b31m\ne\u2028+ f\rg\x00\n"), After: []byte("")}
	if got, want := c.Diff(), "@@ -1,3 +0,0 @@\n-a␛[2Jb\n-    c[U+202E]d[U+009B]31m\n-e[U+2028]+ f␍g␀\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Files of clients can be large: they are shown all the same.
func TestDiffOfLargeFiles(t *testing.T) {
	many := strings.Repeat("x\n", 30_000)
	c := Change{Before: []byte("a\n" + many + "b\n"), After: []byte("A\n" + strings.ReplaceAll(many, "x", "y") + "B\n")}
	if got := c.Diff(); !strings.Contains(got, "\n-a\n-x\n") || !strings.HasSuffix(got, "+y\n+B\n") {
		t.Errorf("got %d bytes, %.40q", len(got), got)
	}
}

// A link to a file that is not there yet stays one.
func TestDanglingLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := t.TempDir()
	link, target := filepath.Join(dir, "home", "a", "settings.json"), filepath.Join(dir, "home", "dots", "settings.json")
	for _, step := range []error{os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink("../middle", link), os.Symlink("dots/settings.json", filepath.Join(dir, "home", "middle"))} {
		if step != nil {
			t.Fatal(step)
		}
	}
	c, err := JSON.Plan(link, false, func(data []byte) ([]byte, error) { return JSON.Set(data, "x", "a") }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(target); err != nil || !strings.Contains(string(data), `"a": "x"`) {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
}

// Two things of ours in one file: in whatever order they are taken out, all is as
// it was, and where there was nothing, there is nothing.
func TestTwoThings(t *testing.T) {
	change := func(path, name string, out bool) Change {
		t.Helper()
		c, err := JSON.Plan(path, out,
			func(data []byte) ([]byte, error) { return JSON.Set(data, "askuser", name) },
			func(data, _ []byte) ([]byte, error) { return JSON.Remove(data, name) })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, before := range []string{"", "{}", "{ }\n", "{\"a0\": []}", "{\n\t\"theme\":\"dark\" }"} {
		for _, order := range []string{"abab", "abba", "baab", "baba"} {
			root := t.TempDir()
			path := filepath.Join(root, "home", ".config", "settings.json")
			if before != "" {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(before), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for i, name := range strings.Split(order, "") {
				c := change(path, name, i >= 2)
				c.Root = filepath.Join(root, "home")
				if err := c.Apply(); err != nil {
					t.Fatal(err)
				}
			}
			var left []string
			_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, _ error) error {
				left = append(left, filepath.Base(path))
				return nil
			})
			want := "home"
			if before != "" {
				want = "home .config settings.json"
			}
			got, _ := os.ReadFile(path)
			if names := strings.Join(left[1:], " "); names != want || string(got) != before {
				t.Errorf("%q, %s: left are %s, %q", before, order, names, got)
			}
		}
	}
}

// The backup of another file whose name begins alike stays as it is.
func TestBackupOfAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	other := path + "c" + Backup
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []bool{false, true} {
		c, err := JSON.Plan(path, out,
			func(data []byte) ([]byte, error) { return JSON.Set(data, "x", "a") },
			func(data, _ []byte) ([]byte, error) { return JSON.Remove(data, "a") })
		if err == nil && out {
			err = os.WriteFile(other, c.Before, 0o600)
		}
		if err := errors.Join(err, c.Apply()); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(other); err != nil || !strings.Contains(string(data), `"a"`) {
		t.Errorf("%q, %v", data, err)
	}
}

// A file that its user has changed since keeps that change, and no backup is left.
func TestChangedSince(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	apply := func(out bool) {
		t.Helper()
		c, err := JSON.Plan(path, out,
			func(data []byte) ([]byte, error) { return JSON.Set(data, "x", "askuser") },
			func(data, _ []byte) ([]byte, error) { return JSON.Remove(data, "askuser") })
		if err := errors.Join(err, c.Apply()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("{\n\t\"a\": 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	apply(false)
	data, err := os.ReadFile(path)
	if err := errors.Join(err, os.WriteFile(path, append([]byte("// mine\n"), data...), 0o600)); err != nil {
		t.Fatal(err)
	}
	apply(true)
	got, _ := os.ReadFile(path)
	left, _ := os.ReadDir(dir)
	if string(got) != "// mine\n{\n\t\"a\": 1\n}\n" || len(left) != 1 {
		t.Errorf("%q, and %d files", got, len(left))
	}
}
