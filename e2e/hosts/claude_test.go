//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/internal/waittest"
)

// The calls of the tests: one of our tool, and one of Claude Code's own.
var (
	ours = toolCall{"ask_user_question", json.RawMessage(`{"question":"Which database?","options":["PostgreSQL","MongoDB"]}`)}
	own  = toolCall{"AskUserQuestion", json.RawMessage(`{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,` +
		`"options":[{"label":"PostgreSQL","description":"Relational"},{"label":"MongoDB","description":"Documents"}]}]}`)}
)

// What the model reads of their answers.
const (
	oursAnswered = `"answers":{"Which database?":"MongoDB"}`
	ownAnswered  = `"Which database?"="MongoDB"`
)

// given is what a call has returned.
func (d *dialogue) given(t *testing.T) string {
	t.Helper()
	select {
	case text := <-d.results:
		t.Log(text)
		return text
	case <-time.After(time.Minute):
		t.Fatal("the call does not return")
		return ""
	}
}

// onDesk waits until the question is open on the desk.
func onDesk(t *testing.T, env []string) {
	t.Helper()
	if !waittest.Until(10*time.Second, func() bool {
		return strings.Contains(run(t, "", env, program(t), "pending"), "Which database?")
	}) {
		t.Fatal("no question on the desk")
	}
}

// answerHere answers the open question outside the host.
func answerHere(t *testing.T, env []string) {
	t.Helper()
	onDesk(t, env)
	run(t, "", env, program(t), "answer", "--json", `{"question-0":"MongoDB"}`)
}

// pipe starts a program between two pipes, without a terminal, and ends it and its
// children with the test: they still write their logs.
func pipe(t *testing.T, dir string, env []string, program string, args ...string) (io.Writer, io.Reader) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		waittest.Until(5*time.Second, func() bool { return syscall.Kill(-cmd.Process.Pid, 0) != nil })
	})
	return in, out
}
