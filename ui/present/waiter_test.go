package present

import (
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// A call whose question ends before the call has its place is not told that a
// surface shows it: none ever did.
func TestEndedBeforeItsPlace(t *testing.T) {
	store := desktest.Store(t, t.TempDir())
	d := desk.New(store, desk.Options{})
	p := New(Options{Desk: d})
	defer p.Close(nil)
	set := question.Set{Questions: []question.Question{{ID: "q1", Text: "Which?", Type: question.Text}}}
	rec, attendance, err := d.Submit(t.Context(), desk.Request{Session: "s", Set: set})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "this"}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := p.takeSlot(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := p.presentation(rec)
	<-x.ended
	if w := x.join(asks, Question{}, attendance); w != nil {
		t.Fatal("the call joins a record that has ended")
	}
	w := x.lateWaiter(attendance)
	select {
	case <-w.Unshown():
	case <-time.After(time.Minute):
		t.Error("the call waits for a surface that nobody has begun")
	}
	if rec, err := w.Result(); err != nil || rec.State != desk.Answered {
		t.Errorf("the end is %s, %v", rec.State, err)
	}
	w.Delivered()
}
