package edit

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

// Plan is the change that puts ours into a file, or takes it out again. Taking
// out what was put in, and not touched since, restores the file as it was: the
// backup tells.
func Plan(path string, out bool, add, remove func([]byte) ([]byte, error)) (Change, error) {
	c, err := Read(path)
	switch {
	case err != nil:
		return c, err
	case !out:
		c.After, err = add(c.Before)
	case c.Before != nil:
		if c.After, err = remove(c.Before); err != nil || bytes.Equal(c.After, c.Before) {
			break
		}
		before, lost := os.ReadFile(c.Path + Backup)
		if lost != nil {
			before = nil // there was no file
		}
		if again, err := add(before); err == nil && bytes.Equal(again, c.Before) {
			c.After = before
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.Path, err)
	}
	return c, err
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
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []string
	for _, line := range a[:head] {
		out = append(out, "  "+line)
	}
	out = append(out, compare(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		out = append(out, "  "+line)
	}
	return around(out, 3)
}

// compare is every line of a and b, with a sign for where it stands. More than
// a few thousand lines are not compared with one another.
func compare(a, b []string) []string {
	var out []string
	if len(a)*len(b) > 1<<22 {
		for _, line := range a {
			out = append(out, "- "+line)
		}
		for _, line := range b {
			out = append(out, "+ "+line)
		}
		return out
	}
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
	return out
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
