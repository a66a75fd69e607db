package inbox

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
)

// TestAnswer: the form's reply is on the desk, and the list goes on.
func TestAnswer(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	r.claude(name())
	r.open().answers().keys("2", "enter")
	r.see("Answer sent.", "1 waiting", "› ● Name")
	rec, err := r.desk.Get(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if rec.State != desk.Answered || rec.Outcome.Surface != Name || rec.Outcome.Reply.Answers[0].Selected[0] != "sqlite" {
		t.Errorf("the outcome is %+v", rec.Outcome)
	}
	if r.quit {
		t.Error("the inbox ended with the form")
	}
}

// TestBackToTheList: leaving a form keeps the question open and what was typed.
func TestBackToTheList(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(name())
	r.open().answers().keys("orders", leaveKey).see("[Waiting]", "The question stays open.", "draft kept")
	r.answers().see("Your draft is back", "orders")
	checkScreen(t, r)
}

// TestQuitKeepsDraft: Ctrl+C leaves everything as it is, what was typed kept.
func TestQuitKeepsDraft(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(name())
	r.open().answers().keys("orders", "ctrl+c")
	r.until("the end", func() bool { return r.quit })
	draft, _, err := r.desk.Draft(t.Context(), rec.ID)
	if err != nil || len(draft.Answers) != 1 || draft.Answers[0].Custom != "orders" {
		t.Errorf("the draft is %+v, %v", draft, err)
	}
	if pending, err := r.desk.Pending(t.Context()); err != nil || len(pending) != 1 {
		t.Errorf("pending are %d, %v", len(pending), err)
	}
}

// TestNewsWhileAnswering: a new question changes a number and nothing else.
func TestNewsWhileAnswering(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(name())
	r.open().answers().keys("orders")
	before := r.screen()
	r.claude(database())
	r.see("1 other")
	_, was, _ := strings.Cut(before, "\n")
	if _, is, _ := strings.Cut(r.screen(), "\n"); is != was {
		t.Errorf("more has changed; before:\n%s\nafter:\n%s", was, is)
	}
}

// TestWithdrawn: a form is taken away when another answer was first, and what
// is typed after that does nothing.
func TestWithdrawn(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(name())
	r.open().answers().keys("ord")
	r.reply(rec, "web", answerText("name", "orders"))
	r.see("Already answered on the web page.")
	r.keys("ers quite d", "enter")
	if r.m.notice == "" || r.quit {
		t.Fatalf("a key that was meant for the form did something:\n%s", r.screen())
	}
	r.later(gate.Quiet).keys("enter").see("[Waiting]", "0 waiting")
}

// TestLateMessage: what a form's command leads to does not reach the form that
// is open by then.
func TestLateMessage(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(name())
	r.claude(database())
	r.open().answers()
	old := r.m.answer
	r.keys(leaveKey, "down")
	r.answers()
	r.send(r.m.addressTo(old, leave)())
	if r.m.answer == old || r.m.answer == nil {
		t.Fatal("the wrong form is open")
	}
}

// full is a store that takes no drafts.
type full struct {
	store.Store
	now atomic.Bool
}

func (f *full) Note(ctx context.Context, id string, note store.Note, change func([]byte) ([]byte, error)) error {
	if note == store.Draft && f.now.Load() {
		return errors.New("no space left")
	}
	return f.Store.Note(ctx, id, note, change)
}

// An answer that the shared desk does not take leaves its form open, and says so there; it is
// sent with the next Enter.
func TestUnsent(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(chinese())
	r.open()
	rec := r.unsent()
	r.see("Not sent: the shared desk does not answer.", "send it again.")
	if draft, _, err := r.desk.Draft(t.Context(), rec.ID); err != nil || draft.Answers[0].Selected[0] != "pg" {
		t.Errorf("the draft is %+v, %v", draft, err)
	}
	r.apart.FailAnswers(nil)
	r.later(gate.Quiet).keys("enter").see("Answer sent.")
	if rec, err := r.desk.Get(t.Context(), rec.ID); err != nil || rec.State != desk.Answered {
		t.Errorf("the record is %+v, %v", rec, err)
	}
}

// TestUnkeptDraft: what was typed and cannot be kept is there again when the form
// is, and the user learns of it.
func TestUnkeptDraft(t *testing.T) {
	r := newRig(t, 80, 24)
	disk := &full{Store: r.store}
	r.m.desk = desk.New(disk, desk.Options{Now: r.clock})
	rec := r.claude(name())
	disk.now.Store(true)
	typed := func(want string) {
		t.Helper()
		r.until("the draft to be "+want, func() bool {
			d, ok := r.m.drafts.Load(rec.ID)
			if !ok {
				return false
			}
			typed, err := d.(*form.Draft).Unsaved()
			return err != nil && typed.Answers[0].Custom == want
		})
		r.see("What you typed is kept only as long as this", "inbox is open: no space left")
	}
	r.open().answers().keys("orders", leaveKey)
	typed("orders")
	r.answers().see("Your draft is back", "orders").keys(leaveKey).see("is open: no space left")
	disk.now.Store(false)
	r.answers().see("Your draft is back", "orders").keys(leaveKey).see("draft kept", "The question stays open.")
	if draft, _, err := r.desk.Draft(t.Context(), rec.ID); err != nil || len(draft.Answers) != 1 {
		t.Errorf("the draft is %+v, %v", draft, err)
	}
	disk.now.Store(true)
	r.answers().keys("2", leaveKey)
	typed("orders2")
	if err := r.m.saveDrafts(t.Context()); err == nil {
		t.Error("nothing is said of a draft that is lost")
	}
	disk.now.Store(false)
	if err := r.m.saveDrafts(t.Context()); err != nil {
		t.Error(err)
	}
	if draft, _, err := r.desk.Draft(t.Context(), rec.ID); err != nil || draft.Answers[0].Custom != "orders2" {
		t.Errorf("the draft is %+v, %v", draft, err)
	}
}

// slow is a store that takes no draft before its gate opens.
type slow struct {
	store.Store
	gate chan struct{}
}

func (s *slow) Note(ctx context.Context, id string, note store.Note, change func([]byte) ([]byte, error)) error {
	if note == store.Draft {
		<-s.gate
	}
	return s.Store.Note(ctx, id, note, change)
}

// TestReopenedBeforeSaved: what was typed is there again when the form is, also
// when the store has not taken it yet.
func TestReopenedBeforeSaved(t *testing.T) {
	r := newRig(t, 80, 24)
	disk := &slow{Store: r.store, gate: make(chan struct{})}
	r.m.desk = desk.New(disk, desk.Options{Now: r.clock})
	rec := r.claude(name())
	r.open().answers().keys("orders", leaveKey).answers()
	shown := r.screen()
	close(disk.gate)
	if !strings.Contains(shown, "orders") {
		t.Fatalf("what was typed is not in the form:\n%s", shown)
	}
	r.keys(leaveKey)
	r.until("the draft", func() bool {
		draft, _, err := r.desk.Draft(t.Context(), rec.ID)
		return err == nil && draft.Answers[0].Custom == "orders"
	})
}

// TestGone: a question that ended in the moment it was opened is not opened.
func TestGone(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(name())
	r.open().later(time.Second)
	fetch := r.m.openForm(rec.ID)
	r.reply(rec, "web", answerText("name", "orders"))
	r.send(fetch())
	if r.m.answer != nil {
		t.Error("the form of a question that has ended is open")
	}
	r.see("answered on the web page")
}
