//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// asks calls a tool of a server whose host is this process.
func asks(t *testing.T, c *client.Client, tool, args string) <-chan map[string]any {
	result := make(chan map[string]any, 1)
	go func() {
		_, structured, _ := call(t, c, tool, args)
		result <- structured
	}()
	return result
}

// An agent that answers its own confirmation is refused, by whatever way of its
// own: the question stays open, and no result says yes. Here this process is the
// agent's host: all that it starts descends from it.
func TestAgentAnswersItself(t *testing.T) {
	for name, attack := range map[string]func(t *testing.T, dir, id string) (status int, said string){
		"answer --json": func(t *testing.T, dir, id string) (int, string) {
			out, err := program(t, dir, "answer", id, "--json", `{"q1":true}`).CombinedOutput()
			return exitStatus(err), string(out)
		},
		"a pseudo-terminal": func(t *testing.T, dir, id string) (int, string) {
			cmd := program(t, dir, "answer", id)
			cmd.Env = append(cmd.Env, "TERM=xterm-256color")
			x := termtest.Start(t, cmd, 80, 24)
			return x.Wait(), x.Output()
		},
		"a page of its own, cut off from its host": func(t *testing.T, dir, _ string) (int, string) {
			web := program(t, dir, "web")
			number := filepath.Join(t.TempDir(), "pid")
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `(exec setsid "$0" web 2>&1) & echo $! >"$1"; wait`,
				web.Path, number)
			cmd.Env = slices.Concat(web.Env, []string{"CLAUDECODE=1"})
			t.Cleanup(func() { // it does not end with the shell
				text, err := os.ReadFile(number)
				pid, invalid := strconv.Atoi(strings.TrimSpace(string(text)))
				if errors.Join(err, invalid) != nil {
					t.Errorf("the number of the page's process: %v, %v", err, invalid)
					return
				}
				_ = syscall.Kill(pid, syscall.SIGKILL)
			})
			return answerOnPage(t, startWeb(t, cmd), openRecord(t, openDesk(t, dir)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := connect(t, eras[0], dir, nil, "serve", "--surface", "inbox")
			result := asks(t, c, "confirm_action", `{"action":"rm -r build"}`)
			d := openDesk(t, dir)
			rec := openRecord(t, d)
			if status, said := attack(t, dir, rec.ID); status != exitBad ||
				!strings.Contains(strings.Join(strings.Fields(said), " "), "only the user can answer this") {
				t.Errorf("status %d: %s", status, said)
			}
			if now, err := d.Get(t.Context(), rec.ID); err != nil || now.Outcome != nil {
				t.Fatalf("it ended: %+v, %v", now.Outcome, err)
			}
			say(t, d, rec.ID, question.NoID)
			if got := <-result; got["response"] != false || got["by"] != nil {
				t.Errorf("the result is %v", got)
			}
		})
	}
}

// answerOnPage says yes on the page as a browser does, and returns what became of that.
func answerOnPage(t *testing.T, s *served, rec desk.Record) (status int, said string) {
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
	return exitBad, strings.ToLower(visit(browser.Do(req)))
}

// frontEndToken enrols a front end on a terminal, and returns the token that is printed.
func frontEndToken(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitFor("answer in your name")
	x.Wait()
	_, rest, _ := strings.Cut(x.Output(), "askuser_")
	return "askuser_" + strings.Fields(rest)[0]
}

// A front end of the user's own, as the guide has it, listens for questions and
// answers them: what the model reads is the user's answer.
func TestFrontEndOfTheGuide(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("%v: run ./check python3", err)
	}
	dir := t.TempDir()
	token := frontEndToken(t, program(t, dir, "token", "add", "panel", "--answers"))
	s := serveWebAt(t, dir)
	script, err := filepath.Abs("../../docs/front_end.py")
	fatal.If(t, err)
	var said bytes.Buffer
	fe := exec.CommandContext(t.Context(), python, script)
	fe.Env = append(os.Environ(), "ADDRESS="+s.address.String(), "TOKEN="+token, "PYTHONUNBUFFERED=1")
	fe.Stdout, fe.Stderr = &said, &said
	keys, err := fe.StdinPipe()
	fatal.If(t, err)
	fatal.If(t, fe.Start())
	ended := make(chan struct{})
	go func() { _ = fe.Wait(); close(ended) }()
	defer func() {
		_ = fe.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the front end said %s", said.String())
		}
	}()
	for _, want := range []struct{ args, typed, text string }{
		{`{"question":"Which database?","options":["PostgreSQL","MongoDB"]}`, "MongoDB",
			`User has answered your questions: "Which database?"="MongoDB".`},
		{`{"question":"Delete 3 files?","type":"boolean"}`, "yes",
			`User has answered your questions: "Delete 3 files?"="Yes".`},
	} {
		if _, err := io.WriteString(keys, want.typed+"\n"); err != nil {
			t.Fatal(err)
		}
		ask := program(t, dir, "ask", "--surface", "inbox", "--format", "text", want.args)
		var out bytes.Buffer
		ask.Stdout = &out
		asked := make(chan error, 1)
		go func() { asked <- ask.Run() }()
		select {
		case <-ended:
			t.Fatal("the front end ended before the answer")
		case err := <-asked:
			if got := out.String(); err != nil || !strings.HasPrefix(got, want.text) || !strings.Contains(got, "panel") {
				t.Errorf("%v: the model reads %s", err, got)
			}
		}
	}
}

func exitStatus(err error) int {
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // it is what Run returns
		return exit.ExitCode()
	}
	return 0
}

// The variables that a host sets for its agent's commands count on a terminal of the agent's
// that no host is above, also where the process that asks is the form: a confirmation is not
// shown there, and the answer to any other question is a program's.
func TestCommandInAgentsTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) *seat {
		cmd := program(t, dir, append(args, "--surface", "plain")...)
		cmd.Env = append(cmd.Env, "CLAUDECODE=1")
		return seated(t, 80, 24, cmd)
	}
	x := run("confirm", "Delete prod?")
	if status := x.Wait(); status != exitNoSurface || strings.Contains(x.Output(), "Delete prod?") {
		t.Errorf("status %d: %s", status, x.Output())
	}
	got := lastRecord(t, dir)
	if got.State != desk.Unavailable || !strings.Contains(got.Outcome.Reason, "only the user can answer this") {
		t.Errorf("the confirmation ended %+v", got.Outcome)
	}
	x = run("ask", `{"question":"Which?","options":["A","B"]}`)
	x.Expect("Enter a number:")
	x.Type("2\r")
	x.Expect("? helps: ")
	x.Type("\r")
	x.Wait()
	got = lastRecord(t, dir)
	if got.State != desk.Answered || !got.Outcome.FromProgram() {
		t.Errorf("the question ended %+v", got.Outcome)
	}
}

// lastRecord returns the newest record of a store that has ended.
func lastRecord(t *testing.T, dir string) desk.Record {
	t.Helper()
	for rec, err := range openDesk(t, dir).History(t.Context(), desk.Query{Limit: 1}) {
		fatal.If(t, err)
		return rec
	}
	t.Fatal("nothing has ended")
	return desk.Record{}
}
