//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// listener reads the lines of an events command.
type listener struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func listen(t *testing.T, dir string, args ...string) *listener {
	t.Helper()
	cmd := program(t, dir, append([]string{"events"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return &listener{t, cmd, bufio.NewScanner(out)}
}

// next returns the next event as it was written, without the times in it.
func (l *listener) next() string {
	l.t.Helper()
	if !l.lines.Scan() {
		l.t.Fatalf("no further event: %v", l.lines.Err())
	}
	var event map[string]any
	if err := json.Unmarshal(l.lines.Bytes(), &event); err != nil {
		l.t.Fatalf("%v: %s", err, l.lines.Bytes())
	}
	if at, err := time.Parse(time.RFC3339Nano, event["at"].(string)); err != nil || time.Since(at) > time.Minute {
		l.t.Errorf("at %v, %v", at, err)
	}
	delete(event, "at")
	data, err := json.Marshal(event)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(data)
}

// Events are told with the fields that other programs rely on, the past
// first where it is wanted, until somebody interrupts.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	d := openDesk(t, dir)
	ask := func(text string) desk.Record {
		t.Helper()
		set := question.Set{
			Questions: []question.Question{{
				ID: "q1", Text: text, Type: question.MultiChoice, Required: true,
				Options: []question.Option{{ID: "a", Label: "A, 1"}, {ID: "b", Label: "B"}},
			}},
			Metadata: map[string]any{"pr": 7},
		}
		rec, err := desktest.Ask(t.Context(), d, set, "s1", desk.Asker{Client: "agent", Via: "mcp"})
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	request := func(id, text, round string) string {
		return `{"agentId":"agent","event":"ask:question:request","id":"` + id + `","metadata":{"pr":7},"questions":[{"allow_custom":false,"options":[{"id":"a","label":"A, 1"},{"id":"b","label":"B"}],"question":"` + text + `","question_id":"q1","required":true,"type":"checkbox"}],"round":` + round + `,"sessionId":"s1"}`
	}
	response := func(id, status, answers string) string {
		return `{"agentId":"agent","answers":` + answers + `,"by":"user","event":"ask:question:response","id":"` + id + `","status":"` + status + `","surface":"inbox"}`
	}

	first := ask("One?")
	if _, err := d.Reply(t.Context(), first.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"a", "b"}}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := d.Delivered(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	second := ask("Two?")
	l := listen(t, dir, "--since", "1h")
	told := []string{l.next(), l.next(), l.next()} // having told these, it watches
	if _, err := d.Reply(t.Context(), second.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	told = append(told, l.next())
	third := ask("Three?")
	told = append(told, l.next())
	if _, err := d.Close(t.Context(), third.ID, desk.Outcome{Status: desk.Cancelled, Reason: "gone"}); err != nil {
		t.Fatal(err)
	}
	told = append(told, l.next())

	for i, want := range []string{
		request(first.ID, "One?", "1"),
		response(first.ID, "answered", `{"question-0":"A, 1,B"}`),
		request(second.ID, "Two?", "2"),
		response(second.ID, "dismissed", `{}`),
		request(third.ID, "Three?", "3"),
		`{"agentId":"agent","event":"ask:question:cancel","id":"` + third.ID + `","reason":"gone","status":"cancelled"}`,
	} {
		if told[i] != want {
			t.Errorf("event %d\ngot  %s\nwant %s", i, told[i], want)
		}
	}
	if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if l.lines.Scan() {
		t.Errorf("and then %s", l.lines.Bytes())
	}
	_ = l.cmd.Wait()
	if status := l.cmd.ProcessState.ExitCode(); status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.FixedZone("X", 3600))
	for _, tc := range []struct{ text, want string }{
		{"", "0001-01-01T00:00:00Z"},
		{"90", "2026-11-21T11:58:30+01:00"},
		{"2h", "2026-11-21T10:00:00+01:00"},
		{"2026-11-01", "2026-11-01T00:00:00+01:00"},
		{"2026-11-01T08:30:00Z", "2026-11-01T08:30:00Z"},
		{"yesterday", ""},
		{"-2h", ""},
	} {
		got, ok := parseSince(tc.text, now)
		if ok != (tc.want != "") || ok && got.Format(time.RFC3339) != tc.want {
			t.Errorf("%q: got %v, %v", tc.text, got, ok)
		}
	}
}

// The command ends with its reader, as in a pipe to head, and not with the next event.
func TestEventsEndWithTheirReader(t *testing.T) {
	dir := t.TempDir()
	asking(t, openDesk(t, dir), "Go on?")
	cmd := program(t, dir, "events", "--since", "1h")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	_ = out.Close()
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != exitUnread {
		t.Errorf("exit status %d", status)
	}
}
