package edit

import (
	"bytes"
	"crypto/sha256"
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

// Backup is the suffix of the copy of a file before our first change. Before it, the
// copy's name has a hash of the file as we left it.
const Backup = ".before-mcp-askuser"

// Change is a file as it is and as it is to become.
type Change struct {
	Path          string // the file itself, behind symbolic links
	Before, After []byte // nil means no file
	// Root is above the directories that are removed with the file if they are empty.
	// Empty: none is removed.
	Root string

	shared   bool // other programs write to the file, too: it gets a backup
	out      bool // an entry of ours is removed
	restored bool // After is the backup
}

// ours is in every entry of ours: a file without it has none.
const ours = "askuser"

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

// Plan returns the change that adds an entry of ours to a file, or removes it. If only we
// have changed the file, removing our last entry restores it from the backup. Remove receives
// the backup too, nil if there is none.
func (f Format) Plan(path string, out bool,
	add func(data []byte) ([]byte, error), remove func(data, before []byte) ([]byte, error),
) (Change, error) {
	c, err := Read(path)
	c.shared, c.out = true, out
	switch {
	case err != nil:
		return c, err
	case !out:
		c.After, err = add(c.Before)
	case c.Before != nil:
		backup, intact := c.backup()
		before, _ := read(backup)
		c.After, err = remove(c.Before, before)
		if err == nil && !c.Empty() {
			f.restore(&c, before, intact)
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.Path, err)
	}
	return c, err
}

// restore has a change that removes an entry restore the file before our first change, if
// only we have changed it since and no other entry of ours is left. A file that we have
// created, and that holds nothing else, is removed.
func (f Format) restore(c *Change, before []byte, intact bool) {
	if before == nil && len(bytes.Trim(c.After, "{} \t\r\n")) == 0 {
		c.After = nil
	}
	now, nowErr := f.decode(c.After)
	was, wasErr := f.decode(before)
	if before != nil && intact && nowErr == nil && wasErr == nil && meaning(now, nil) == meaning(was, nil) {
		c.After, c.restored = before, true
	}
}

// backup returns the path of the copy of the file before our first change, empty without
// one. Intact means that only we have changed the file since.
func (c *Change) backup() (path string, intact bool) {
	dir, base := filepath.Split(c.Path)
	found, _ := os.ReadDir(dir)
	for _, f := range found {
		if !strings.HasPrefix(f.Name(), base+".") || !strings.HasSuffix(f.Name(), Backup) {
			continue
		}
		path = filepath.Join(dir, f.Name())
		if path == c.backupOf(c.Before) {
			return path, true
		}
	}
	return path, false
}

// backupOf returns the path of the backup of a file that we have left like this.
func (c *Change) backupOf(left []byte) string {
	sum := sha256.Sum256(left)
	return fmt.Sprintf("%s.%x%s", c.Path, sum[:4], Backup)
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
	backup, intact := c.backup()
	first := c.Before != nil && !bytes.Contains(c.Before, []byte(ours))
	if c.shared && !c.out && first && backup == "" {
		err = put(c.backupOf(c.After), c.Before, c.Path)
	}
	if err == nil {
		err = put(c.Path, c.After, c.Path)
	}
	switch {
	case err != nil:
		return err
	case c.After == nil:
		c.prune()
	case backup == "":
	case c.restored || c.out && !intact:
		return os.Remove(backup)
	case intact:
		return os.Rename(backup, c.backupOf(c.After))
	}
	return nil
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

// Diff returns the change as a unified diff, as text that is safe to print.
func (c *Change) Diff() string {
	terminated := func(data []byte) []byte {
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(slices.Clip(data), '\n')
		}
		return data
	}
	unified := string(diff.Diff("", terminated(c.Before), "", terminated(c.After)))
	lines := strings.Split(strings.TrimSuffix(unified, "\n"), "\n")
	var b strings.Builder
	for _, line := range lines[min(3, len(lines)):] { // without the names of the files
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    ")
		b.WriteString(question.Line(line) + "\n")
	}
	return b.String()
}
