package pane

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ancestors yields the environments of the processes above this one, nearest
// first, as far as they are this user's: each as it was when the process
// started.
func ancestors(yield func(func(string) string) bool) {
	for pid := os.Getppid(); pid > 1; pid = parent(pid) {
		environ, ok := environ(pid)
		if ok && !yield(environ) {
			return
		}
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

// parent returns the process id of pid's parent, 0 if it is not known. In
// /proc/PID/stat it is the second field after the command's name, which stands
// in brackets and may hold anything.
func parent(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(string(fields[1]))
	return ppid
}
