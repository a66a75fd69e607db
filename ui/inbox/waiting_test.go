package inbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
)

// TestLive: what agents ask and others answer shows up and goes by itself.
func TestLive(t *testing.T) {
	r := newRig(t, 80, 24).open().see("Nothing waits")
	first := r.claude(database())
	r.see("Which database", "1 waiting")
	r.claude(name())
	r.see("What is the service called?", "2 waiting")
	r.keys("down")
	r.reply(first, "tty", taken(database(), "pg"))
	r.see("1 waiting")
	r.see("› ● Name").lacks("Which database")
}

// TestEndedWhileSelected: the selected record stays, and says who was first,
// until the cursor leaves it.
func TestEndedWhileSelected(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	r.claude(name())
	r.open()
	r.reply(first, "web", taken(database(), "pg"))
	r.see("answered on the web page", "1 waiting")
	r.keys("ctrl+x", "ctrl+d")
	if r.m.dismissal != nil {
		t.Error("a question that has ended can be dismissed")
	}
	r.keys("enter").see("Past question", "(•) PostgreSQL").keys("esc")
	r.keys("down")
	r.see("› ● Name").lacks("answered on")
	r.reply(r.m.waiting.selected().rec, "tty", answerText("name", "orders"))
	r.see("answered in a terminal").keys("down").see("Nothing waits") // the last of all
}

// TestEndedAndFilteredOut: what has ended is counted as waiting no more, and goes,
// when a filter takes the cursor off it.
func TestEndedAndFilteredOut(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	r.claude(name())
	r.open()
	r.reply(first, "web", taken(database(), "pg"))
	r.see("answered on the web page")
	r.keys("/", "called").see("1 of 1 waiting")
	r.keys("esc")
	r.see("1 waiting").lacks("answered on")
}

// TestEndedUnderForeignKeys: so it is when keys are put back that had led to it.
func TestEndedUnderForeignKeys(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.claude(name())
	last := r.claude(features())
	r.open().answers().keys("1", "enter").later(act.Quiet).see("Answer sent").later(act.Quiet)
	r.keys("down")
	r.reply(last, "web", taken(features(), "search"))
	r.see("answered on the web page").keys("ctrl+x")
	r.see("1 waiting").lacks("answered on")
}

// TestNowhere: a record that is nowhere any more is still shown as what it was, and
// one that cannot be read just now has not ended.
func TestNowhere(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.open().see("Which database")
	r.apart.Lose(rec.ID)
	r.send(tea.FocusMsg{})
	r.see("× Database: Which database", "Claude Code in shop", "failed", "0 waiting").keys("enter")
	r.see("Asked    21 Nov 2026 12:00:00", "Ended    failed, 21 Nov 2026 12:00:0")
}

// TestUnheard: what ended or was asked without an event is found when the
// terminal gets the focus.
func TestUnheard(t *testing.T) {
	r := newRig(t, 80, 24)
	gone, selected := r.claude(name()), r.claude(database())
	pending, err := r.desk.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	silent := make(chan desk.Event) // as if the file system told nothing
	t.Cleanup(func() { close(silent) })
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	r.run(r.m.startListening(silent, pending, nil))
	r.keys("down")
	for _, rec := range []desk.Record{gone, selected} {
		if _, err := r.desk.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "no more"}); err != nil {
			t.Fatal(err)
		}
	}
	r.claude(deploy())
	r.send(tea.FocusMsg{})
	r.see("withdrawn", "Deploy to production", "1 waiting")
	r.until("the ring", func() bool { return len(r.rung) > 0 })
	if got := strings.Join(r.rung, ", "); got != "ring deploy" {
		t.Errorf("rung: %s", got)
	}
	r.see("› × Database").lacks("What is the service")
}

