//go:build unix

package tty

import (
	"os"
	"path/filepath"
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
	const number, path, keep, inPlace = "Enter a number: ", "(Enter for none): ", "[keep]: ", "y or n [n]: "
	for _, tt := range []struct {
		name, sample string
		steps        []step
		custom       string
		chosen, file bool
	}{
		{"typed", "single", []step{{number, ":f\r"}, {path, file + "\r"}, {"Attached: two words.txt (text/plain, 6 B)", ""}, {keep, "1\r"}}, "", true, true},
		{"quoted", "single", []step{{number, ":f\r"}, {path, "'" + file + "'\r"}, {keep, "1\r"}}, "", true, true},
		{"none", "single", []step{{number, ":f\r"}, {path, "\r"}, {number, "1\r"}}, "", true, false},
		{"directory", "single", []step{{number, ":f\r"}, {path, dir + "\r"}, {"is not a file.", ""}, {number, "1\r"}}, "", true, false},
		{"absent", "single", []step{{number, ":f\r"}, {path, dir + "/absent\r"}, {"no such file", ""}, {number, "1\r"}}, "", true, false},
		{"lying", "single", []step{{number, ":f\r"}, {path, dir + "/lying.png\r"}, {"each under its own ending", ""}, {number, "1\r"}}, "", true, false},
		{"dropped", "text", []step{{"[shop]: ", escaped + "\r"}, {inPlace, "y\r"}, {keep, "\r"}}, "", false, true},
		{"dropped as text", "text", []step{{"[shop]: ", file + "\r"}, {inPlace, "\r"}}, file, false, false},
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
			if got.Custom != tt.custom || (len(got.Selected) == 1) != tt.chosen || (len(got.Files) == 1 && got.Files[0] == attached) != tt.file {
				t.Errorf("answered %+v", got)
			}
		})
	}
}
