package inbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// TestEndedWhileSelected: a note says how the selected record ended. An Enter meant for it opens
// no other.
func TestEndedWhileSelected(t *testing.T) {
	for _, early := range []bool{false, true} { // before the end, or after it
		r := newRig(t, 80, 24)
		first := r.claude(database())
		r.claude(name())
		r.open()
		if early {
			r.press("enter", 0)
		}
		r.reply(first, "web", taken(database(), "pg"))
		r.see("Already answered on the web page.", "1 waiting", "› ● Name")
		if !early {
			r.press("enter", 200*ms)
		}
		r.later(500 * ms)
		if r.m.answer != nil || r.m.opening {
			t.Fatalf("another question is open:\n%s", r.screen())
		}
		r.later(gate.Quiet).answers().keys("enter").see("What is the service called?")
		if n := r.pending(); n != 1 {
			t.Errorf("%d wait of 1", n)
		}
	}
}

// TestNowhere: a record that is nowhere any more waits no more, and one that cannot be read
// just now has not ended.
func TestNowhere(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.open().see("Which database")
	r.apart.Lose(rec.ID)
	r.send(tea.FocusMsg{})
	r.see("The question is closed", "0 waiting")
}

// TestUnheard: what ended or was asked without an event is found when the
// terminal gets the focus.
func TestUnheard(t *testing.T) {
	r := newRig(t, 80, 24)
	gone, selected := r.claude(name()), r.claude(database())
	silent := make(chan desk.Event) // as if the file system told nothing
	t.Cleanup(func() { close(silent) })
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	r.m.events = silent
	r.m.look()
	r.run(r.m.listen())
	r.see("2 waiting").keys("down")
	for _, rec := range []desk.Record{gone, selected} {
		if _, err := r.desk.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "no more"}); err != nil {
			t.Fatal(err)
		}
	}
	r.claude(deploy())
	r.send(tea.FocusMsg{})
	r.see("The agent withdrew the question: no more.", "Deploy to production", "1 waiting")
	r.until("the ring", func() bool { return len(r.rung) > 0 })
	if !slices.Equal(r.rung, []string{"\a"}) {
		t.Errorf("rung: %q", r.rung)
	}
	r.lacks("What is the service")
}

// TestRing: a question that arrives rings, those that were there do not, and
// many at once ring once.
func TestRing(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.open()
	if len(r.rung) != 0 {
		t.Fatalf("rung when opened: %q", r.rung)
	}
	for i := range 5 {
		q := name()
		q.Text = fmt.Sprint(i)
		r.claude(q)
	}
	r.see("6 waiting")
	r.until("the ring", func() bool { return len(r.rung) > 0 })
	r.later(ringPause)
	r.claude(deploy())
	r.until("the second ring", func() bool { return len(r.rung) > 1 })
	if !slices.Equal(r.rung, []string{"\a", "\a"}) {
		t.Errorf("rung: %q", r.rung)
	}
}

// TestDismiss closes a question with a reason, after asking back. What is typed while the desk
// reads the question is the reason too.
func TestDismiss(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	second := r.claude(name())
	r.open().opens("ctrl+x").keys("quite", "esc", "esc").see("2 waiting") // the q is text
	r.send(termtest.Keys("ctrl+x")[0])
	for _, key := range termtest.Keys("ctrl+u", "not now") {
		r.send(key)
	}
	r.see("not now").later(200*ms).keys("enter").see("Dismissed.", "1 waiting")
	o := r.get(first).Outcome
	if o == nil || o.Status != desk.Dismissed || o.Reply.Reason != "not now" || o.Surface != Name {
		t.Errorf("the outcome is %+v", o)
	}
	if s := r.m.waiting.selected(); s == nil || s.rec.ID != second.ID {
		t.Errorf("selected is %+v", s)
	}
}

// TestTime: ages are drawn again while something waits and is on the screen, with one timer.
// None runs while nothing waits, or while a form is open.
func TestTime(t *testing.T) {
	r := newRig(t, 80, 24).open()
	if !r.m.alarm.IsZero() {
		t.Error("a timer runs while nothing waits")
	}
	rec := r.claude(database())
	r.see("now")
	if r.m.alarm.Sub(r.Now()) != time.Minute || r.m.tick() != nil {
		t.Error("not one timer")
	}
	open := &r.m.open[rec.ID].rec
	open.Timeout, open.CreatedAt = 30, r.Now()
	r.send(nil)
	if r.m.alarm.Sub(r.Now()) != time.Second {
		t.Error("the last seconds are not counted")
	}
	r.see("closes in 30 s").later(30 * time.Second).see("time is up").later(30 * time.Second).see("1 min")
	open.Attended = false // so that no process ends it
	r.lacks("time is up")
	r.answers()
	r.m.alarm = time.Time{}
	r.send(nil)
	if !r.m.alarm.IsZero() {
		t.Error("a timer runs while a form is open")
	}
}

// TestBrokenDesk: a desk that cannot be read is said, and tried again.
func TestBrokenDesk(t *testing.T) {
	r := newRig(t, 40, 10)
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	_ = r.m.retry(desk.ErrDamaged, nil)
	r.see("! Questions cannot be read")
	checkScreen(t, r)
	r.run(r.m.connect)
	rec := r.claude(database())
	r.see(question.Line(rec.Questions[0].Header))
	r.until("the fault to go", func() bool { return !strings.Contains(r.screen(), "cannot be read") })
}
