package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/internal/fatal"
)

// What a file holds is shown as nothing but text, and no line as two.
func TestDiffIsText(t *testing.T) {
	c := Change{Before: []byte("a\x1b[2Jb\r\n\tc\u202ed\u009b31m\ne\u2028+ f\rg\x00\n"), After: []byte("")}
	if got, want := c.Diff(), "@@ -1,3 +0,0 @@\n-a␛[2Jb\n-    c[U+202E]d[U+009B]31m\n-e[U+2028]+ f␍g␀\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The backup of another file whose name begins alike stays as it is.
func TestBackupOfAnotherFile(t *testing.T) {
	c, p, path := cursor(t, "{}")
	other := path + "c" + backupSuffix
	fatal.If(t, os.WriteFile(other, []byte("mine"), 0o600))
	for _, out := range []bool{false, true} {
		for _, change := range plan(t, c, p, local, out) {
			fatal.If(t, change.Apply())
		}
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v", data, err)
	}
}

// cursor returns a client, and a place in which its file has a text.
func cursor(t *testing.T, text string) (c *Client, p Place, path string) {
	t.Helper()
	found, _ := ByName("cursor")
	p = place(t, "linux", "")
	path, err := found.File(p)
	fatal.If(t, errors.Join(err, writeFile(path, text)))
	return &found, p, path
}

// A file that its user has changed since keeps that change, and no backup is left.
func TestChangedSince(t *testing.T) {
	c, p, path := cursor(t, "{\n\t\"a\": 1}\n")
	apply := func(out bool) {
		t.Helper()
		for _, change := range plan(t, c, p, local, out) {
			fatal.If(t, change.Apply())
		}
	}
	apply(false)
	data, err := os.ReadFile(path)
	fatal.If(t, errors.Join(err, os.WriteFile(path, append([]byte("// mine\n"), data...), 0o600)))
	apply(true)
	got, _ := os.ReadFile(path)
	left, _ := os.ReadDir(filepath.Dir(path))
	if string(got) != "// mine\n{\n\t\"a\": 1\n}\n" || len(left) != 1 {
		t.Errorf("%q, and %d files", got, len(left))
	}
}

// What changes between the plan and the write is not lost.
func TestChangedMeanwhile(t *testing.T) {
	c, p, path := cursor(t, "{}")
	change := plan(t, c, p, local, false)[0]
	fatal.If(t, os.WriteFile(path, []byte(`{"a":1}`), 0o600))
	if err := change.Apply(); err == nil {
		t.Error("a change in between was overwritten")
	}
}
