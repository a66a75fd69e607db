package inbox

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// branch returns the git branch of the work tree that dir lies in, a short
// commit where none is checked out, and nothing where dir is in no work tree
// or it cannot be told. It reads git's own files: a process for each project
// would be slow, and git may not be there.
func branch(dir string) string {
	for last := ""; filepath.IsAbs(dir) && dir != last; last, dir = dir, filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		link, _ := readSmall(git)
		if target, ok := strings.CutPrefix(link, "gitdir: "); ok { // a linked work tree, or a submodule
			if git = target; !filepath.IsAbs(git) {
				git = filepath.Join(dir, target)
			}
		}
		if head, err := readSmall(filepath.Join(git, "HEAD")); err == nil {
			return branchOf(head)
		}
	}
	return ""
}

func branchOf(head string) string {
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok && name != ".invalid" { // what reftable leaves there
		return name
	}
	if id, err := hex.DecodeString(head); err == nil && len(id) >= 20 {
		return head[:7]
	}
	return ""
}

// readSmall reads a small regular file. The directory is what an asker says:
// what blocks (a pipe) or has no end must do no harm.
func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", errors.New("no small file")
	}
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}
