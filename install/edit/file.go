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

// Backup is the suffix of the copy of a file before our first change.
const Backup = ".before-mcp-askuser"

// Change is a file as it is and as it is to become.
type Change struct {
	Path          string // the file itself, behind symbolic links
	Before, After []byte // nil means no file
	// Ours reports whether a file has an entry of ours.
	Ours func([]byte) bool
	// Root is above the directories that are removed with the file if they are empty.
	// Empty: none is removed.
	Root string

	entry string // the name of the entry in its backup's name
	// The file before our first change, with this entry and without. A backup for another
	// entry that equals the former becomes the latter when this entry is removed.
	with, without []byte
}

// backup returns the path of the copy of the file before our first change.
func (c *Change) backup() string { return c.Path + c.entry + Backup }

// Empty reports whether nothing changes.
func (c *Change) Empty() bool {
	return bytes.Equal(c.Before, c.After) && (c.Before == nil) == (c.After == nil)
}

// Read begins a change to a file that may not exist.
func Read(path string) (Change, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if target, linkErr := os.Readlink(path); linkErr == nil && errors.Is(err, fs.ErrNotExist) {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		return Read(target) // which can be created
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

// Plan returns the change that adds our entry to a file, or removes it. If the file was
// not changed since it was added, removing it restores the file from the backup, which
// remove receives too. Each of several entries in a file has its own backup, with entry
// in its name.
func Plan(path, entry string, out bool, ours func([]byte) bool,
	add func(data []byte) ([]byte, error), remove func(data, before []byte) ([]byte, error),
) (Change, error) {
	c, err := Read(path)
	c.Ours, c.entry = ours, entry
	switch {
	case err != nil:
		return c, err
	case !out:
		c.After, err = add(c.Before)
	case c.Before != nil:
		c.without, _ = read(c.backup()) // nil if the file did not exist
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

// Apply replaces the file atomically. Our first change leaves a backup beside it, which
// is removed with our last entry.
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
		if err := put(backup, c.Before, c.Path); err != nil {
			return err
		}
	}
	if err = put(c.Path, c.After, c.Path); err != nil || c.After != nil && c.Ours(c.After) {
		return err
	}
	err = put(backup, nil, "")
	dir, base := filepath.Split(c.Path)
	backups, _ := fs.Glob(os.DirFS(dir), base+"*"+Backup)
	for _, name := range backups {
		if !strings.HasPrefix(name, base+".") { // not for another entry of ours, but of another file
			continue
		}
		other := filepath.Join(dir, name)
		if data, readErr := read(other); readErr == nil && bytes.Equal(data, c.with) {
			err = errors.Join(err, put(other, c.without, other))
		}
	}
	c.prune()
	return err
}

// prune removes the empty directories between the root and the file.
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

// put replaces a file, with the mode of like, or removes it if data is nil.
func put(path string, data []byte, like string) error {
	if data == nil {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as the hosts create them
		return err
	}
	return wholefile.Put(path, data, mode, os.Rename)
}

// Diff returns the changed lines, with three lines around them.
func (c *Change) Diff() string {
	terminated := func(data []byte) []byte {
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(slices.Clip(data), '\n')
		}
		return data
	}
	before, after := terminated(c.Before), terminated(c.After)
	unified := bytes.SplitAfter(diff.Diff("", before, "", after), []byte("\n"))
	const omitted = "  …\n"
	var b strings.Builder
	end := 1 // the line of before that follows those already shown
	for _, line := range unified[min(3, len(unified)):] {
		from, count := 0, 0
		if _, err := fmt.Sscanf(string(line), "@@ -%d,%d", &from, &count); err == nil {
			if from > end {
				b.WriteString(omitted)
			}
			end = max(1, from+count)
		} else if len(line) > 0 {
			fmt.Fprintf(&b, "%c %s\n", line[0], safeLine(line[1:]))
		}
	}
	if b.Len() > 0 && end <= bytes.Count(before, []byte("\n")) {
		b.WriteString(omitted)
	}
	return b.String()
}

// safeLine returns a line of a file as text that is safe to print, without its line
// break but with its tabs.
func safeLine(line []byte) string {
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	cells := strings.Split(text, "\t")
	for i := range cells {
		cells[i] = question.Line(cells[i])
	}
	return strings.Join(cells, "\t")
}
