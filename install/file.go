package install

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"

	"mcp-askuser/internal/wholefile"
	"mcp-askuser/question"
)

// backupSuffix ends the name of the copy of a file before our first change. A hash of the
// file as we left it precedes the suffix: only a file that has not been changed since is
// restored from its copy.
const backupSuffix = ".before-mcp-askuser"

// ours matches what is in our entries, rules and hooks, and in no other server of our name.
var ours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)mcp[-_]+askuser`) })

// Change is a file as it is and as it is to become.
type Change struct {
	Path          string // the file itself, behind symbolic links
	Before, After []byte // nil means no file

	name    string // the path that the client knows, perhaps through links
	root    string // above the directories that go with the file if they are empty
	program string // ours, perhaps of another name
	out     bool   // what we have put in is taken out
}

// Empty reports whether nothing changes.
func (c *Change) Empty() bool {
	return bytes.Equal(c.Before, c.After) && (c.Before == nil) == (c.After == nil)
}

// open begins a change to a file that may not exist. A link to such a file stays one.
func open(path string) (Change, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		link, err := os.Readlink(path)
		if err != nil {
			return Change{Path: path}, nil //nolint:nilerr // it is no link
		}
		if filepath.IsAbs(link) {
			return open(link)
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return Change{}, err
		}
		return open(filepath.Join(dir, link))
	}
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Stat(target)
	if err == nil && !info.Mode().IsRegular() { // to open a named pipe is to wait for its writer
		err = fmt.Errorf("%s: this is no regular file, and was not read", target)
	}
	if err != nil {
		return Change{}, err
	}
	data, err := os.ReadFile(target)
	return Change{Path: target, Before: data, After: data}, err
}

// restore has a change that takes our part out restore the file before our first change, if
// no other program has changed it since. A file that we have created is removed.
func (c *Change) restore() error {
	backup, intact := c.backup()
	if intact {
		data, err := os.ReadFile(backup)
		c.After = data
		return err
	}
	if backup == "" && len(bytes.Trim(c.After, "{} \t\r\n")) == 0 {
		c.After = nil
	}
	return nil
}

// backup returns the path of the copy of the file before our first change, empty without
// one. Intact means that only we have changed the file since.
func (c *Change) backup() (path string, intact bool) {
	dir, base := filepath.Split(c.Path)
	found, _ := os.ReadDir(dir)
	for _, f := range found {
		if strings.HasPrefix(f.Name(), base+".") && strings.HasSuffix(f.Name(), backupSuffix) {
			path = filepath.Join(dir, f.Name())
			return path, path == c.backupOf(c.Before)
		}
	}
	return "", false
}

// backupOf returns the path of the backup of a file that we have left like this.
func (c *Change) backupOf(left []byte) string {
	sum := sha256.Sum256(left)
	return fmt.Sprintf("%s.%x%s", c.Path, sum[:4], backupSuffix)
}

// Apply replaces the file atomically. Our first change leaves a backup beside it, which
// goes when our part is taken out.
func (c *Change) Apply() error {
	if c.Empty() {
		return nil
	}
	now, err := open(c.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now.Before, c.Before) {
		return errors.New("it has changed in this moment; try again")
	}

	backup, intact := c.backup()
	first := c.Before != nil && backup == "" && !ours().Match(c.Before) && !bytes.Contains(c.Before, []byte(c.program))
	keep := first && !c.out
	if keep {
		err = put(c.backupOf(c.After), c.Before, c.Path)
	}
	switch {
	case err != nil:
	case c.After == nil:
		err = c.remove()
	default:
		err = put(c.Path, c.After, c.Path)
	}
	if err != nil && keep { // a file that is a mount of its own cannot be replaced
		_ = os.Remove(c.backupOf(c.After))
	}
	switch {
	case err != nil || backup == "":
		return err
	case c.out:
		return os.Remove(backup)
	case intact:
		return os.Rename(backup, c.backupOf(c.After))
	}
	return nil
}

// remove removes the file, and the directories between it and the root that are empty then. Those
// behind a link are the user's own.
func (c *Change) remove() error {
	err := os.Remove(c.Path)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(c.root)
	below, outside := filepath.Rel(c.root, c.name)
	if errors.Join(err, outside) != nil || filepath.Join(root, below) != c.Path { // then the directories stay
		return nil //nolint:nilerr // the file is gone
	}
	dir := filepath.Dir(c.Path)
	for strings.HasPrefix(dir, root+string(filepath.Separator)) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
	return nil
}

// put replaces a file, with the mode of like.
func put(path string, data []byte, like string) error {
	mode := fs.FileMode(0o600)
	info, err := os.Stat(like)
	if err == nil {
		mode = info.Mode().Perm()
	}
	err = os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // as the clients create them
	if err != nil {
		return err
	}
	return wholefile.Put(path, data, mode, os.Rename)
}

// Diff returns the change as a unified diff, as text that is safe to print.
func (c *Change) Diff() string {
	unified := string(diff.Diff("", c.Before, "", c.After))
	lines := strings.Split(strings.TrimSuffix(unified, "\n"), "\n")
	var b strings.Builder
	for _, line := range lines[min(3, len(lines)):] { // without the names of the files
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    ")
		b.WriteString(question.Line(line) + "\n")
	}
	return b.String()
}
