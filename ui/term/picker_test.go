package term

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/internal/termtest"
)

// directory is one with the files of these names; a directory's ends with a separator.
func directory(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, separator) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			path = filepath.Join(path, "inside.txt")
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir + separator
}

// TestPicker: keys lead to one regular file, or to none.
func TestPicker(t *testing.T) {
	dir := directory(t, "a.png", "ab.png", "Shot one.png", ".hidden", "sub"+separator, "e\x1b[31mvil.png", "\u202egnp.png", "b\xff.png", strings.Repeat("l", 250))
	pipe, err := net.Listen("unix", filepath.Join(dir, "pipe")) // no regular file, on every system
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for link, target := range map[string]string{"null": os.DevNull, "loop": "loop", "to-sub": "sub", "to-a": "a.png"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", dir)
	t.Chdir(dir)
	for _, tc := range []struct {
		keys  []string
		path  string // that is picked; empty for none
		names string // else: what it offers
	}{
		{keys: nil, names: "Shot one.png a.png ab.png " + strings.Repeat("l", 250) + " sub/ to-a to-sub/"},
		{keys: []string{"s"}, names: "Shot one.png sub/"},
		{keys: []string{"."}, names: ".hidden"},
		{keys: []string{"z"}, names: ""},
		{keys: []string{"z", "enter", "tab", "down", "enter"}, names: ""},
		{keys: []string{"sh", "enter"}, path: "Shot one.png"},
		{keys: []string{"s", "enter"}, names: "Shot one.png sub/"},
		{keys: []string{"s", "enter", "enter"}, path: "Shot one.png"},
		{keys: []string{"s", "down", "down", "enter"}, names: "inside.txt"},
		{keys: []string{"su", "tab", "tab", "enter"}, path: "sub/inside.txt"},
		{keys: []string{"to-s", "enter", "enter"}, path: "to-sub/inside.txt"},
		{keys: []string{"a.png", "enter"}, path: "a.png"},
		{keys: []string{"a", "down", "down", "enter"}, path: "ab.png"},
		{keys: []string{"a", "down", "down", "down", "up", "enter"}, path: "a.png"},
		{keys: []string{"pgdown", "pgup", "enter"}, path: "Shot one.png"},
		{keys: []string{"pipe", "enter"}, names: ""},
		{keys: []string{"null", "enter"}, names: ""},
		{keys: []string{"loop", "enter"}, names: ""},
		{keys: []string{"l", "enter"}, path: strings.Repeat("l", 250)},
		{keys: []string{dir + "a.png", "enter"}, path: "a.png"},
		{keys: []string{"~/a.png", "enter"}, path: "a.png"},
		{keys: []string{"ctrl+u", "s"}, names: "Shot one.png sub/"},
	} {
		t.Run(strings.Join(tc.keys, " "), func(t *testing.T) {
			p, picked := NewPicker(dir), ""
			for _, key := range termtest.Keys(tc.keys...) {
				picked, _ = p.Press(key)
			}
			want := tc.path
			if want != "" {
				want = dir + want
			}
			if picked != want {
				t.Errorf("picked %q, want %q", picked, want)
			}
			if offered := strings.Join(p.names, " "); tc.path == "" && offered != tc.names {
				t.Errorf("offers %q, want %q", offered, tc.names)
			}
		})
	}
	if path, done := NewPicker(dir).Press(tea.KeyPressMsg{Code: tea.KeyEscape}); path != "" || !done {
		t.Errorf("esc: %q, %v", path, done)
	}
	p := NewPicker(dir)
	p.Press(tea.PasteMsg{Content: "'" + dir + "Shot one.png'"})
	if path, done := p.Press(tea.KeyPressMsg{Code: tea.KeyEnter}); path != dir+"Shot one.png" || !done {
		t.Errorf("a dropped path: %q, %v", path, done)
	}
}

// TestPickerDraws: however many names of whatever length, it has its size.
func TestPickerDraws(t *testing.T) {
	var names []string
	for n := range 2000 {
		names = append(names, fmt.Sprintf("%04d-%s", n, strings.Repeat("图", n%60)))
	}
	p := NewPicker(directory(t, names...))
	for range 300 {
		p.Press(tea.KeyPressMsg{Code: tea.KeyPgDown})
	}
	b := p.Draw(NewStyles(true), 36, 7)
	if len(b.Lines) > 7 || !strings.Contains(ansi.Strip(strings.Join(b.Lines, "\n")), "❯ 1499-") {
		t.Errorf("it shows %q", b.Lines)
	}
	for _, line := range b.Lines {
		if ansi.StringWidth(line) > 37 { // one for the arrow
			t.Errorf("%d cells: %q", ansi.StringWidth(line), line)
		}
	}
}

// TestDroppedPath: only the one whole path of a regular file is one.
func TestDroppedPath(t *testing.T) {
	dir := directory(t, "plain.png", "two words.png", "it's.txt", "a(b).txt", "100%.txt", "sub"+separator, "tab\tbed.txt")
	for _, tc := range []struct{ text, name string }{
		{dir + "plain.png", "plain.png"},
		{" " + dir + "plain.png \n", "plain.png"},
		{dir + "two words.png", "two words.png"},
		{dir + `two\ words.png`, "two words.png"},
		{"'" + dir + "two words.png'", "two words.png"},
		{`"` + dir + `two words.png"`, "two words.png"},
		{"'" + dir + `it'\''s.txt'`, "it's.txt"},
		{dir + `it\'s.txt`, "it's.txt"},
		{dir + `a\(b\).txt`, "a(b).txt"},
		{"file://" + dir + "two%20words.png", "two words.png"},
		{dir + "100%.txt", "100%.txt"},
		{dir + "sub", ""},
		{dir + "absent.png", ""},
		{dir + "plain.png " + dir + "plain.png", ""},
		{"see " + dir + "plain.png", ""},
		{dir + "tab\tbed.txt", ""},
		{"plain.png", ""},
		{os.DevNull, ""},
		{"", ""},
		{"'", ""},
		{"file://", ""},
	} {
		want := ""
		if tc.name != "" {
			want = dir + tc.name
		}
		if path, ok := DroppedPath(tc.text); path != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", tc.text, path, ok, want)
		}
	}
}

func TestExpanded(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	for path, want := range map[string]string{"~/x": "/home/ada/x", "~/x/": "/home/ada/x/", "~/": "/home/ada/", "~": "~", "/x": "/x", "": "", "~bob/x": "~bob/x"} {
		if got := Expanded(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
