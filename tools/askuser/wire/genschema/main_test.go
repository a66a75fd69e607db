package main

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/internal/fatal"
)

// TestFilesAreFresh checks that the files are what the types say.
func TestFilesAreFresh(t *testing.T) {
	files, err := generate("..")
	fatal.If(t, err)
	for path, want := range files {
		if got, err := os.ReadFile(filepath.Join("..", path)); err != nil || string(got) != string(want) {
			t.Errorf("%s is stale (%v): run go generate ./...", path, err)
		}
	}
}
