//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/proc"
)

// The session is that of what lasts: a terminal's shell or an agent, not what
// they start for one command.
func TestShell(t *testing.T) {
	processes := map[int]proc.Process{
		1:  {Parent: 0, Session: 1, Started: "0", Args: []string{"/sbin/init"}},
		10: {Parent: 1, Session: 10, Started: "5", Args: []string{"-bash"}},
		20: {Parent: 10, Session: 10, Started: "7", Args: []string{"node", "agent"}},
		30: {Parent: 20, Session: 30, Started: "9", Args: []string{"/bin/bash", "-c", "mcp-askuser ask …"}},
		31: {Parent: 30, Session: 30, Started: "9", Args: []string{"mcp-askuser", "ask"}},
		40: {Parent: 20, Session: 40, Started: "9", Args: []string{"mcp-askuser", "ask"}},
		50: {Parent: 10, Session: 10, Started: "8", Args: []string{"mcp-askuser", "ask"}},
		60: {Parent: 1, Session: 59, Started: "8", Args: []string{"mcp-askuser", "ask"}}, // its leader has ended
	}
	look := func(pid int) (proc.Process, bool) { p, ok := processes[pid]; return p, ok }
	for self, want := range map[int]int{50: 10, 31: 10, 40: 10, 60: 1, 70: 0} {
		if got, ok := shell(self, look); got.Session != want || ok != (want > 0) {
			t.Errorf("the session of %d is %d, %v, want %d", self, got.Session, ok, want)
		}
	}
}

// What one shell asks in one directory are rounds of one session; another
// shell, or another directory, has its own.
func TestRoundsOfAShell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	const script = `
ask() { mcp-askuser "$1" --surface inbox --timeout 10ms $3 "{\"question\":\"$2\"}" ; }
ask ask One?
sh -c 'mcp-askuser confirm --surface inbox --timeout 10ms Two?'
setsid -w sh -c 'mcp-askuser ask --surface inbox --timeout 10ms "{\"question\":\"Three?\"}"; true'
ask ask Four? '--session mine'
( export ASK_SESSION=yours; ask ask Five? )
cd sub
ask ask Six?
exit 0
`
	path := filepath.Join(dir, "script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	sessions := map[string]int{} // rounds of each
	for range 2 {
		cmd := program(t, filepath.Join(dir, "desk"))
		cmd.Path, cmd.Args, cmd.Dir = sh, []string{sh, path}, dir
		cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR=", "ASK_SESSION=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	records, err := collect(t.Context(), openDesk(t, filepath.Join(dir, "desk")), desk.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		sessions[rec.SessionID] = max(sessions[rec.SessionID], rec.Round)
	}
	rounds := map[int]int{}
	for _, n := range sessions {
		rounds[n]++
	}
	// Two shells with three rounds each, the same two in another directory, and
	// two sessions by name, of which both asked in each.
	if len(records) != 12 || len(sessions) != 6 || rounds[3] != 2 || rounds[1] != 2 || sessions["mine"] != 2 || sessions["yours"] != 2 {
		t.Errorf("%d records in the sessions %v", len(records), sessions)
	}
}
