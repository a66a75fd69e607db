package templates

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

const release = `description = "Before a release"

[variables.version]
description = "what is released"

[variables.branch]
default = "main"

[[questions]]
question = "Release {{version}} from {{ branch }}?"
header = "Release"

[[questions.options]]
label = "Yes"

[[questions.options]]
label = "No, {{version}} waits"

[[questions]]
question = "Notes?"
type = "text"
`

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	fatal.If(t, os.MkdirAll(dir, 0o755))
	fatal.If(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func TestCall(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "release.toml", release)
	x, err := Load("release", dir)
	if err != nil || x.Description != "Before a release" || len(x.Variables) != 2 || x.Variables[1].Name != "version" {
		t.Fatal(x, err)
	}
	got, err := x.Call(map[string]string{"version": "1.2 {{branch}}"})
	want := `{"questions":[{"header":"Release","options":[{"label":"Yes"},{"label":"No, 1.2 {{branch}} waits"}],"question":"Release 1.2 {{branch}} from main?"},{"question":"Notes?","type":"text"}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	_, err = x.Call(map[string]string{"verson": "1"})
	for _, says := range []string{`has no variable "verson"; it has branch, version`,
		"needs the variable version: what is released"} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// The project's own come first, and what is broken is named.
func TestList(t *testing.T) {
	project, user := filepath.Join(t.TempDir(), Folder), t.TempDir()
	put(t, user, "release.toml", release)
	put(t, user, "other.toml", "[[questions]]\nquestion = \"A?\"\n")
	put(t, user, "notes.txt", "")
	put(t, project, "release.toml", "description = \"ours\"\n[[questions]]\nquestion = \"B?\"\n")
	all, err := List(project, user)
	if err != nil || len(all) != 2 || all[0].Name != "other" || all[1].Description != "ours" {
		t.Errorf("%+v, %v", all, err)
	}
	put(t, project, "broken.toml", "a = 1\nb = \n")
	put(t, project, "unknown.toml", "\n[[questions]]\nquestion = \"{{who}}?\"\n")
	put(t, project, "empty.toml", "")
	put(t, project, "count.toml", "[[questions]]\nquestion = \"{{n}}?\"\n[variables.n]\ndefault = 3\n")
	put(t, project, "a b.toml", release)
	all, err = List(project, user)
	if len(all) != 2 || err == nil {
		t.Fatal(all, err)
	}
	for _, says := range []string{"broken.toml:2: ", "unknown.toml: {{who}} is no variable",
		"empty.toml: it has no question", "count.toml: json: cannot unmarshal number", "a b.toml: its name"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%v\nwant %q", err, says)
		}
	}
	for _, name := range []string{"nothing", "../release", ""} {
		if _, err := Load(name, project, user); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
