package desk_test

import (
	"os"
	"testing"
	"time"

	"mcp-askuser/question"
)

// What took a reply from the human stands beside it, also when it is read again.
func TestAnswererIsKept(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	r := says("yes")
	r.Took = 1500 * time.Millisecond
	if _, err := d.Reply(t.Context(), rec.ID, r, "tty"); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, dir).Get(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	o := got.Outcome
	if o.Surface != "tty" || o.Took != 1500 || o.Answerer == nil || o.Answerer.PID != os.Getpid() || o.Answerer.Program == "" || o.Answerer.Agents {
		t.Errorf("the outcome is %+v by %+v", o, o.Answerer)
	}
}

// A program's word is its own in every answer, and one that descends from the
// asker's host and has no terminal is named.
func TestAnswersOfPrograms(t *testing.T) {
	for _, tc := range []struct {
		name string
		by   question.By
		host int
		want bool
	}{
		{"the host's own", question.ByProgram, os.Getppid(), true},
		{"another's", question.ByProgram, 1 << 30, false},
		{"nobody knows the host", question.ByProgram, 0, false},
		{"all descend from the first process", question.ByProgram, 1, false},
		{"the user, through the server", "", os.Getppid(), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := open(t, storeDir(t))
			from := asker
			from.PID = tc.host
			rec := must(d.Ask(t.Context(), set(), "", from))
			r := says("yes")
			r.By = tc.by
			got := must(d.Reply(t.Context(), rec.ID, r, "shell")).Outcome
			if by := got.Reply.Answers[0].By; (by == question.ByProgram) != (tc.by == question.ByProgram) {
				t.Errorf("the answer is by %q", by)
			}
			_, proc := os.Stat("/proc/self/stat")
			if want := tc.want && proc == nil && got.Answerer.Terminal == ""; got.Answerer.Agents != want {
				t.Errorf("the agent's own: %v, want %v", got.Answerer.Agents, want)
			}
		})
	}
}
