package desk_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	desk "mcp-askuser/desk/records"

	"mcp-askuser/desk/local"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// user is the evidence of a user's answer.
func user() desk.Evidence { return desk.Evidence{Surface: "web", How: desk.HowPage} }

func openDesk(t *testing.T, dir string, o desk.Options) *desk.Desk {
	t.Helper()
	s := local.Open(dir)
	t.Cleanup(func() { _ = s.Close() })
	return desk.New(s, o)
}

func request(text string) desk.Request {
	return desk.Request{Session: "s", Asker: desk.Asker{Client: "test", Directory: "/project", Via: "mcp"}, Set: question.Set{
		Questions: []question.Question{{ID: "q1", Text: text, Type: question.SingleChoice, Required: true,
			Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}},
	}}
}

func reply(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

func submit(t *testing.T, d *desk.Desk, r desk.Request) (desk.Record, *desk.Attendance) {
	t.Helper()
	rec, attendance, err := d.Submit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return rec, attendance
}

// The first reply counts; a late answerer receives it. It is delivered once, and found in the
// history by its words.
func TestReply(t *testing.T) {
	dir := t.TempDir()
	asker, surface := openDesk(t, dir, desk.Options{}), openDesk(t, dir, desk.Options{})
	rec, attendance := submit(t, asker, request("Which database?"))
	defer attendance.Release()
	_, err := surface.Reply(t.Context(), rec.ID, reply("b"), user())
	if err != nil {
		t.Fatal(err)
	}
	late, err := surface.Reply(t.Context(), rec.ID, reply("a"), user())
	closed := (*desk.ClosedError)(nil)
	if !errors.As(err, &closed) || late.Outcome.Reply.Answers[0].Selected[0] != "b" {
		t.Errorf("a late answer: %+v, %v", late.Outcome, err)
	}
	got, err := asker.Wait(t.Context(), rec.ID)
	if err != nil || got.State != desk.Answered || got.Outcome.Answerer.Kind != desk.UserAnswerer {
		t.Fatalf("the asker receives %+v, %v", got.Outcome, err)
	}
	err = asker.Delivered(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	again, attendance := submit(t, asker, request("Which database?"))
	attendance.Release()
	if again.ID == rec.ID || again.Round != 2 {
		t.Errorf("a delivered answer was delivered again: %+v", again)
	}
	for past, err := range surface.History(t.Context(), desk.Query{Search: "WHICH  data"}) {
		if err != nil || past.ID != rec.ID {
			t.Errorf("the history has %s, %v", past.ID, err)
		}
	}
}

// A question whose asker has gone is taken over with its answer; one that was withdrawn is
// asked anew.
func TestTakeOver(t *testing.T) {
	d := openDesk(t, t.TempDir(), desk.Options{})
	rec, attendance := submit(t, d, request("Same?"))
	attendance.Release()
	_, err := d.Reply(t.Context(), rec.ID, reply("a"), user())
	if err != nil {
		t.Fatal(err)
	}
	same, attendance := submit(t, d, request("Same?"))
	attendance.Release()
	if same.ID != rec.ID || same.Reply() == nil {
		t.Errorf("not taken over: %+v", same)
	}
	rec, attendance = submit(t, d, request("Withdrawn?"))
	attendance.Release()
	_, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled})
	if err != nil {
		t.Fatal(err)
	}
	same, attendance = submit(t, d, request("Withdrawn?"))
	attendance.Release()
	if same.ID == rec.ID {
		t.Error("a withdrawn question was taken over")
	}
}

// More rounds in a row than the limit are refused, until the user lifts it.
func TestRounds(t *testing.T) {
	d := openDesk(t, t.TempDir(), desk.Options{MaxRounds: 2})
	for _, text := range []string{"One?", "Two?"} {
		rec, attendance := submit(t, d, request(text))
		attendance.Release()
		_, err := d.Reply(t.Context(), rec.ID, reply("a"), user())
		if err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := d.Submit(t.Context(), request("Three?"))
	refused := (*desk.RoundLimitError)(nil)
	if !errors.As(err, &refused) {
		t.Fatalf("a third round: %v", err)
	}
	err = d.Lift(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	rec, attendance := submit(t, d, request("Three?"))
	attendance.Release()
	if rec.Round != 3 {
		t.Errorf("the round is %d", rec.Round)
	}
}

// A watcher in another process receives each question and its end once.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	d := openDesk(t, dir, desk.Options{})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	events, err := openDesk(t, dir, desk.Options{}).Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rec, attendance := submit(t, d, request("Seen?"))
	defer attendance.Release()
	_, err = d.Reply(ctx, rec.ID, reply("a"), user())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []desk.EventType{desk.Asked, desk.Ended} {
		ev, ok := <-events
		for ev.Type == desk.Touched {
			ev, ok = <-events
		}
		if !ok || ev.Type != want || ev.Record.ID != rec.ID {
			t.Fatalf("event %+v, want %s", ev, want)
		}
	}
}

// away is a joined store whose shared desk does not answer.
type away struct{ store.Store }

func (s away) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for row, err := range s.Store.Rows(ctx, q) {
			if !yield(row, err) {
				return
			}
		}
		yield(store.Row{}, store.ErrUnreachable)
	}
}

// While the shared desk does not answer, a session asks on this machine.
func TestAskedWhileTheDeskIsAway(t *testing.T) {
	s := local.Open(t.TempDir())
	defer func() { _ = s.Close() }()
	d := desk.New(away{s}, desk.Options{MaxRounds: 5})
	rec, attendance := submit(t, d, request("Here?"))
	defer attendance.Release()
	if rec.Round != 1 {
		t.Errorf("the round is %d", rec.Round)
	}
	_, err := d.AtLimit(t.Context(), "s")
	if err != nil {
		t.Error(err)
	}
}

// swapped is a store in which another program has replaced what was asked.
type swapped struct{ store.Store }

func (s swapped) Wait(ctx context.Context, id string) (store.Row, error) {
	row, err := s.Store.Wait(ctx, id)
	row.Asked = bytes.Replace(row.Asked, []byte("rm -r build"), []byte("Tidy up"), 1)
	return row, err
}

// An answer to another question than the one that was asked is not delivered.
func TestSwappedQuestion(t *testing.T) {
	s := local.Open(t.TempDir())
	defer func() { _ = s.Close() }()
	d := desk.New(swapped{s}, desk.Options{})
	rec, attendance := submit(t, d, request("rm -r build?"))
	defer attendance.Release()
	_, err := d.Reply(t.Context(), rec.ID, reply("a"), user())
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Wait(t.Context(), rec.ID)
	if err != nil || got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("delivered as %s: %+v, %v", got.State, got.Outcome, err)
	}
}

// unreachable is a shared desk that takes no answers.
type unreachable struct{ store.Store }

func (unreachable) Answer(context.Context, string, store.Ending) error { return store.ErrUnreachable }

// An answer that a shared desk does not take is kept as a draft.
func TestUnsent(t *testing.T) {
	s := local.Open(t.TempDir())
	defer func() { _ = s.Close() }()
	d := desk.New(unreachable{s}, desk.Options{})
	rec, attendance := submit(t, d, request("Sent?"))
	defer attendance.Release()
	_, err := d.Reply(t.Context(), rec.ID, reply("b"), user())
	if !errors.Is(err, desk.ErrUnsent) {
		t.Fatal(err)
	}
	kept, _, err := d.Draft(t.Context(), rec.ID)
	if err != nil || len(kept.Answers) != 1 || kept.Answers[0].Selected[0] != "b" {
		t.Errorf("the draft is %+v, %v", kept, err)
	}
}
