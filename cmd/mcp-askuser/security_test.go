package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that SECURITY.md names exists, in the room that it names.
func TestSecurityIsTested(t *testing.T) {
	const root = "../.."
	tests := map[string]string{} // by name: the rooms that have it, each after a blank
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		room, _ := filepath.Rel(root, filepath.Dir(path))
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tests[string(m[1])] += " " + filepath.ToSlash(room) + " "
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("(?:`(?:Test|Fuzz)\\w+`,?\\s+)*`(?:Test|Fuzz)\\w+`(?:\\s+in\\s+`([\\w/-]+)`)?")
	name := regexp.MustCompile(`(?:Test|Fuzz)\w+`)
	count := 0
	for _, m := range named.FindAllSubmatch(text, -1) {
		for _, test := range name.FindAll(m[0], -1) {
			count++
			if room := string(m[1]); tests[string(test)] == "" || room != "" && !strings.Contains(tests[string(test)], " "+room+" ") {
				t.Errorf("there is no %s in %q; it is in%s", test, room, tests[string(test)])
			}
		}
	}
	if count < 60 {
		t.Errorf("only %d tests are named: the pattern is wrong", count)
	}
}
