package install

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A change that cannot be made leaves no copy of the file behind: a container may mount a file of its own.
func TestChangeOfMountedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	fatal.If(t, os.WriteFile(path, []byte("{}"), 0o600))
	if err := syscall.Mount(path, path, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("a mount takes the right to make one: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) })
	c, err := open(path)
	fatal.If(t, err)
	c.After, c.program = []byte(`{"mcp": "askuser"}`), "/bin/mcp-askuser"
	err = c.Apply()
	files, left := os.ReadDir(filepath.Dir(path))
	if err == nil || left != nil || len(files) != 1 {
		t.Errorf("%v, and beside it are %v, %v", err, files, left)
	}
}
