package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"mcp-askuser/cmd/mcp-askuser/settings"
)

// process is what the system tells of a running program.
type process struct {
	parent  int
	session int      // the process id of the session's leader
	started string   // in whatever the system counts
	args    []string // its own name first
}

// session names the dialogue of which a question asked here is a round: the one
// in the settings, or that of the shell and the directory. It is empty where
// the system does not tell.
func (a *app) session(s settings.Values) string {
	if s.Session != "" {
		return s.Session
	}
	leader, ok := shell(os.Getpid(), lookUp)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", leader.session, leader.started, a.directory()))
	return "shell-" + hex.EncodeToString(sum[:8])
}

// shell returns the leader of the nearest session above a process that lasts
// longer than one command. Some agents run each of their commands in a session
// of its own: those are led by the command itself, or by a shell with -c.
func shell(self int, lookUp func(pid int) (process, bool)) (leader process, ok bool) {
	for pid := self; pid > 0; {
		p, ok := lookUp(pid)
		if !ok {
			break
		}
		if leader, ok := lookUp(p.session); ok && p.session != self && !leader.runsOneCommand() {
			return leader, true
		}
		pid = p.parent
	}
	return process{}, false
}

// runsOneCommand reports whether it is a shell with a command, as in sh -lc.
func (p *process) runsOneCommand() bool {
	return len(p.args) > 1 && strings.HasPrefix(p.args[1], "-") && strings.HasSuffix(p.args[1], "c")
}
