package inbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// branch returns the git branch of the work tree that dir lies in, a short
// commit where none is checked out, and nothing where dir is in no work tree
// or it cannot be told. It reads git's own files: a process for each project
// would be slow, and git may not be there.
func branch(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for {
		if head, err := readSmall(filepath.Join(gitDir(dir), "HEAD")); err == nil {
			return branchOf(head)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// gitDir returns where git keeps the HEAD of a work tree: in the directory
// .git, or where a file of that name points, in linked work trees and
// submodules.
func gitDir(worktree string) string {
	path := filepath.Join(worktree, ".git")
	link, err := readSmall(path)
	if err != nil {
		return path
	}
	target, ok := strings.CutPrefix(link, "gitdir: ")
	if !ok {
		return path
	}
	if filepath.IsAbs(target) {
		return target
	}
	return filepath.Join(worktree, target)
}

var commit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40,64}$`) })

func branchOf(head string) string {
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok && name != ".invalid" { // what reftable leaves there
		return name
	}
	if commit().MatchString(head) {
		return head[:7]
	}
	return ""
}

// readSmall reads the first lines of a regular file. The directory is what an
// asker says: what blocks (a pipe) or has no end must do no harm.
func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("no regular file")
	}
	f, err := os.Open(path) //nolint:gosec // which file is fixed, and no more of it is shown than a name
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	return strings.TrimSpace(string(data)), err
}
