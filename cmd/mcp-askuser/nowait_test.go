//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// without asks a question without waiting, and returns the result.
func without(t *testing.T, c *client.Client, text string) (status, id string) {
	t.Helper()
	_, r, _ := call(t, c, "ask_user_question", fmt.Sprintf(`{"question":%q,"options":["Yes","No"],"wait":false}`, text))
	status, _ = r["status"].(string)
	id, _ = r["id"].(string)
	return status, id
}

// collected calls await_answer, and returns the answers by question, of all records in the
// result, and the ids that are open.
func collected(t *testing.T, c *client.Client, args map[string]any) (answers map[string]string, open []string) {
	t.Helper()
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		Answers map[string]string
		Open    []string
		More    []struct{ Answers map[string]string }
	}
	_, structured, _ := call(t, c, "await_answer", string(data))
	data, _ = json.Marshal(structured)
	var r result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for _, more := range r.More {
		maps.Copy(r.Answers, more.Answers)
	}
	return r.Answers, r.Open
}

// An agent asks three things, works, and collects. Its server is killed in between, and
// while it waits: nothing is lost, and nothing is asked twice.
func TestAskWorkCollect(t *testing.T) {
	for _, e := range eras {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			start := func() (*client.Client, func()) {
				server := program(t, dir, "serve", "--surface", "inbox")
				return connectTo(t, e, server, nil), func() { _ = server.Process.Kill() }
			}
			c, kill := start()
			ids := map[string]string{}
			for _, text := range []string{"First?", "Second?", "Third?"} {
				status, id := without(t, c, text)
				if ids[text] = id; status != "pending" || id == "" {
					t.Fatalf("%s: %s %q", text, status, id)
				}
			}
			pending, err := d.Pending(t.Context())
			if err != nil || len(pending) != 3 {
				t.Fatalf("%d questions are open: %v", len(pending), err)
			}
			for i, rec := range pending {
				if rec.Attended || !slices.Contains(rec.ShownOn, desk.Showing{Surface: "inbox"}) || rec.Round != i+1 {
					t.Errorf("%s after its call: attended %v, shown on %v, round %d", rec.Questions[0].Text, rec.Attended, rec.ShownOn, rec.Round)
				}
			}
			all := []string{ids["First?"], ids["Second?"], ids["Third?"]}
			if answers, open := collected(t, c, map[string]any{"ids": all, "wait": false}); len(answers) != 0 || !slices.Equal(open, all) {
				t.Errorf("nothing is answered: %v, open %v", answers, open)
			}
			say(t, d, ids["First?"], "yes")
			kill()
			say(t, d, ids["Second?"], "no") // no server runs

			c, kill = start()
			if answers, open := collected(t, c, map[string]any{"ids": all, "wait": false}); answers["First?"] != "Yes" || answers["Second?"] != "No" || !slices.Equal(open, all[2:]) {
				t.Errorf("resumed: %v, open %v", answers, open)
			}
			if status, id := without(t, c, "Third?"); status != "pending" || id != all[2] {
				t.Errorf("asked again: %s %s, want %s", status, id, all[2])
			}
			waits := make(chan struct{})
			go func() {
				defer close(waits)
				var req mcp.CallToolRequest
				req.Params.Name, req.Params.Arguments = "await_answer", map[string]any{"ids": all[2:]}
				_, _ = c.CallTool(t.Context(), req) // its server is killed
			}()
			if !waittest.Until(patience, func() bool { return only(t, d).Attended }) {
				t.Fatal("await_answer does not wait")
			}
			kill()
			<-waits

			say(t, d, all[2], "yes")
			c, _ = start()
			if status, _ := without(t, c, "Third?"); status != "answered" {
				t.Errorf("asked again after the answer: %s", status)
			}
			asked, err := collect(t.Context(), d, desk.Query{})
			if pending, _ := d.Pending(t.Context()); err != nil || len(asked)+len(pending) != 3 {
				t.Errorf("the user was asked %d questions, and %d are open: %v", len(asked), len(pending), err)
			}
		})
	}
}

// The client's own form would hold a call that does not wait: await_answer shows it.
func TestFormWaitsForAwait(t *testing.T) {
	for _, e := range eras {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			h := &human{t: t, do: script(accept(map[string]any{"q1": "Yes"}), accept(map[string]any{"q1": "No"}))}
			c := connect(t, e, t.TempDir(), h)
			text, r, _ := call(t, c, "ask_user_question", `{"question":"First?","options":["Yes","No"],"wait":false}`)
			_, second := without(t, c, "Second?")
			first, _ := r["id"].(string)
			if r["status"] != "pending" || !strings.Contains(text, "is shown the question when you wait") || h.forms.Load() != 0 {
				t.Fatalf("%d forms: %s", h.forms.Load(), text)
			}
			answers, open := collected(t, c, map[string]any{"ids": []string{first, second}})
			if !slices.Equal(open, []string{second}) || answers["First?"] != "Yes" || len(answers) != 1 {
				t.Errorf("the first: %v, open %v", answers, open)
			}
			if answers, open = collected(t, c, map[string]any{"ids": []string{first, second}, "wait": false}); answers["First?"] != "Yes" || !slices.Equal(open, []string{second}) {
				t.Errorf("between: %v, open %v", answers, open)
			}
			if answers, _ = collected(t, c, map[string]any{"id": second}); answers["Second?"] != "No" {
				t.Errorf("the second: %v", answers)
			}
		})
	}
}

