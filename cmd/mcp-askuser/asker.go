package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"mcp-askuser/install"
	"mcp-askuser/internal/agenthost"
	"mcp-askuser/internal/proc"
)

// attended reports whether a user sits at the client that has started this server:
// its model can tell them where to answer. A known host has one, unless it was started
// to run by itself; any other client has one where it has a terminal.
func (a *app) attended(known bool) bool {
	if ci := a.getenv("CI"); ci != "" && ci != "false" && ci != "0" {
		return false
	}
	if unattended, host := hostAbove(); host || known {
		return !unattended
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return err == nil && tty.Close() == nil
}

// hostAbove reports whether a host is above this process, and whether that host runs
// without a user. The processes are read once: a server needs this for every question.
var hostAbove = sync.OnceValues(func() (unattended, ok bool) {
	return agenthost.Above(os.Getppid())
})

// inboxCommand is the command line with which the user answers this server's questions: this program by its
// name, or by its file where that is not on the PATH.
func (a *app) inboxCommand() string {
	line := []string{"mcp-askuser", "inbox"}
	_, err := exec.LookPath(line[0])
	if err != nil {
		line[0] = self(false)
	}
	if dir := a.settings().Dir; dir != "" {
		line = append(line, "--dir", dir)
	}
	return install.ShellLine(line...)
}

// session is the session of which a question asked here is a round: the one in the
// settings, or that of the shell and the directory; empty where it is not known.
func (a *app) session() string {
	if s := a.settings().Session; s != "" {
		return s
	}
	leader, ok := shell(os.Getpid(), proc.Look)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", leader.Session, leader.Started, a.directory()))
	return "shell-" + hex.EncodeToString(sum[:8])
}

// shell returns the leader of the nearest session above a process that lasts longer
// than one command. Some agents run each command in a session of its own, which the
// command itself leads, or a shell with -c.
func shell(self int, look func(pid int) (proc.Process, bool)) (leader proc.Process, ok bool) {
	for pid := self; pid > 0; {
		p, ok := look(pid)
		if !ok {
			break
		}
		if leader, ok := look(p.Session); ok && p.Session != self && !oneCommand(leader.Args) {
			return leader, true
		}
		pid = p.Parent
	}
	return proc.Process{}, false
}

// oneCommand reports whether a shell has these arguments for one command, as in sh -lc.
func oneCommand(args []string) bool {
	return len(args) > 1 && strings.HasPrefix(args[1], "-") && strings.HasSuffix(args[1], "c")
}
