package desk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// What nobody saw is no round: neither a call that reached nobody nor one that
// ended before any surface had shown it.
func TestUnseenIsNoRound(t *testing.T) {
	now := time.Now()
	d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time { return now }, MaxRounds: 2})
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
	shown := append(slices.Clip(tried), desk.Showing{Surface: "pane"})
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

// A round after which two or fewer are left in a row is near the limit.
func TestNearLimit(t *testing.T) {
	now := time.Now()
	d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time { return now }, MaxRounds: 5})
	for n, near := range []bool{false, false, true, true, false, false, true} {
		now = now.Add(time.Second)
		if n == 4 {
			now = now.Add(time.Hour) // begins a new row
		}
		rec, attendance, err := d.Submit(t.Context(), request(fmt.Sprintf("Question %d?", n)))
		if err != nil {
			t.Fatal(err)
		}
		reply(t, d, rec.ID, "yes")
		attendance.Release()
		if rec.NearLimit != near {
			t.Errorf("round %d: near the limit: %v", n+1, rec.NearLimit)
		}
	}
}

// Calls that the human is not asked are found in the history, and are no
// rounds.
func TestCallsThatAreNotAsked(t *testing.T) {
	dir := storeDir(t)
	d := desk.New(openStore(t, dir), desk.Options{MaxRounds: 1})
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
		if rec.State == desk.Unavailable && !rec.Outcome.Refused() {
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

// After a refusal a session may ask again when the human lifts its limit, or after a pause;
// another session's limit stays.
func TestRefusalEnds(t *testing.T) {
	now := time.Now()
	d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time { return now }, MaxRounds: 1, Pause: time.Hour})
	refused := func(session, text string) bool {
		t.Helper()
		r := request(text)
		r.Session = session
		_, attendance, err := d.Submit(t.Context(), r)
		if err == nil {
			attendance.Release()
			return false
		}
		if !errors.As(err, new(*desk.RoundLimitError)) {
			t.Fatal(err)
		}
		return true
	}
	for _, session := range []string{"s1", "s2"} {
		r := request("First of " + session + "?")
		r.Session = session
		rec, attendance := submit(t, d, r)
		reply(t, d, rec.ID, "x")
		collected(t, d, rec, attendance)
		if !refused(session, "Second of "+session+"?") {
			t.Errorf("%s may ask beyond the limit", session)
		}
	}
	if err := d.Lift(t.Context(), "s2"); err != nil {
		t.Fatal(err)
	}
	if !refused("s1", "Third of s1?") || refused("s2", "Third of s2?") {
		t.Error("the limit was not lifted for one session alone")
	}
	now = now.Add(time.Hour + time.Second)
	if refused("s1", "After a pause?") {
		t.Error("refused after a pause")
	}
}

// To talk about a question ends the row: whoever asks again has been told to.
func TestDiscussionEndsTheRow(t *testing.T) {
	d := desk.New(openStore(t, storeDir(t)), desk.Options{MaxRounds: 1})
	for n := range 3 {
		rec, attendance := submit(t, d, request(fmt.Sprintf("Question %d?", n)))
		r := question.Reply{Discuss: true, Note: "why?"}
		must(d.Reply(t.Context(), rec.ID, r, byPage))
		collected(t, d, rec, attendance)
	}
	rec, attendance := submit(t, d, request("So which?"))
	reply(t, d, rec.ID, "x")
	collected(t, d, rec, attendance)
	if _, _, err := d.Submit(t.Context(), request("And now?")); !errors.As(err, new(*desk.RoundLimitError)) {
		t.Errorf("a round too many: %v", err)
	}
}

// A prompt of the user begins a new count for the sessions of the client in the project, and
// takes back no lift.
func TestBeginCount(t *testing.T) {
	d := desk.New(openStore(t, storeDir(t)), desk.Options{MaxRounds: 2})
	ask := func(n int) error {
		rec, attendance, err := d.Submit(t.Context(), request(fmt.Sprintf("Question %d?", n)))
		if err != nil {
			return err
		}
		reply(t, d, rec.ID, "yes")
		collected(t, d, rec, attendance)
		return nil
	}
	limited := func(err error) bool { return errors.As(err, new(*desk.RoundLimitError)) }
	must(0, errors.Join(ask(1), ask(2)))
	for _, other := range [][2]string{{"another-agent", asker.Directory}, {asker.Client, "/elsewhere"}} {
		must(0, d.BeginCount(t.Context(), other[0], other[1]))
		if err := ask(3); !limited(err) {
			t.Errorf("after a prompt to %s in %s: %v", other[0], other[1], err)
		}
	}
	for prompt := range 3 {
		must(0, d.BeginCount(t.Context(), asker.Client, asker.Directory))
		if err := errors.Join(ask(10*prompt+4), ask(10*prompt+5)); err != nil {
			t.Errorf("prompt %d: %v", prompt, err)
		}
		if err := ask(10*prompt + 6); !limited(err) {
			t.Errorf("prompt %d: a round too many: %v", prompt, err)
		}
	}
}

// Rounds are counted where their host's session or prompt says, whatever
// session their asker names; the limit is lifted for what the refused call
// names.
func TestRowIsNotTheSession(t *testing.T) {
	d := desk.New(openStore(t, storeDir(t)), desk.Options{MaxRounds: 2})
	named := func(n int) desk.Request {
		r := request(fmt.Sprintf("Question %d?", n))
		r.Session, r.Row = fmt.Sprintf("s%d", n), "host"
		return r
	}
	for n := range 2 {
		rec, attendance := submit(t, d, named(n))
		reply(t, d, rec.ID, "x")
		collected(t, d, rec, attendance)
	}
	var limit *desk.RoundLimitError
	if _, _, err := d.Submit(t.Context(), named(1)); !errors.As(err, &limit) || limit.Session != "s1" {
		t.Fatalf("a third round of one host: %v", err)
	}
	if session := must(d.Session(t.Context(), "s1")); len(session) != 1 {
		t.Errorf("the session has %d rounds", len(session))
	}
	if err := d.Lift(t.Context(), limit.Session); err != nil {
		t.Fatal(err)
	}
	rec, attendance := submit(t, d, named(1))
	defer attendance.Release()
	if rec.Round != 2 {
		t.Errorf("round %d", rec.Round)
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
