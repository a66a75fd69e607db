package proc

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Self returns the path by which this program was started, while that leads to it, or its own file
// has gone. A link leads to the next version after an upgrade, and the file of this one may be removed.
func Self() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(os.Args[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return file, nil //nolint:nilerr // it was started under another name
	}
	started, _ := os.Stat(path) //nolint:gosec // only compared
	this, _ := os.Stat(file)
	if this == nil || os.SameFile(started, this) {
		return path, nil
	}
	return file, nil
}
