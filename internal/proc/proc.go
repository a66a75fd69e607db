// Package proc reads what Linux tells of a running process; see proc(5).
// Elsewhere it knows of none. It imports nothing of ours.
package proc

import (
	"bytes"
	"fmt"
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

// Look returns the process of an id; false where nobody knows.
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
