package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"mcp-askuser/internal/fatal"
)

func TestPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("it holds %q, %v; want %q", got, err, want)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("beside it stand %v, %v", left, err)
		}
	}
	fatal.If(t, Put(path, []byte("one"), 0o640, os.Link))
	holds("one")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := Put(path, []byte("two"), 0o600, os.Link); !errors.Is(err, fs.ErrExist) {
		t.Errorf("where there is one: %v", err)
	}
	holds("one")
	fatal.If(t, Put(path, []byte("three"), 0o600, os.Rename))
	holds("three")
	if err := Put(filepath.Join(path, "b"), nil, 0o600, os.Rename); err == nil {
		t.Error("below a file")
	}
}