// A client that asks for log messages gets one when a question ends for which no call
// waits, and no other client does.
func TestEndIsAnnounced(t *testing.T) {
	for level, want := range map[string]bool{"info": true, "": false} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			w := dial(t, dir, "serve", "--surface", "inbox")
			w.hello("test", `{}`)
			if level != "" {
				w.send(`{"jsonrpc":"2.0","id":"level","method":"logging/setLevel","params":{"level":%q}}`, level)
				w.next(func(m message) bool { return string(m.ID) == `"level"` })
			}
			w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Go on?","options":["Yes","No"],"wait":false}}}`)
			id := w.next(func(m message) bool { return string(m.ID) == "1" }).Result.StructuredContent.ID
			w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"await_answer","arguments":{"id":%q}}}`, id)
			if !waittest.Until(patience, func() bool { return only(t, d).Attended }) {
				t.Fatal("await_answer does not wait")
			}
			say(t, d, id, "yes")
			announced, answered := "", false
			w.next(func(m message) bool {
				if m.Method == "notifications/message" {
					announced = string(m.Params)
				}
				answered = answered || string(m.ID) == "2"
				return answered && (!want || announced != "")
			})
			if want != (announced != "") || want && (!strings.Contains(announced, `"id":"`+id+`"`) || !strings.Contains(announced, `"status":"answered"`)) {
				t.Errorf("announced %s", announced)
			}
		})
	}
}

// In the shell, ask prints the id at once, and await the answers: nothing is asked twice.
func TestShellWithoutWaiting(t *testing.T) {
	dir := t.TempDir()
	d := openDesk(t, dir)
	rung := filepath.Join(t.TempDir(), "rung")
	settings := "notify_command = [\"sh\", \"-c\", \"cat >> '" + rung + "'\"]\n"
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, int) {
		cmd := program(t, dir, args...)
		cmd.Env = append(cmd.Env, "MCP_ASKUSER_CONFIG="+file)
		out, err := cmd.Output()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	ids := make([]string, 2)
	for i, args := range [][]string{{"--no-wait", "First?", "Yes", "No"}, {"--no-wait", "Second?", "Yes", "No"}, {`{"question":"First?","options":["Yes","No"],"wait":false}`}} {
		var got struct{ Status, ID string }
		out, status := run(append([]string{"ask"}, args...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Status != "pending" || status != exitPending {
			t.Fatalf("%s: %s, exit status %d", args, out, status)
		}
		if i < 2 {
			ids[i] = got.ID
		} else if got.ID != ids[0] {
			t.Errorf("asked again as %s", got.ID)
		}
	}
	if data, err := os.ReadFile(rung); err != nil || !strings.Contains(string(data), "First?") || !strings.Contains(string(data), "Second?") {
		t.Errorf("the user was notified of %s: %v", data, err)
	}
	if out, status := run("await", "--no-wait", ids[0], ids[1]); out != "" || status != exitPending {
		t.Errorf("nothing is answered: %q, exit status %d", out, status)
	}
	ended := make(chan string, 1)
	go func() {
		out, status := run("await", ids[0], ids[1])
		ended <- fmt.Sprint(status, " ", out)
	}()
	if !waittest.Until(patience, func() bool { rec, err := d.Get(t.Context(), ids[1]); return err == nil && rec.Attended }) {
		t.Fatal("await does not wait")
	}
	say(t, d, ids[1], "no")
	if got := <-ended; !strings.HasPrefix(got, `0 {"status":"answered"`) || !strings.Contains(got, `"id":"`+ids[1]+`"`) || strings.Count(got, "\n") != 1 {
		t.Errorf("the first answer: %s", got)
	}
	if _, err := d.Reply(t.Context(), ids[0], question.Reply{Dismissed: true}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if out, status := run("await", "--no-wait", ids[0]); status != exitClosed || !strings.Contains(out, "dismissed") {
		t.Errorf("dismissed: %s, exit status %d", out, status)
	}
	if out, status := run("ask", "--no-wait", "First?", "Yes", "No"); status != exitPending || strings.Contains(out, ids[0]) {
		t.Errorf("asked anew after the delivery: %s, exit status %d", out, status)
	}
}
