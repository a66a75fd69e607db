package desk

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"mcp-askuser/internal/proc"
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
	if self, ok := proc.Look(os.Getpid()); ok {
		return terminalName(self.Terminal)
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
		p, ok := proc.Look(pid)
		if !ok || p.Parent <= 1 {
			return false
		}
		pid = p.Parent
	}
	return false
}
