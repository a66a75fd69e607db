package desk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// rounds asks one question after the other, each by a desk of its own.
type rounds struct {
	*testing.T
	dir     string
	now     time.Time
	options desk.Options
	asked   int
}

func newRounds(t *testing.T, limit int) *rounds {
	return &rounds{T: t, dir: storeDir(t), now: time.Now(), options: desk.Options{MaxRounds: limit, Pause: 10 * time.Minute}}
}

func (r *rounds) desk() *desk.Desk { return at(r.T, r.dir, r.now, r.options) }

// submit asks a new question of a session, ends it, and has its outcome collected.
func (r *rounds) submit(req desk.Request, end func(d *desk.Desk, id string) error) (desk.Record, error) {
	r.Helper()
	r.now = r.now.Add(time.Second)
	r.asked++
	req.Set = request(fmt.Sprintf("Question %d?", r.asked)).Set
	d := r.desk()
	rec, _, err := d.Submit(r.Context(), req)
	if err != nil {
		return rec, err
	}
	fatal.If(r, end(d, rec.ID))
	return rec, d.Delivered(r.Context(), rec.ID)
}

// next has a round of the first session answered.
func (r *rounds) next() (desk.Record, error) {
	r.Helper()
	return r.submit(request(""), answers(says("yes")))
}

// isFull fails where the next round of the first session is not refused.
func (r *rounds) isFull() {
	r.Helper()
	var limit *desk.RoundLimitError
	_, err := r.next()
	if !errors.As(err, &limit) || limit.Limit != r.options.MaxRounds || !strings.Contains(err.Error(), "recursive_limit_exceeded") {
		r.Errorf("a round too many: %v", err)
	}
}

// hasRoom fails where the first session is refused one of so many rounds.
func (r *rounds) hasRoom(n int) {
	r.Helper()
	for range n {
		must(r.next())
	}
}

func answers(with question.Reply) func(*desk.Desk, string) error {
	return func(d *desk.Desk, id string) error {
		_, err := d.Reply(context.Background(), id, with, byPage)
		return err
	}
}

func closes(status desk.Status, shown ...desk.Showing) func(*desk.Desk, string) error {
	return func(d *desk.Desk, id string) error {
		err := d.SetShown(context.Background(), id, shown)
		if err == nil {
			_, err = d.Close(context.Background(), id, desk.Outcome{Status: status})
		}
		return err
	}
}

// The limit of rounds, over processes: rounds in a row, ended by a pause or, for one session
// alone, by the user. A round after which two or fewer are left is near it. What was refused is not
// stored; coming back for an answer is no round.
func TestRoundLimit(t *testing.T) {
	r := newRounds(t, 5)
	for i := 1; i <= 5; i++ {
		rec, err := r.next()
		if err != nil || rec.Round != i || rec.NearLimit != (i > 2) || rec.LastRound != (i == 5) {
			t.Fatalf("round %d: %+v, near the limit: %v, %v", i, rec.Round, rec.NearLimit, err)
		}
	}
	r.isFull()
	r.isFull()
	n := len(must(r.desk().Session(t.Context(), "s1")))
	if n != 5 {
		t.Errorf("%d records, want 5", n)
	}
	r.now = r.now.Add(11 * time.Minute) // begins a new row
	if rec := must(r.next()); rec.NearLimit {
		t.Error("the first of a row is near the limit")
	}
	r.hasRoom(3)
	last := detached(t, r.desk(), request("The last?"))
	reply(t, r.desk(), last.ID, "yes")
	r.isFull()
	again := detached(t, r.desk(), request("The last?"))
	if again.ID != last.ID || again.Round != 10 || text(again) != "yes" {
		t.Errorf("coming back for an answer: %+v", again)
	}
	put(t, r.desk(), set(), "s2", asker)
	lift := func(session string) error { return r.desk().Lift(t.Context(), session) }
	err := lift("s2")
	if err != nil {
		t.Error(err)
	}
	r.isFull() // lifted for another session
	fatal.If(t, lift("s1"))
	r.hasRoom(4)
	r.now = r.now.Add(time.Second)
	last = detached(t, r.desk(), request("Lifted meanwhile?"))
	fatal.If(t, lift("s1"))
	after := must(r.desk().Get(t.Context(), last.ID))
	if !last.LastRound || after.LastRound {
		t.Errorf("it is the last round: %v, after the lift: %v", last.LastRound, after.LastRound)
	}
	r.hasRoom(5)
	r.isFull()
	err = lift("never-was")
	if !errors.Is(err, desk.ErrNoSession) || !strings.Contains(err.Error(), "never-was") {
		t.Errorf("lifted: %v", err)
	}
}

