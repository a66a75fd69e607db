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

// from yields a process and its ancestors, as far as they belong to this user, nearest
// first: some hosts pass on hardly any of their environment. It yields none where
// the system hides the environment of other processes.
func from(pid int, yield func(process) bool) {
	for pid, p := range proc.Chain(pid, proc.Look) {
		getenv, ok := environOf(pid)
		if ok && !yield(process{getenv, daemon(pid, p)}) {
			return
		}
	}
}

// environOf returns the environment of a process of this user.
func environOf(pid int) (getenv func(string) string, ok bool) {
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
// Codex server: its clients may have other terminals than the one that it was
// started on.
func daemon(pid int, p proc.Process) bool {
	return p.Session == pid && p.Terminal == 0 ||
		filepath.Base(p.Args[0]) == "codex" && (slices.Contains(p.Args, "app-server") || slices.Contains(p.Args, "daemon"))
}
