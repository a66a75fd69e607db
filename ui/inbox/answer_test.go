package inbox

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
)

// TestAnswer: the form's reply is on the desk, and the list goes on. The reply says how long the
// question was in front of the user.
func TestAnswer(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	second := r.claude(name())
	r.open().answers().later(5*time.Second).keys("2", "enter").see("Answer sent.", "1 waiting", "› ● Name")
	o := r.get(first).Outcome
	if o.Status != desk.Answered || o.Surface != Name || o.Reply.Answers[0].Selected[0] != "sqlite" || r.quit {
		t.Errorf("the outcome is %+v; quit %v", o, r.quit)
	}
	r.later(time.Second).opens("ctrl+x").later(3 * time.Second).keys("enter").see("Dismissed.")
	for rec, least := range map[*desk.Record]int64{&first: 5000, &second: 3000} {
		if took := r.get(*rec).Outcome.Took; took < least || took > least+1000 {
			t.Errorf("took %d ms, want %d", took, least)
		}
	}
}

// TestLateMessage: what a form's command leads to does not reach the form that
// is open by then.
func TestLateMessage(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(name())
	r.claude(database())
	r.open().answers()
	old := r.m.answer
	r.keys(form.ListKey, "down")
	r.answers()
	r.send(r.m.addressTo(old, leave)())
	if r.m.answer == old || r.m.answer == nil {
		t.Fatal("the wrong form is open")
	}
}

// keepsDrafts has the store of the inbox ask this before it keeps a draft.
func (r *rig) keepsDrafts(asks func() error) {
	r.apart.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method != "Note" || c.Note != store.Draft {
			return nil
		}
		return asks()
	})
}

// An answer that the shared desk does not take leaves its form open, and says so there; it is
// sent with the next Enter.
func TestUnsent(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.open()
	r.apart.FailAnswers(desk.ErrUnreachable)
	r.answers().keys("1", "enter").see("Not sent: the shared desk does not answer.", "send it again.")
	r.until("it is kept", func() bool {
		draft, _, err := r.desk.Draft(t.Context(), rec.ID)
		return err == nil && draft.Answers[0].Selected[0] == "pg"
	})
	r.apart.FailAnswers(nil)
	r.later(gate.Quiet).keys("enter").see("Answer sent.")
	if got := r.get(rec); got.State != desk.Answered {
		t.Errorf("the record is %+v", got)
	}
}

// What was typed is there again also where the desk has kept a dismissal that it could not send.
func TestUnsentDismissal(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(name())
	r.open().answers().keys("orders", form.ListKey).see("draft kept").answers()
	r.apart.FailAnswers(desk.ErrUnreachable)
	r.keys("ctrl+x", "enter").see("Not sent: the shared desk does not answer.").keys(form.ListKey)
	r.until("the draft to be kept", func() bool { return r.m.answer == nil && len(r.m.unsaved) == 0 })
	if got := r.draft(rec).Answers[0].Custom; got != "orders" {
		t.Errorf("the draft is %q", got)
	}
}

// TestUnkeptDraft: what was typed and cannot be kept is there again when the form
// is, and the user learns of it, at last when the inbox ends.
func TestUnkeptDraft(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(name())
	r.keepsDrafts(func() error { return errors.New("no space left") })
	r.open().answers().keys("orders", form.ListKey)
	r.until("the form to end", func() bool { return r.m.answer == nil })
	r.see("What you typed is kept only as long as this", "inbox is open: no space left")
	r.answers().see("Your draft is back", "orders").keys(form.ListKey).see("is open: no space left")
	if err := r.m.saveRest(t.Context()); err == nil {
		t.Error("nothing is said of a draft that is lost")
	}
	r.apart.Before(nil)
	r.answers().see("Your draft is back", "orders").keys(form.ListKey).see("draft kept", "The question stays open.")
	if got := r.draft(rec).Answers[0].Custom; got != "orders" {
		t.Errorf("the draft is %q", got)
	}
}

// TestSlowSave: a form that is opened again has what was typed, also when the store has not taken it yet. A save that
// the store is slow to take does not take the place of what was typed after it.
func TestSlowSave(t *testing.T) {
	r := newRig(t, 80, 24)
	first, saves := make(chan struct{}), atomic.Int32{}
	finish := sync.OnceFunc(func() { close(first) })
	t.Cleanup(finish) // also where the test fails: the rig waits for the save
	r.keepsDrafts(func() error {
		if saves.Add(1) == 1 {
			<-first
		}
		return nil
	})
	rec := r.claude(name())
	r.open().answers().keys("orders", form.ListKey).answers().keys("!").later(time.Second)
	r.keys(form.ListKey)
	r.until("the first save to begin", func() bool { return saves.Load() > 0 })
	time.AfterFunc(100*time.Millisecond, finish) // once the others would have been done
	r.until("the last draft", func() bool {
		idle := r.m.writes.TryLock()
		if idle {
			r.m.writes.Unlock()
		}
		return idle && len(r.m.unsaved) == 0
	})
	if got := r.draft(rec).Answers[0].Custom; got != "orders!" {
		t.Errorf("kept is %q", got)
	}
}

// TestSentNote: a look at the desk that began before an answer was sent does not make it that of another.
func TestSentNote(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	before := []*row{newRow(rec)}
	r.open()
	for _, keys := range [][]string{{"1", "enter"}, {"ctrl+x", "enter"}} {
		r.later(time.Second).answers().keys(keys...)
		r.until("the form to end", func() bool { return r.m.answer == nil })
		sent := r.m.note
		r.m.show(before, nil)
		r.m.show(nil, []*row{newRow(r.get(rec))})
		if r.m.note != sent {
			t.Errorf("%q became %q", sent, r.m.note)
		}
		rec = r.claude(database())
		before = []*row{newRow(rec)}
		r.see("1 waiting")
	}
}

// TestGone: a question that ended in the moment it was opened, or once it was read for that, is not opened.
func TestGone(t *testing.T) {
	r := newRig(t, 80, 24)
	first, second := r.claude(name()), r.claude(database())
	r.open().later(time.Second)
	fetch := r.m.openForm(first.ID)
	r.reply(first, "web", answerText("name", "orders"))
	r.send(fetch())
	r.see("answered on the web page", "1 waiting")
	show := r.m.openForm(second.ID)()
	r.reply(second, "web", taken(database(), "pg"))
	r.see("Nothing waits for you").send(show)
	r.until("the question to be read again", func() bool { return !r.m.opening })
	if r.m.answer != nil {
		t.Error("the form of a question that has ended is open")
	}
}
