//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
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

// onDesk waits until a question is open on the desk.
func onDesk(t *testing.T, env []string, question string) {
	t.Helper()
	if !waittest.Until(10*time.Second, func() bool {
		return strings.Contains(run(t, "", env, program(t), "pending"), question)
	}) {
		t.Fatal("no question on the desk")
	}
}

// answerHere answers the open question as the user, outside the host.
func answerHere(t *testing.T, env []string) {
	t.Helper()
	onDesk(t, env, "Which database?")
	at := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, local.EnvDir+"=") })
	store := desktest.Store(t, strings.TrimPrefix(env[at], local.EnvDir+"="))
	d := desk.New(store, desk.Options{})
	open, err := d.Pending(t.Context())
	if err != nil || len(open) != 1 {
		t.Fatalf("%d questions are open, %v", len(open), err)
	}
	reply, err := open[0].ParseReply([]byte(`{"question-0":"MongoDB"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Reply(t.Context(), open[0].ID, reply, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
}

// background starts a program, and ends it and its children with the test: they still
// write their logs.
func background(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		waittest.Until(5*time.Second, func() bool { return syscall.Kill(-cmd.Process.Pid, 0) != nil })
	})
}

// pipe starts a program between two pipes, without a terminal.
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
	background(t, cmd)
	return in, out
}
