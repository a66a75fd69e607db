//go:build unix

package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"mcp-askuser/desk"
)

// An agent asks two things without waiting, and collects the answers after its server was
// killed: nothing is lost, and nothing is asked twice.
func TestAskWorkCollect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDesk(t, dir)
	server := program(t, dir, "serve", "--surface", "inbox")
	c := connectTo(t, eras[1], server, nil)
	without := func(c *client.Client, text string) (status, id string) {
		t.Helper()
		_, r, _ := call(t, c, "ask_user_question",
			fmt.Sprintf(`{"question":%q,"options":["Yes","No"],"wait":false}`, text))
		status, _ = r["status"].(string)
		id, _ = r["id"].(string)
		return status, id
	}
	_, first := without(c, "First?")
	_, second := without(c, "Second?")
	pending, err := d.Pending(t.Context())
	if err != nil || len(pending) != 2 || pending[0].ID != first || pending[1].ID != second {
		t.Fatalf("%s and %s of %d questions are open: %v", first, second, len(pending), err)
	}
	for i, rec := range pending {
		if rec.Attended || !slices.Contains(rec.ShownOn, desk.Showing{Surface: "inbox"}) || rec.Round != i+1 {
			t.Errorf("%s after its call: attended %v, shown on %v, round %d",
				rec.Questions[0].Text, rec.Attended, rec.ShownOn, rec.Round)
		}
	}
	_ = server.Process.Kill()
	say(t, d, first, "yes") // no server runs

	c = connect(t, eras[1], dir, nil, "serve", "--surface", "inbox")
	_, got, _ := call(t, c, "await_answer", fmt.Sprintf(`{"ids":[%q,%q],"wait":false}`, first, second))
	if answerTo(got, "First?") != "Yes" || fmt.Sprint(got["open"]) != "["+second+"]" {
		t.Errorf("collected: %v", got)
	}
	if status, id := without(c, "Second?"); status != "pending" || id != second {
		t.Errorf("asked again: %s %s, want %s", status, id, second)
	}
	say(t, d, second, "no")
	if status, _ := without(c, "Second?"); status != "answered" {
		t.Errorf("asked again after the answer: %s", status)
	}
	asked, err := collect(t.Context(), d, desk.Query{})
	if err != nil || len(asked) != 2 {
		t.Errorf("the user was asked %d questions: %v", len(asked), err)
	}
}
