//go:build unix

package pane

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcp-askuser/internal/proc"
)

// ancestors yields the processes above this one, nearest first, as far as they
// are this user's: some hosts pass on next to nothing of their environment. None
// where the system does not show us another process's environment without asking
// the user first.
func ancestors(yield func(process) bool) {
	for pid := os.Getppid(); pid > 1; {
		p, ok := proc.Look(pid)
		if !ok {
			return
		}
		environ, ok := environ(pid)
		if ok && !yield(process{environ, daemon(pid, p)}) {
			return
		}
		pid = p.Parent
	}
}

func environ(pid int) (getenv func(string) string, ok bool) {
	if !ours(fmt.Sprintf("/proc/%d", pid)) {
		return nil, false // root could read it
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil, false
	}
	return func(name string) string {
		for entry := range bytes.SplitSeq(data, []byte{0}) {
			if value, found := strings.CutPrefix(string(entry), name+"="); found {
				return value
			}
		}
		return ""
	}, true
}

// daemon reports whether a process leads a session without a terminal, or is a
// Codex that serves the screens of others, whichever terminal it was started on.
func daemon(pid int, p proc.Process) bool {
	return p.Session == pid && p.Terminal == 0 ||
		filepath.Base(p.Args[0]) == "codex" && (slices.Contains(p.Args, "app-server") || slices.Contains(p.Args, "daemon"))
}
