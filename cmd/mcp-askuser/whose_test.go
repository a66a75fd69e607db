//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/proc"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// An agent that answers its own confirmation is refused, by whatever way of its
// own: the question stays open, and no result says yes. Here this process is the
// agent's host: all that it starts descends from it.
func TestAgentAnswersItself(t *testing.T) {
	for name, attack := range map[string]func(t *testing.T, dir string, rec desk.Record) (said string){
		"a pseudo-terminal": func(t *testing.T, dir string, rec desk.Record) string {
			x := termtest.Start(t, onScreen(program(t, dir, "answer", rec.ID)), 80, 24)
			if status := x.Wait(); status != exitBad {
				t.Errorf("exit status %d", status)
			}
			return x.Output()
		},
		"a page of its own": func(t *testing.T, dir string, rec desk.Record) string {
			cmd := program(t, dir, "web")
			cmd.Env = append(cmd.Env, "CLAUDECODE=1")
			return answerOnPage(t, serve(t, cmd), rec)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := dial(t, dir, "serve", "--surface", "inbox")
			w.hello("test", `{}`)
			id := w.call("confirm_action", `{"action":"rm -r build"}`)
			d := desktest.Open(t, dir)
			rec := openRecord(t, d)
			said := strings.ToLower(strings.Join(strings.Fields(attack(t, dir, rec)), " "))
			if !strings.Contains(said, "only the user can answer this") {
				t.Errorf("it says %s", said)
			}
			reply(t, d, rec.ID, choose(question.NoID)) // it is open
			if got := w.response(id).Result.StructuredContent; got.Response != false || got.By != "" {
				t.Errorf("the result is %+v", got)
			}
		})
	}
}

// answerOnPage says yes on the page as a browser does, and returns what became of that.
func answerOnPage(t *testing.T, s *served, rec desk.Record) (said string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	fatal.If(t, err)
	browser := &http.Client{Jar: jar}
	visit := func(resp *http.Response, err error) string {
		fatal.If(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		fatal.If(t, err)
		return string(body)
	}
	if page := visit(browser.Get(s.address.String())); !strings.Contains(page, "An agent started this page") {
		t.Error("the page does not say that an agent started it")
	}
	form := url.Values{"id": {rec.ID}, "asked": {rec.Statement()}, "whole": {"yes"}, "action": {"confirm"}, "q0": {"0"}}
	origin := s.address.Scheme + "://" + s.address.Host
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+"/answer",
		strings.NewReader(form.Encode()))
	fatal.If(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", origin)
	return visit(browser.Do(req))
}

func exitStatus(err error) int {
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // it is what Run returns
		return exit.ExitCode()
	}
	return 0
}

// The variables that a host sets for its agent's commands count on a terminal of the agent's
// that no host is above, also where the process that asks is the form: the answer is a program's.
func TestCommandInAgentsTerminal(t *testing.T) {
	t.Parallel()
	cmd := program(t, t.TempDir(), "ask", "--surface", "plain", `{"question":"Which?","options":["A","B"]}`)
	cmd.Env = append(cmd.Env, "CLAUDECODE=1")
	var out bytes.Buffer
	cmd.Stdout = &out
	x := termtest.Start(t, onScreen(cmd), 80, 24)
	x.Expect("Enter a number:")
	x.Type("2\r")
	x.Expect("? helps: ")
	x.Type("\r")
	if x.Wait(); !strings.Contains(out.String(), `"by":"program"`) {
		t.Errorf("it prints %s", out.String())
	}
}

// The session is that of what lasts: a terminal's shell or an agent, not what they start for
// one command.
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
