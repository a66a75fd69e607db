package main

import (
	"os"
	"strings"
	"sync"

	"mcp-askuser/internal/agenthost"
)

// attended reports whether a human sits at the client that has started this
// server: its model can tell them where to answer. A host that we know has one,
// unless it was started to run by itself; any other has where there is a
// terminal.
func (a *app) attended(known bool) bool {
	if ci := a.getenv("CI"); ci != "" && ci != "false" && ci != "0" {
		return false
	}
	if host, alone := a.above.look(os.Getppid()); host {
		return !alone
	}
	if known {
		return true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	return tty.Close() == nil
}

// ancestors remembers what was found above a process: a server asks with every
// question, and as long as its parent lives it is the same.
type ancestors struct {
	mu          sync.Mutex
	of          int
	host, alone bool
}

// look reports whether a host is above a process, and whether that runs without a
// user.
func (x *ancestors) look(pid int) (host, alone bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of != pid {
		_, unattended, ok := agenthost.Above(pid)
		x.of, x.host, x.alone = pid, ok, unattended
	}
	return x.host, x.alone
}

// inboxCommand is what the human runs to answer what is asked of this server.
func (a *app) inboxCommand() string {
	dir := a.settings().Dir
	if dir == "" {
		return "mcp-askuser inbox"
	}
	return "mcp-askuser inbox --dir '" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
}
