package desk

import (
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/proc"
)

// A terminal below an agent's host is the agent's, unless this program shares it with the host.
func TestTree(t *testing.T) {
	const user, agents = 1, 2 // terminals
	type running struct {
		args     string // with the program's file behind "of" where it has another name
		terminal int
	}
	here := thisMachine()
	if here == "" {
		t.Skip("the system shows no processes")
	}
	// From this process upwards; the last is started by the first process of all.
	for _, tc := range []struct {
		name   string
		above  []running
		host   int // the index of the asker's host; 0 is none of these, -99 process 1
		via    string
		client string
		asked  bool
		env    string
		away   bool // asked on another machine
		want   bool
	}{
		{name: "the user's shell", above: []running{{"mcp-askuser", user}, {"bash", user}, {"tmux", 0}}},
		{name: "a pseudo-terminal of the agent's, below a known host", above: []running{{"mcp-askuser", agents}, {"script", user}, {"bash", user}, {"claude", user}}, want: true},
		{name: "below the asker's host, an unknown one", above: []running{{"mcp-askuser", agents}, {"script", 0}, {"robot", user}}, host: 2, via: "mcp", want: true},
		{name: "a number from another machine", above: []running{{"mcp-askuser", user}, {"bash", user}}, host: 1, via: "mcp", away: true},
		{name: "a server that process 1 adopted", above: []running{{"mcp-askuser", user}, {"bash", user}},
			host: -99, via: "mcp"},
		{name: "a shell that asked", above: []running{{"mcp-askuser", user}, {"bash", user}}, host: 1, via: ViaShell},
		{name: "an editor's terminal", above: []running{{"mcp-askuser", user}, {"bash", user}, {"/usr/share/code/code", 0}}, host: 2, via: "mcp"},
		{name: "a command of an editor's agent",
			above: []running{{"mcp-askuser", agents}, {"bash", agents}, {"code", 0}},
			host:  2, via: "mcp", env: "VSCODE_AGENT", want: true},
		{name: "a host that calls itself an editor", above: []running{{"mcp-askuser", user}, {"bash", user}, {"ide", 0}}, host: 2, via: "mcp", client: "Zed", want: true},
		{name: "a host that was started under an editor's name", above: []running{{"mcp-askuser", user}, {"bash", user}, {"zed of /usr/bin/robot", 0}}, host: 2, via: "mcp", want: true},
		{name: "an agent in an editor's terminal", above: []running{{"mcp-askuser", agents}, {"script", user}, {"claude", user}, {"bash", user}, {"code", 0}}, want: true},
		{name: "a program that calls itself an editor", above: []running{{"mcp-askuser", agents}, {"code", user}, {"claude", user}}, want: true},
		{name: "a command that a server of the agent's started",
			above: []running{{"mcp-askuser", agents}, {"script", 0}, {"mcp-askuser", 0}, {"bash", 0},
				{"claude", user}},
			want: true},
		{name: "an editor that a form of the agent's started", above: []running{{"mcp-askuser", agents}, {"script", agents}, {"mcp-askuser", agents}, {"script", user}, {"claude", user}}, want: true},
		{name: "the server's own form on the host's terminal", above: []running{{"mcp-askuser", user}, {"claude", user}}, host: 1, via: "mcp", asked: true},
		{name: "a command's own form on the host's terminal", above: []running{{"mcp-askuser", user}, {"bash", user}, {"claude", user}}, via: ViaShell, asked: true},
		{name: "a command's own form on a terminal of the agent's", above: []running{{"mcp-askuser", agents}, {"script", user}, {"claude", user}}, via: ViaShell, asked: true, want: true},
		{name: "another's question on the host's terminal", above: []running{{"mcp-askuser", user}, {"bash", user}, {"claude", user}}, want: true},
		{name: "below a tmux that an agent started", above: []running{{"mcp-askuser", agents}, {"tmux", 0}}, env: "CLAUDECODE", want: true},
		{name: "the form of a server with a marker", above: []running{{"mcp-askuser", user}, {"robot", user}}, via: "mcp", env: "CLAUDECODE", asked: true},
		{name: "a command's own form below a tmux that an agent started", above: []running{{"mcp-askuser", agents}, {"tmux", 0}}, via: ViaShell, env: "CLAUDECODE", asked: true, want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const self = 100
			x := &tree{
				self: self,
				look: func(pid int) (proc.Process, bool) {
					i := pid - self
					if pid == 1 {
						return proc.Process{Args: []string{"init"}}, true
					}
					if i < 0 || i >= len(tc.above) {
						return proc.Process{}, false
					}
					name, _, _ := strings.Cut(tc.above[i].args, " of ")
					p := proc.Process{Parent: pid + 1, Terminal: tc.above[i].terminal, Args: []string{name}}
					if i == len(tc.above)-1 {
						p.Parent = 1
					}
					return p, true
				},
				executable: func(pid int) string {
					_, file, renamed := strings.Cut(tc.above[pid-self].args, " of ")
					if renamed {
						return file
					}
					return filepath.Join("/usr/bin", tc.above[pid-self].args)
				},
				getenv: func(name string) string {
					if name == tc.env {
						return "1"
					}
					return ""
				},
			}
			asker := Asker{Client: tc.client, Via: tc.via, Machine: here}
			if tc.host != 0 {
				asker.PID = self + tc.host
			}
			if tc.away {
				asker.Machine = "another"
			}
			if got := x.opened(asker, tc.asked); got != tc.want {
				t.Errorf("an agent's terminal: %v, want %v", got, tc.want)
			}
		})
	}
}
