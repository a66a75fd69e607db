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

	"github.com/rogpeppe/go-internal/diff"

	"mcp-askuser/internal/wholefile"
	"mcp-askuser/question"
)

// Backup is what a file is called, behind its name, that we have changed: as it
// was before.
const Backup = ".before-mcp-askuser"

// Change is a file as it is and as it is to become.
type Change struct {
	Path          string // the file itself, behind symbolic links
	Before, After []byte // nil where there is, or is to be, no file
	// Ours reports whether such a file holds something of ours.
	Ours func([]byte) bool
	// Root is above the directories that go with the file where nothing else is in
	// them; none does where it is empty.
	Root string

	of string
	// The file with ours and nothing else of ours, and the one without: where the
	// backup of something else of ours is the former, it becomes the latter when
	// ours is taken out.
	with, without []byte
}

// backup is the path of the file as it was before.
func (c *Change) backup() string { return c.Path + c.of + Backup }

// Empty reports whether there is nothing to do.
func (c *Change) Empty() bool {
	return bytes.Equal(c.Before, c.After) && (c.Before == nil) == (c.After == nil)
}

// Read begins a change to a file that may not be there.
func Read(path string) (Change, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if target, wrong := os.Readlink(path); wrong == nil && errors.Is(err, fs.ErrNotExist) {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		return Read(target) // what it leads to can be made
	}
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return Change{Path: path, Before: data, After: data}, err
}

// read reads a regular file. It refuses any other at once: a named pipe would keep its
// reader waiting.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, errNoFile)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Plan is the change that puts ours into a file, or takes it out again. Taking
// out what was put in, and not touched since, restores the file as it was: the
// backup tells; remove gets it too. Where a file holds several things of ours, each has
// a backup of its own: of names it.
func Plan(path, of string, out bool, ours func([]byte) bool,
	add func(data []byte) ([]byte, error), remove func(data, before []byte) ([]byte, error),
) (Change, error) {
	c, err := Read(path)
	c.Ours, c.of = ours, of
	switch {
	case err != nil:
		return c, err
	case !out:
		c.After, err = add(c.Before)
	case c.Before != nil:
		c.without, _ = read(c.backup()) // nil where there was no file
		if c.After, err = remove(c.Before, c.without); err != nil || bytes.Equal(c.After, c.Before) {
			break
		}
		if with, err := add(c.without); err == nil {
			if c.with = with; bytes.Equal(with, c.Before) {
				c.After = c.without
			}
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.Path, err)
	}
	return c, err
}

// Apply writes the file, whole or not at all. The first change of ours leaves a
// backup beside it, and taking all of ours out takes that away.
func (c *Change) Apply() error {
	if c.Empty() {
		return nil
	}
	now, err := Read(c.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now.Before, c.Before) {
		return fmt.Errorf("%s: %w", c.Path, errMeantime)
	}
	backup := c.backup()
	if c.Before != nil && !c.Ours(c.Before) {
		if err := write(backup, c.Before, c.Path); err != nil {
			return err
		}
	}
	if err = put(c.Path, c.After, c.Path); err != nil || c.After != nil && c.Ours(c.After) {
		return err
	}
	err = put(backup, nil, "")
	for _, other := range c.others() {
		if data, wrong := read(other); wrong == nil && bytes.Equal(data, c.with) {
			err = errors.Join(err, put(other, c.without, other))
		}
	}
	c.prune()
	return err
}

// others are the backups of what else of ours the file holds.
func (c *Change) others() (paths []string) {
	dir := filepath.Dir(c.Path)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(path, c.Path+".") && strings.HasSuffix(path, Backup) {
			paths = append(paths, path)
		}
	}
	return paths
}

// prune removes the directories between the root and the file that hold nothing.
func (c *Change) prune() {
	root, err := filepath.EvalSymlinks(c.Root)
	if err != nil || c.Root == "" {
		return
	}
	dir := filepath.Dir(c.Path)
	for strings.HasPrefix(dir, root+string(filepath.Separator)) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}

// put is write, and removes the file where data is nil.
func put(path string, data []byte, like string) error {
	if data != nil {
		return write(path, data, like)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write puts a file in place of another, with the mode of like.
func write(path string, data []byte, like string) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as the hosts make them
		return err
	}
	return wholefile.Put(path, data, mode, os.Rename)
}

// Diff shows what changes, line by line, with three lines around it.
func (c *Change) Diff() string {
	whole := func(data []byte) []byte { // its last line, too
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(slices.Clip(data), '\n')
		}
		return data
	}
	before, after := whole(c.Before), whole(c.After)
	unified := bytes.SplitAfter(diff.Diff("", before, "", after), []byte("\n"))
	const left = "  …\n"
	var b strings.Builder
	end := 1 // the line of before behind those that are shown
	for _, line := range unified[min(3, len(unified)):] {
		from, count := 0, 0
		if _, err := fmt.Sscanf(string(line), "@@ -%d,%d", &from, &count); err == nil {
			if from > end {
				b.WriteString(left)
			}
			end = max(1, from+count)
		} else if len(line) > 0 {
			fmt.Fprintf(&b, "%c %s\n", line[0], shown(line[1:]))
		}
	}
	if b.Len() > 0 && end <= bytes.Count(before, []byte("\n")) {
		b.WriteString(left)
	}
	return b.String()
}

// shown is a line of a file as text that is safe to print, without its line break.
// Tabs stay.
func shown(line []byte) string {
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	cells := strings.Split(text, "\t")
	for i := range cells {
		cells[i] = question.Line(cells[i])
	}
	return strings.Join(cells, "\t")
}
