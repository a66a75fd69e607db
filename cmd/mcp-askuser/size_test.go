package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ours is the program's package, from the root of the module.
const ours = "./cmd/mcp-askuser"

// released builds a package as it is released and returns the program's path.
func released(t testing.TB, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	cmd.Dir = filepath.Join("..", "..") // the root of the module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestReleaseSize keeps what is released small, and free of other files.
func TestReleaseSize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	path := released(t, ours)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if atMost := int64(29_500_000); info.Size() > atMost {
		t.Errorf("the program has %d bytes, and may have %d: see what it imports", info.Size(), atMost)
	}
	program, err := elf.Open(path)
	if err != nil {
		t.Skip("not Linux:", err)
	}
	defer program.Close()
	if libraries, err := program.ImportedLibraries(); err == nil && len(libraries) > 0 {
		t.Errorf("the program needs %v", libraries)
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is not static")
		}
	}
}
