package pane

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ancestors yields the processes above this one, nearest first, as far as they
// are this user's.
func ancestors(yield func(Process) bool) {
	for pid := os.Getppid(); pid > 1; {
		parent, daemon := family(pid)
		environ, ok := environ(pid)
		if ok && !yield(Process{environ, daemon || codexDaemon(pid)}) {
			return
		}
		pid = parent
	}
}

func environ(pid int) (getenv func(string) string, ok bool) {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return nil, false
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
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

// family returns the process id of pid's parent, 0 if it is not known, and
// whether pid leads a session without a terminal. In /proc/PID/stat they follow
// the command's name, which stands in brackets and may hold anything: state,
// parent, group, session, terminal.
func family(pid int) (parent int, daemon bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 5 {
		return 0, false
	}
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[3] == strconv.Itoa(pid) && fields[4] == "0"
}

// codexDaemon reports whether pid is a Codex that serves the screens of others,
// whichever terminal it was started on.
func codexDaemon(pid int) bool {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := strings.Split(string(data), "\x00")
	return filepath.Base(args[0]) == "codex" && (slices.Contains(args, "app-server") || slices.Contains(args, "daemon"))
}
