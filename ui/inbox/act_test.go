package inbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/ui/gate"
)

const ms = time.Millisecond

// press presses one key, and lets time pass until the next.
func (r *rig) press(name string, pace time.Duration) *rig {
	r.t.Helper()
	r.send(termtest.Keys(name)[0])
	return r.later(pace)
}

// types presses the keys of a sentence; "\r" is Enter.
func (r *rig) types(sentence string, pace time.Duration) *rig {
	r.t.Helper()
	for _, k := range termtest.Messages(sentence) {
		r.send(k)
		r.later(pace)
	}
	return r
}

// afterAnAnswer is an inbox in which the first of n questions was answered a moment ago.
func afterAnAnswer(t *testing.T, n int) *rig {
	t.Helper()
	r := newRig(t, 80, 24)
	for i := range n {
		q := database()
		q.Text = fmt.Sprint(i+1, ". ", q.Text) // the same question would be one row
		r.claude(q)
	}
	return r.open().answers().press("2", 200*ms).press("enter", 150*ms).see("Answer sent.")
}

// pending is how many records wait on the desk.
func (r *rig) pending() int {
	r.t.Helper()
	records, err := r.desk.Pending(r.t.Context())
	fatal.If(r.t, err)
	return len(records)
}

// TestEnterAfterTheAnswer: Enter hammered at any pace answers one question at
// most; the list that comes after waits for a pause, and says so.
func TestEnterAfterTheAnswer(t *testing.T) {
	r := afterAnAnswer(t, 2)
	for range 10 {
		r.press("enter", 300*ms)
	}
	if r.m.answer != nil || r.pending() != 1 || !strings.Contains(r.screen(), "waiting for a pause in your typing") {
		t.Fatalf("%d wait of 1; the screen:\n%s", r.pending(), r.screen())
	}
	r.later(gate.Quiet).lacks("waiting for a pause")
	r.answers().press("2", 50*ms).press("enter", 150*ms).see("0 waiting")
}

// TestNavigationAfterTheAnswer: what moves about and looks works at once, and only
// what acts waits for a pause, which it does not put off.
func TestNavigationAfterTheAnswer(t *testing.T) {
	r := afterAnAnswer(t, 12)
	began, at := r.Now(), r.m.waiting.Index()
	for i := range 10 {
		if r.press("down", 50*ms); r.m.waiting.Index() != at+i+1 {
			t.Fatalf("arrow %d moved to row %d:\n%s", i+1, r.m.waiting.Index(), r.screen())
		}
	}
	r.lacks("waiting for a pause").later(gate.Quiet - r.Now().Sub(began)) // since the answer, not the arrows
	r.press("enter", 150*ms)
	r.until("the form", func() bool { return r.m.answer != nil })

	for keys, seen := range map[string]string{"tab": "[History]", "? esc": "[Waiting]", "right q": "[Waiting]"} {
		r := afterAnAnswer(t, 2)
		for key := range strings.FieldsSeq(keys) {
			r.press(key, 20*ms)
		}
		r.see(seen).lacks("waiting for a pause").press("enter", 20*ms).see("waiting for a pause")
	}
	r = afterAnAnswer(t, 2).press("q", 20*ms)
	r.until("the end", func() bool { return r.quit })
}

// TestLoneEnter: Enter alone answers nothing in the form that it opened, where the
// user has not gone to the question: after an answer, or in a list that was empty.
func TestLoneEnter(t *testing.T) {
	for name, begin := range map[string]func() *rig{
		"after an answer": func() *rig { return afterAnAnswer(t, 2) },
		"after a word that looks at it": func() *rig {
			return afterAnAnswer(t, 2).later(time.Second).types("it", 130*ms)
		},
		"in an empty list": func() *rig {
			r := newRig(t, 80, 24).open()
			r.claude(database())
			return r.see("Database")
		},
	} {
		r := begin().later(time.Second).answers()
		for _, typing := range termtest.LoneEnters(100) {
			for _, blow := range typing {
				r.later(blow.After)
				if blow.Keys == "\r" {
					r.press("enter", 150*ms)
				}
			}
		}
		if n := r.pending(); n != 1 || r.m.answer == nil || !strings.Contains(r.screen(), "Enter alone answers nothing") {
			t.Errorf("%s: %d wait of 1; the screen:\n%s", name, n, r.screen())
		}
		r.press("down", 200*ms).press("enter", 150*ms).see("0 waiting")
	}
}

// TestTypedOnAfterTheWithdrawal: a form is taken away when another answer was first. What
// the user types on into it leaves the notice where it is.
func TestTypedOnAfterTheWithdrawal(t *testing.T) {
	r := newRig(t, 80, 24)
	rec := r.claude(name())
	r.claude(deploy())
	r.open().answers().types("the order", 130*ms)
	r.reply(rec, "web", answerText("name", "orders"))
	r.see("Already answered on the web page.")
	r.types(" service\rquick\r", 130*ms).see("waiting for a pause").later(time.Second)
	r.types("x\r", 130*ms).later(time.Second) // after the pause a word is no deliberate act either
	if r.m.notice == "" || r.quit || r.pending() != 1 {
		t.Errorf("a key that was meant for the form did something:\n%s", r.screen())
	}
	r.press("enter", 150*ms).see("[Waiting]")
}

// TestForeignKeyTakesBack: in a list that appeared by itself a word that goes on
// with no key of the list's undoes what its first letters did.
func TestForeignKeyTakesBack(t *testing.T) {
	r := afterAnAnswer(t, 4).keys("j").later(time.Second)
	selected := r.m.waiting.selected()
	r.types("kjgdoing it?\r", 130*ms) // d begins many words: no letter but x opens anything to type in
	if r.m.covered() || r.m.typing != nil || r.m.waiting.selected() != selected || r.pending() != 3 {
		t.Fatalf("the screen:\n%s", r.screen())
	}
	r.see("waiting for a pause").later(time.Second).press("enter", 150*ms) // alone
	r.until("the form", func() bool { return r.m.answer != nil })
}
