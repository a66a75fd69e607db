package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// lookUp reads what the kernel tells of a process; see proc(5). The fields of
// stat follow the command's name, which stands in brackets and may hold
// anything.
func lookUp(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) < 20 {
		return process{}, false
	}
	p := process{started: fields[19], args: strings.Split(string(args), "\x00")}
	p.parent, _ = strconv.Atoi(fields[1])
	p.session, _ = strconv.Atoi(fields[3])
	return p, true
}
