// Package proc reads processes from Linux's /proc; see proc(5). On other systems it
// finds none but this one ([Self]). It imports no other package of this program.
package proc

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
)

// Process is a running process.
type Process struct {
	Parent   int
	Session  int      // the process id of its session's leader
	Terminal int      // the device number of its controlling terminal, 0 for none
	Started  string   // in clock ticks since the machine was started
	Args     []string // its own name first; none of a process that has ended
}

// Chain yields a process and its ancestors, nearest first, until look finds none. The last is
// process 1: in a container that may be an agent's client. A reused process id may make a circle,
// which ends the chain; its length does not, as an agent can make it as long as it likes.
func Chain(pid int, look func(pid int) (Process, bool)) iter.Seq2[int, Process] {
	return func(yield func(int, Process) bool) {
		for seen := map[int]bool{}; pid > 0 && !seen[pid]; {
			seen[pid] = true
			p, running := look(pid)
			if !running || !yield(pid, p) {
				return
			}
			pid = p.Parent
		}
	}
}

// Look returns the process of an id; false where the system does not show it.
func Look(pid int) (Process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, false
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	// The fields follow the name of the command in parentheses, which may contain any
	// character: state, parent, group, session, terminal.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) < 20 {
		return Process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i])
		return n
	}
	return Process{number(1), number(3), number(4), fields[19],
		strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")}, true
}

// Executable returns the path of a process's program when the process started; empty if
// unknown.
func Executable(pid int) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return strings.TrimSuffix(path, " (deleted)")
}
