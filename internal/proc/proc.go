// Package proc reads what Linux tells of a running process; see proc(5).
// Elsewhere it knows of none. It imports nothing of ours.
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

// maxDepth ends a chain in which a reused process id makes a circle.
const maxDepth = 64

// Chain yields a process and its ancestors up to the first that look does not know,
// nearest first. Process 1, of which all are, is no part of it.
func Chain(pid int, look func(pid int) (Process, bool)) iter.Seq2[int, Process] {
	return func(yield func(int, Process) bool) {
		for depth := 0; pid > 1 && depth < maxDepth; depth++ {
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
	// The fields follow the name of the command, which stands in brackets and may
	// hold anything: state, parent, group, session, terminal.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) < 20 {
		return Process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i])
		return n
	}
	return Process{number(1), number(3), number(4), fields[19], strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")}, true
}

// Executable returns the path of the program that a process runs, as it was when
// the process started; empty where nobody knows.
func Executable(pid int) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return strings.TrimSuffix(path, " (deleted)")
}
