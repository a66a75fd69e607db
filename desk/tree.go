package desk

import (
	"cmp"
	"os"
	"path/filepath"
	"sync"

	"mcp-askuser/internal/agenthost"
	"mcp-askuser/internal/proc"
)

// thisProcess is the answerer that this process is, without its kind.
var thisProcess = sync.OnceValue(func() Answerer {
	a := Answerer{PID: os.Getpid(), Terminal: terminal()}
	if path, err := os.Executable(); err == nil {
		a.Program = filepath.Base(path)
	}
	return a
})

// tree is what the system shows of this process and of those above it.
type tree struct {
	self       int
	look       func(pid int) (proc.Process, bool)
	executable func(pid int) string
	getenv     func(string) string
}

func thisTree() *tree { return &tree{os.Getpid(), proc.Look, proc.Executable, os.Getenv} }

// opened reports whether an agent opened the controlling terminal of this process: a host
// is above it. A form of the asking process may share its host's terminal. Without a host
// above, or a view of the processes, the variables that hosts set for commands decide; a
// server that asks has them from its host, and they say nothing of its terminal.
func (t *tree) opened(asker Asker, asked bool) bool {
	started := 0 // the process of the asker's host: a shell is the user's own
	if asker.Via != ViaShell {
		started = asker.Process()
	}
	host, ok := t.hostAbove(started)
	if !ok {
		return (!asked || asker.Via == ViaShell) && agenthost.Marked(t.getenv)
	}
	self, _ := t.look(t.self)
	return !asked || host.Terminal != self.Terminal
}

// UsersTerminal reports whether this process runs in a terminal of the user's own: it has
// one, and no agent's host is above it.
func UsersTerminal() bool { return thisProcess().Terminal != "" && !StartedByAgent() }

// StartedByAgent reports whether an agent started this process: a host is above it, or it has
// the variables that hosts set for their commands.
func StartedByAgent() bool { return thisTree().opened(Asker{Via: ViaShell}, false) }

// hostAbove returns the nearest agent's host above this process: a known program, or the
// process started, which is 0 for none, unless its file is an editor's: that starts the
// user's shells. It is false where there is none. Process 1 has started what it adopted: it
// counts by its name only.
func (t *tree) hostAbove(started int) (host proc.Process, ok bool) {
	self, _ := t.look(t.self)
	for pid, above := range proc.Chain(self.Parent, t.look) {
		_, isHost := agenthost.Of(above.Args)
		if isHost || pid == started && pid != 1 && !agenthost.Editor(t.executable(pid)) {
			return above, true
		}
	}
	return proc.Process{}, false
}

// Process returns the id of the process that had the question asked, where its number is valid
// here: on this machine, in this namespace of processes. Else it is 0.
func (a *Asker) Process() int {
	if a.Machine == "" || a.Machine != thisMachine() {
		return 0
	}
	return a.PID
}

// thisMachine names this machine until it is restarted, and the namespace that
// gives this process its number; empty where the system does not tell.
var thisMachine = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, broken := os.Readlink("/proc/self/ns/pid")
	if cmp.Or(err, broken) != nil {
		return ""
	}
	return digest([]any{string(boot), space})[:16]
})

// terminal is the controlling terminal of this process; empty without one.
func terminal() string {
	const name = "/dev/tty"
	tty, err := os.Open(name)
	if err != nil {
		return ""
	}
	_ = tty.Close()
	return name
}
