package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// leaveText lets go of the pages of the program's code that its start has
// touched, with the 64 KiB that the system maps around each: hardly any of it is
// needed again. They stay in the system's cache, which may give them up when it
// needs room, and come back by themselves, in a microsecond each. A server waits
// for days.
func leaveText() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.SplitSeq(string(maps), "\n") {
		if !strings.HasSuffix(line, " "+self) || !strings.Contains(line, " r-xp ") { // code: nothing has written there
			continue
		}
		first, rest, _ := strings.Cut(line, "-")
		end, _, _ := strings.Cut(rest, " ")
		from, unread := strconv.ParseUint(first, 16, 64)
		to, wrong := strconv.ParseUint(end, 16, 64)
		if unread == nil && wrong == nil {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
		}
		return // there is one such mapping
	}
}
