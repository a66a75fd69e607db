package local

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// EnvDir is the environment variable that names the directory of the store.
const EnvDir = "MCP_ASKUSER_DIR"

// nameAnother is the way out where a directory cannot be the store.
const nameAnother = "name another directory for the store with --dir or " + EnvDir

// app is the name of our directory among other programs' state.
const app = "mcp-askuser"

// DefaultDir returns the directory of the store: $MCP_ASKUSER_DIR, else
// $XDG_STATE_HOME/mcp-askuser, else one in the platform's directory for state. It touches no
// file; github.com/adrg/xdg reads the environment and files before main runs.
func DefaultDir(getenv func(string) string) (string, error) {
	dir := getenv(EnvDir)
	if dir != "" && !filepath.IsAbs(dir) {
		// Hosts start us in directories of their own: a relative path would be another
		// store for each.
		return "", fmt.Errorf("the store %q (--dir or %s) must be an absolute path", dir, EnvDir)
	}
	if dir != "" {
		return filepath.Clean(dir), nil
	}
	// The XDG specification has relative paths ignored.
	state := getenv("XDG_STATE_HOME")
	if filepath.IsAbs(state) {
		return filepath.Join(state, app), nil
	}
	home, below := "HOME", []string{".local", "state"}
	switch runtime.GOOS {
	case "windows":
		home, below = "LOCALAPPDATA", nil
	case "darwin":
		below = []string{"Library", "Application Support"}
	}
	root := getenv(home)
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("no place for the store, as %s is %q: set it to an absolute path, or %s", home, root,
			nameAnother)
	}
	return filepath.Join(append(append([]string{root}, below...), app)...), nil
}
