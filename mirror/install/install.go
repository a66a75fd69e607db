// Package install sets hosts up to run the command hook, and takes that out
// again. It changes as few bytes of their files as it can, and keeps the others
// as they are, comments and odd formatting included; what it does not
// understand it does not touch. It computes what a file becomes; [Change.Apply]
// writes it.
//
// It imports none of our packages but mirror, for the events of hosts.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Backup is what a file is called, behind its name, that we have changed: as it
// was before.
const Backup = ".before-mcp-askuser"

// Change is a file as it is and as it is to become.
type Change struct {
	Path          string // the file itself, behind symbolic links
	Before, After []byte // nil where there is, or is to be, no file
}

// Empty reports whether there is nothing to do.
func (c *Change) Empty() bool {
	return bytes.Equal(c.Before, c.After) && (c.Before == nil) == (c.After == nil)
}

// Read begins a change to a file that may not be there.
func Read(path string) (Change, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Change{Path: path}, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return Change{Path: path, Before: data, After: data}, err
}

// Apply writes the file, whole or not at all. The first change of ours leaves a
// backup beside it, and taking all of ours out takes that away.
func (c *Change) Apply(ours func([]byte) bool) error {
	if c.Empty() {
		return nil
	}
	now, err := Read(c.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now.Before, c.Before) {
		return fmt.Errorf("%s has changed in this moment: nothing was written; try again", c.Path)
	}
	backup := c.Path + Backup
	if c.Before != nil && !ours(c.Before) {
		if err := write(backup, c.Before, c.Path); err != nil {
			return err
		}
	}
	if c.After == nil {
		err = os.Remove(c.Path)
	} else {
		err = write(c.Path, c.After, c.Path)
	}
	if err == nil && (c.After == nil || !ours(c.After)) {
		if err = os.Remove(backup); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// write puts a file in place of another, with the mode of like.
func write(path string, data []byte, like string) (err error) {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as the hosts make them
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Diff shows what changes, line by line, with three lines around it.
func (c *Change) Diff() string {
	a, b := lines(c.Before), lines(c.After)
	// The longest common lines, from the end.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return around(out, 3)
}

func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// around leaves out what is further than n lines from a change.
func around(all []string, n int) string {
	var b strings.Builder
	skipped := false
	for i, line := range all {
		near := slices.ContainsFunc(all[max(0, i-n):min(len(all), i+n+1)], func(x string) bool { return x[0] != ' ' })
		switch {
		case near:
			b.WriteString(line + "\n")
		case !skipped:
			b.WriteString("  …\n")
		}
		skipped = !near
	}
	return b.String()
}
