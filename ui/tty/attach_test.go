//go:build unix

package tty

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/question"
)

// TestPlainFiles: the line form attaches a file by its path, typed after :f or dropped as
// the answer, and nothing else.
func TestPlainFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"two words.txt": "a log\n", "lying.png": "text\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "two words.txt")
	escaped := strings.ReplaceAll(file, " ", `\ `)
	attached, err := question.NewFile(file, []byte("a log\n"))
	if err != nil {
		t.Fatal(err)
	}
	const number, path, lastOut, keep, inPlace = "Enter a number: ", "(Enter for none): ", "- to leave the last out (Enter for neither): ", "[keep]: ", "y or n [n]: "
	for _, tt := range []struct {
		name, sample string
		steps        []step
		custom       string
		chosen       bool
		files        int
	}{
		{"typed", "single", []step{{number, ":f\r"}, {path, file + "\r"}, {"Attached: two words.txt (text/plain, 6 B)", ""}, {keep, "1\r"}}, "", true, 1},
		{"quoted", "single", []step{{number, ":f\r"}, {path, "'" + file + "'\r"}, {keep, "1\r"}}, "", true, 1},
		{"none", "single", []step{{number, ":f\r"}, {path, "\r"}, {number, "1\r"}}, "", true, 0},
		{"directory", "single", []step{{number, ":f\r"}, {path, dir + "\r"}, {"is not a file.", ""}, {number, "1\r"}}, "", true, 0},
		{"absent", "single", []step{{number, ":f\r"}, {path, dir + "/absent\r"}, {"no such file", ""}, {number, "1\r"}}, "", true, 0},
		{"lying", "single", []step{{number, ":f\r"}, {path, dir + "/lying.png\r"}, {"each under its own ending", ""}, {number, "1\r"}}, "", true, 0},
		{"left out", "single", []step{{number, ":f\r"}, {path, file + "\r"}, {keep, ":f\r"}, {"Attached: two words.txt (text/plain, 6 B)", ""}, {lastOut, "-\r"}, {"Left out: two words.txt", ""}, {number, "1\r"}}, "", true, 0},
		{"neither", "single", []step{{number, ":f\r"}, {path, file + "\r"}, {keep, ":f\r"}, {lastOut, "\r"}, {keep, "1\r"}}, "", true, 1},
		{"a sixth", "single", slices.Concat([]step{{number, ":f\r"}, {path, file + "\r"}},
			slices.Repeat([]step{{keep, ":f\r"}, {lastOut, file + "\r"}}, 5), []step{{"This answer takes at most 5 files, got 6.", ""}, {keep, "1\r"}}), "", true, 5},
		{"dropped", "text", []step{{"[shop]: ", escaped + "\r"}, {inPlace, "y\r"}, {keep, "\r"}}, "", false, 1},
		{"dropped as text", "text", []step{{"[shop]: ", file + "\r"}, {inPlace, "\r"}}, file, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := put(t, tt.sample, 0)
			x := start(t, 80, 24, "of the desk", alone, a.env("TTY_PLAIN=1", "TTY_OPENED=1")...)
			for _, s := range tt.steps {
				x.Expect(s.prompt)
				x.Type(s.keys)
			}
			rep := x.end()
			if len(rep.Replies) != 1 || len(rep.Replies[0].Answers) != 1 {
				t.Fatalf("committed %+v", rep.Replies)
			}
			got := rep.Replies[0].Answers[0]
			if got.Custom != tt.custom || (len(got.Selected) == 1) != tt.chosen || !slices.Equal(got.Files, slices.Repeat([]question.File{attached}, tt.files)) {
				t.Errorf("answered %+v", got)
			}
		})
	}
}
