package desk

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"mcp-askuser/question"
)

// answerer is this process as the one through which a reply to this asker's
// question comes.
func answerer(by question.By, asker Asker) *Answerer {
	a := thisProcess()
	a.Agents = by == question.ByProgram && a.Terminal == "" && asker.PID > 1 && descends(a.PID, asker.PID)
	return &a
}

var thisProcess = sync.OnceValue(func() Answerer {
	a := Answerer{PID: os.Getpid(), Terminal: terminal()}
	if path, err := os.Executable(); err == nil {
		a.Program = filepath.Base(path)
	}
	return a
})

// terminal is the controlling terminal of this process, by its name where the
// system has /proc.
func terminal() string {
	const name = "/dev/tty"
	tty, err := os.Open(name)
	if err != nil {
		return ""
	}
	_ = tty.Close()
	if _, number, ok := stat("self"); ok {
		return terminalName(number)
	}
	return name
}

// terminalName is the name of a terminal by its device number, as Linux gives
// them out.
func terminalName(number int) string {
	major, minor := number>>8&0xfff, number&0xff|number>>12&0xfff00
	switch {
	case major >= 136 && major <= 143:
		return fmt.Sprintf("/dev/pts/%d", (major-136)<<8|minor)
	case major == 4:
		return fmt.Sprintf("/dev/tty%d", minor)
	}
	return fmt.Sprintf("/dev/char/%d:%d", major, minor)
}

// descends reports whether a process was started by another, or by one that it
// had started. Where there is no /proc nobody knows, and it is false.
func descends(pid, from int) bool {
	for range 64 { // nobody is further down
		if pid == from {
			return true
		}
		parent, _, ok := stat(strconv.Itoa(pid))
		if !ok || parent <= 1 {
			return false
		}
		pid = parent
	}
	return false
}

// stat reads who started a process, and the number of its terminal.
func stat(pid string) (parent, tty int, ok bool) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, 0, false
	}
	var state string
	var group, session int
	rest := data[strings.LastIndexByte(string(data), ')')+1:] // its name may hold anything
	_, err = fmt.Sscan(string(rest), &state, &parent, &group, &session, &tty)
	return parent, tty, err == nil
}
