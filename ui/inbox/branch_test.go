package inbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBranch reads what git leaves in a work tree, a linked work tree, a
// submodule, and what only looks like it.
func TestBranch(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 3)[:40]
	tests := []struct {
		name  string
		files map[string]string // under the root
		dir   string
		want  string
	}{
		{"branch", map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, "", "main"},
		{"branch with a slash", map[string]string{".git/HEAD": "ref: refs/heads/fix/orders\n"}, "", "fix/orders"},
		{"below the root", map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a/b/c": ""}, "a/b", "main"},
		{"detached", map[string]string{".git/HEAD": id + "\n"}, "", "0123456"},
		{"linked", map[string]string{"wt/.git": "gitdir: ../git/worktrees/wt\n", "git/worktrees/wt/HEAD": "ref: refs/heads/topic\n"}, "wt", "topic"},
		{"reftable", map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n"}, "", ""},
		{"no work tree", map[string]string{"a": ""}, "", ""},
		{"broken link", map[string]string{".git": "gitdir: /nowhere/at/all\n"}, "", ""},
		{"other file", map[string]string{".git": "hello\n"}, "", ""},
		{"garbage", map[string]string{".git/HEAD": "\x1b]0;x\x07"}, "", ""},
		{"gone", nil, "not/there", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range tt.files {
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := branch(filepath.Join(root, tt.dir)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := branch("somewhere"); got != "" {
		t.Errorf("a relative directory has the branch %q", got)
	}
}
