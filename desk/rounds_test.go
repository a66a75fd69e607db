package desk_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// What nobody saw is no round: neither a call that reached nobody nor one that
// ended before any surface had shown it (D9).
func TestUnseenIsNoRound(t *testing.T) {
	now := time.Now()
	d := desk.New(openSpool(t, storeDir(t)), desk.Options{Now: func() time.Time { return now }, MaxRounds: 2})
	n := 0
	round := func(shown []desk.Showing, end desk.Status) error {
		t.Helper()
		now = now.Add(time.Second)
		n++
		rec, attendance, err := d.Submit(t.Context(), request(fmt.Sprintf("Question %d?", n)))
		if err != nil {
			return err
		}
		defer attendance.Release()
		if shown != nil {
			if err := d.SetShown(t.Context(), rec.ID, shown); err != nil {
				t.Fatal(err)
			}
		}
		if end == desk.Answered {
			reply(t, d, rec.ID, "x")
		} else if rec, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: end}); err != nil || rec.Outcome.Unseen != (len(shown) < 2) {
			t.Errorf("closed: %+v, %v", rec.Outcome, err)
		}
		return nil
	}
	tried := []desk.Showing{{Surface: "tty", Why: "not a terminal"}}
	shown := append(tried, desk.Showing{Surface: "pane"})
	for _, end := range []desk.Status{desk.Unavailable, desk.Cancelled, desk.Timeout, desk.Failed} {
		for range 2 {
			if err := round(tried, end); err != nil {
				t.Fatalf("after %s: %v", end, err)
			}
			if err := round(nil, end); err != nil {
				t.Fatalf("after %s: %v", end, err)
			}
		}
	}
	for i, end := range []desk.Status{desk.Timeout, desk.Answered} {
		if at := must(d.AtLimit(t.Context(), "s1")); at {
			t.Errorf("after %d rounds the limit is reached", i)
		}
		if err := round(shown, end); err != nil {
			t.Fatal(err)
		}
		if err := round(nil, desk.Cancelled); i == 0 && err != nil {
			t.Fatal(err)
		}
	}
	var limit *desk.RoundLimitError
	if err := round(shown, desk.Answered); !errors.As(err, &limit) {
		t.Errorf("a round too many: %v", err)
	}
}

// Calls that the human is not asked are found in the history, and are no
// rounds (D22).
func TestCallsThatAreNotAsked(t *testing.T) {
	dir := storeDir(t)
	d := desk.New(openSpool(t, dir), desk.Options{MaxRounds: 1})
	rec, attendance := submit(t, d, request("First?"))
	reply(t, d, rec.ID, "x")
	collected(t, d, rec, attendance)
	var limit *desk.RoundLimitError
	for range 2 {
		if _, _, err := d.Submit(t.Context(), request("Refused?")); !errors.As(err, &limit) {
			t.Fatal(err)
		}
	}
	known := request("Known?")
	known.Set.Questions[0].Collected = &question.Answer{QuestionID: "q1", Custom: "as before"}
	noted, err := d.Note(t.Context(), known, desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
	if err != nil || noted.Round != 0 || noted.State != desk.Answered {
		t.Errorf("noted %+v, %v", noted, err)
	}
	if _, err := d.Note(t.Context(), known, desk.Outcome{Status: desk.Pending}); err == nil {
		t.Error("noted what has not ended")
	}

	var past []string
	for rec, err := range open(t, dir).History(t.Context(), desk.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		past = append(past, fmt.Sprint(rec.Questions[0].Text, rec.State, rec.Round, rec.SessionID, rec.Asker.Client))
		if rec.State == desk.Unavailable && !strings.HasPrefix(rec.Outcome.Reason, "recursive_limit_exceeded") {
			t.Errorf("refused for %q", rec.Outcome.Reason)
		}
	}
	want := "Known?answered0s1test-agent, Refused?unavailable0s1test-agent, Refused?unavailable0s1test-agent, First?answered1s1test-agent"
	if got := strings.Join(past, ", "); got != want {
		t.Errorf("the history is %s", got)
	}
	if session := must(d.Session(t.Context(), "s1")); len(session) != 1 {
		t.Errorf("the session has %d rounds", len(session))
	}
	if got := must(open(t, dir).Get(t.Context(), noted.ID)); got.Questions[0].Collected.Custom != "as before" {
		t.Errorf("got %+v", got)
	}
}

func TestLiftNeedsASession(t *testing.T) {
	d := open(t, storeDir(t))
	if err := d.Lift(t.Context(), "never-was"); !errors.Is(err, desk.ErrNoSession) || !strings.Contains(err.Error(), "never-was") {
		t.Errorf("lifted: %v", err)
	}
	ask(t, d)
	if err := d.Lift(t.Context(), "s1"); err != nil {
		t.Error(err)
	}
}