// TestDetached: that the asker has gone is shown, in the list and in an open form; that
// one waits again is shown at the next look.
func TestDetached(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.open().see("› ● Database")
	r.waits[rec.ID].Release()
	r.see("› ○ Database", "The agent is not waiting; it will get your answer.")
	again, err := r.desk.Attend(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	r.send(tea.FocusMsg{})
	r.see("› ● Database").answers()
	again.Release()
	r.see("The agent is not waiting")
}

// TestElsewhere: where else a question is shown, and where it could not be.
func TestElsewhere(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.open()
	if err := r.desk.SetShown(t.Context(), rec.ID, []desk.Showing{{Surface: "elicit", Why: "the host declined"}, {Surface: "pane"}}); err != nil {
		t.Fatal(err)
	}
	r.see("also in a pane").keys("i").see("not in the agent's own form: the host declined")
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
	for i := range 20 {
		q := name()
		q.Text = fmt.Sprint(i)
		r.claude(q)
	}
	r.see("21 waiting")
	r.until("the ring", func() bool { return len(r.rung) > 0 })
	r.later(ringPause)
	r.claude(deploy())
	r.until("the second ring", func() bool { return len(r.rung) > 1 })
	if got := strings.Join(r.rung, ", "); got != "ring name, ring deploy" {
		t.Errorf("rung: %s", got)
	}
}

// TestDismiss closes a question with a reason, after asking back.
func TestDismiss(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	second := r.claude(name())
	r.open()
	r.keys("ctrl+x", "quite", "esc").see("2 waiting") // the q is text
	r.keys("ctrl+x", "ctrl+u", "not now", "enter").see("Dismissed.", "1 waiting")
	rec, err := r.desk.Get(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if o := rec.Outcome; o == nil || o.Status != desk.Dismissed || o.Reply.Reason != "not now" || o.Surface != Name {
		t.Errorf("the outcome is %+v", rec.Outcome)
	}
	if s := r.m.waiting.selected(); s == nil || s.rec.ID != second.ID {
		t.Errorf("selected is %+v", s)
	}
}

// TestDismissTooLate: another answer arrives while the reason is being typed. What
// is typed after that does nothing.
func TestDismissTooLate(t *testing.T) {
	r := newRig(t, 80, 24)
	first := r.claude(database())
	r.claude(name())
	r.open().keys("ctrl+x", "no")
	r.reply(first, "tty", taken(database(), "pg"))
	r.see("Already answered in a terminal.")
	r.keys("t, quite, d", "enter")
	if r.m.notice == "" || r.quit || r.m.dismissal != nil {
		t.Fatalf("a key that was meant for the reason did something:\n%s", r.screen())
	}
	r.later(act.Quiet).keys("enter").see("[Waiting]", "answered in a terminal")
}

// TestMany: with 200 questions every one can be reached, and only those in
// sight are drawn.
func TestMany(t *testing.T) {
	r := newRig(t, 80, 24)
	for i := range 200 {
		q := chinese()
		q.Header = fmt.Sprint("第 ", i)
		r.claude(q)
		r.later(time.Second)
	}
	last := r.claude(name())
	began := time.Now()
	r.open().see("201 waiting")
	t.Logf("opened after %s", time.Since(began))
	seen := map[string]bool{}
	for range 201 {
		r.m.View()
		for _, x := range r.m.waiting.shown {
			seen[x.row.rec.ID] = true
		}
		r.keys("down")
	}
	if len(seen) != 201 {
		t.Errorf("%d of 201 were in sight", len(seen))
	}
	if !strings.Contains(r.screen(), "› ● Name") || r.m.waiting.selected().rec.ID != last.ID {
		t.Errorf("the end of the list is\n%s", r.screen())
	}
	r.claude(deploy())
	r.see("202 waiting")
	if r.m.waiting.selected().rec.ID != last.ID {
		t.Error("a new question moved the selection")
	}
}

// TestTime: ages and times left are kept true with one timer, and none runs
// while a form is open.
func TestTime(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.later(10 * time.Second)
	r.open().see("now")
	if got := r.m.ages.At.Sub(r.clock()); got != 50*time.Second {
		t.Errorf("the next look at the clock is in %s, want 50 s", got)
	}
	r.m.waiting.rows[0].deadline = r.clock().Add(30 * time.Second)
	r.send(nil)
	if got := r.m.ages.At.Sub(r.clock()); got != time.Second {
		t.Errorf("in a countdown the next look at the clock is in %s, want 1 s", got)
	}
	r.later(30 * time.Second).see("time is up")
	r.m.waiting.rows[0].rec.Attended = false // so that no process ends it
	r.lacks("time is up")
	r.answers()
	r.m.ages.At = time.Time{}
	r.send(nil)
	if !r.m.ages.At.IsZero() {
		t.Error("a timer runs while a form is open")
	}
}

// TestBrokenDesk: a desk that cannot be read is said, and tried again.
func TestBrokenDesk(t *testing.T) {
	r := newRig(t, 40, 10)
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	_ = r.m.startListening(nil, nil, desk.ErrDamaged)
	r.see("! Questions cannot be read")
	checkScreen(t, r)
	r.run(r.m.connect)
	rec := r.claude(database())
	r.see(question.Line(rec.Questions[0].Header))
	r.lacks("cannot be read")
}