// What was not a round of the user's attention does not count towards the limit.
func TestWhatIsNoRound(t *testing.T) {
	tried := desk.Showing{Surface: "tty", Why: "not a terminal"}
	shown := desk.Showing{Surface: "pane"}
	talk := question.Reply{Discuss: true, Note: "why?"}
	for name, tc := range map[string]struct {
		end  func(*desk.Desk, string) error
		left int // rounds that are left of two
	}{
		"answered":                  {answers(says("x")), 0},
		"timed out, seen":           {closes(desk.Timeout, tried, shown), 0},
		"timed out, unseen":         {closes(desk.Timeout, tried), 2},
		"withdrawn, unseen":         {closes(desk.Cancelled), 2},
		"failed, unseen":            {closes(desk.Failed, tried), 2},
		"it reached nobody":         {closes(desk.Unavailable, tried), 2},
		"a discussion ends the row": {answers(talk), 2},
		"reopened": {func(d *desk.Desk, id string) error {
			err := answers(says("old"))(d, id)
			for range 3 {
				again := must(d.Reopen(t.Context(), id))
				err = errors.Join(err, answers(says("new"))(d, again.ID))
			}
			return err
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRounds(t, 2)
			for range 2 {
				must(r.submit(request(""), tc.end))
			}
			r.hasRoom(tc.left)
			r.isFull()
		})
	}
}

// Rounds are counted where their host's session or prompt says, whatever session their asker
// names; the limit is lifted for what the refused call names.
func TestRowIsNotTheSession(t *testing.T) {
	r := newRounds(t, 2)
	next := func(session string) (desk.Record, error) {
		req := request("")
		req.Session, req.Row = session, "host"
		return r.submit(req, answers(says("x")))
	}
	for _, session := range []string{"s0", "s1"} {
		must(next(session))
	}
	var limit *desk.RoundLimitError
	_, err := next("s1")
	if !errors.As(err, &limit) || limit.Session != "s1" {
		t.Fatalf("a third round of one host: %v", err)
	}
	fatal.If(t, r.desk().Lift(t.Context(), limit.Session))
	rec, err := next("s1")
	if err != nil || rec.Round != 2 {
		t.Errorf("round %d, %v", rec.Round, err)
	}
}

// Calls that the human is not asked are found in the history, and are no
// rounds.
func TestCallsThatAreNotAsked(t *testing.T) {
	r := newRounds(t, 1)
	r.hasRoom(1)
	r.isFull()
	r.now = r.now.Add(time.Second)
	d := r.desk()
	known := request("Known?")
	known.Set.Questions[0].Collected = &question.Answer{QuestionID: "q1", Custom: "as before"}
	noted, err := d.Note(t.Context(), known, desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
	if err != nil || noted.Round != 0 || noted.State != desk.Answered {
		t.Errorf("noted %+v, %v", noted, err)
	}
	_, err = d.Note(t.Context(), known, desk.Outcome{Status: desk.Pending})
	if err == nil {
		t.Error("noted what has not ended")
	}

	var past []string
	for rec, err := range d.History(t.Context(), desk.Query{}) {
		fatal.If(t, err)
		past = append(past, fmt.Sprint(rec.Questions[0].Text, rec.State, rec.Round, rec.SessionID, rec.Outcome.Refused()))
	}
	want := []string{"Known?answered0s1false", "Question 2?unavailable0s1true", "Question 1?answered1s1false"}
	if !slices.Equal(past, want) {
		t.Errorf("the history is %q", past)
	}
	if session := must(d.Session(t.Context(), "s1")); len(session) != 1 {
		t.Errorf("the session has %d rounds", len(session))
	}
	if got := must(d.Get(t.Context(), noted.ID)); got.Questions[0].Collected.Custom != "as before" {
		t.Errorf("got %+v", got)
	}
}

// A prompt of the user begins a new count for the sessions of the client in the project.
func TestBeginCount(t *testing.T) {
	r := newRounds(t, 2)
	begin := func(client, directory string) {
		t.Helper()
		fatal.If(t, r.desk().BeginCount(t.Context(), client, directory))
	}
	r.hasRoom(2)
	begin("another-agent", asker.Directory)
	r.isFull()
	begin(asker.Client, "/elsewhere")
	r.isFull()
	for range 3 {
		begin(asker.Client, asker.Directory)
		r.hasRoom(2)
		r.isFull()
	}
}

// An open question that its agent does not wait for is a round: an agent can neither fill the
// inbox by not waiting, nor escape the limit with one question that it leaves open. Questions
// that are waited for side by side are none.
func TestOpenRounds(t *testing.T) {
	r := newRounds(t, 3)
	for i := range 4 {
		submit(t, r.desk(), request(fmt.Sprintf("Side by side %d?", i)))
	}
	detached(t, r.desk(), request("Not waited for?"))
	r.hasRoom(2)
	r.isFull()
}
