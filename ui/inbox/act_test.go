package inbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
)

const ms = time.Millisecond

// press presses one key, and lets time pass until the next.
func (r *rig) press(name string, pace time.Duration) *rig {
	r.t.Helper()
	r.send(termtest.Keys(name)[0])
	return r.later(pace)
}

// types presses the keys of a sentence; ⏎ is Enter.
func (r *rig) types(sentence string, pace time.Duration) *rig {
	r.t.Helper()
	for _, c := range sentence {
		switch c {
		case '⏎':
			r.press("enter", pace)
		case ' ':
			r.press("space", pace)
		default:
			r.press(string(c), pace)
		}
	}
	return r
}

// pending is how many records wait on the desk.
func (r *rig) pending() int {
	r.t.Helper()
	records, err := r.desk.Pending(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return len(records)
}

// TestHeldEnter: Enter held down, on the list or in a form, answers nothing,
// let alone two questions in a row.
func TestHeldEnter(t *testing.T) {
	for _, hertz := range []time.Duration{12, 25, 40} {
		t.Run(fmt.Sprint(int64(hertz), " Hz"), func(t *testing.T) {
			r := newRig(t, 80, 24)
			r.claude(database())
			r.claude(database())
			r.open().press("enter", 500*ms)
			r.until("the form", func() bool { return r.m.answer != nil })
			for range 3 * hertz {
				r.press("enter", time.Second/hertz)
			}
			r.later(time.Second)
			if n := r.pending(); n != 2 || r.m.answer == nil {
				t.Errorf("%d wait of 2; the screen:\n%s", n, r.screen())
			}
		})
	}
}

// TestEnterAfterTheAnswer: Enter hammered at any pace answers one question at
// most; the list that comes after waits for a pause, and says so.
func TestEnterAfterTheAnswer(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.claude(database())
	r.open().answers().press("1", 200*ms).press("enter", 200*ms)
	r.see("Answer sent.")
	for range 10 {
		r.press("enter", 300*ms)
	}
	if r.m.answer != nil || r.pending() != 1 || !strings.Contains(r.screen(), "waiting for a pause in your typing") {
		t.Fatalf("%d wait of 1; the screen:\n%s", r.pending(), r.screen())
	}
	r.later(gate.Quiet)
	if strings.Contains(r.screen(), "waiting for a pause") {
		t.Errorf("still says that it waits:\n%s", r.screen())
	}
	r.answers().press("2", 50*ms).press("enter", 150*ms).see("0 waiting")
}

// TestNavigationAfterTheAnswer: what moves about and looks works at once, and only
// what acts waits for a pause, which it does not put off.
func TestNavigationAfterTheAnswer(t *testing.T) {
	answered := func() *rig {
		r := newRig(t, 80, 24)
		for range 12 {
			r.claude(database())
		}
		return r.open().answers().press("2", 200*ms).press("enter", 150*ms).see("Answer sent.")
	}
	r := answered()
	began, at := r.clock(), r.m.waiting.Index()
	for i := range 10 {
		if r.press("down", 50*ms); r.m.waiting.Index() != at+i+1 {
			t.Fatalf("arrow %d moved to row %d:\n%s", i+1, r.m.waiting.Index(), r.screen())
		}
	}
	r.lacks("waiting for a pause").later(gate.Quiet - r.clock().Sub(began)) // since the answer, not the arrows
	r.press("enter", 150*ms)
	r.until("the form", func() bool { return r.m.answer != nil })

	for keys, seen := range map[string]string{
		"tab": "[History]", "tab tab": "[Waiting]", "?": "its agent waits for the answer", "? esc": "[Waiting]", "right": "Session", "right q": "[Waiting]", "pgdown": "[Waiting]", "j k": "[Waiting]",
	} {
		r := answered()
		for key := range strings.FieldsSeq(keys) {
			r.press(key, 20*ms)
		}
		r.see(seen).lacks("waiting for a pause").press("enter", 20*ms)
		if reads := keys == "?" || keys == "right"; reads == strings.Contains(r.screen(), "waiting for a pause") {
			t.Errorf("%s: Enter is not held back:\n%s", keys, r.screen())
		}
	}
	r = answered().press("q", 400*ms)
	r.until("the end", func() bool { return r.quit })
	if r := answered().press("q", 100*ms).press("u", time.Second); r.quit {
		t.Error("a word that begins with q quits")
	}
}

// TestLoneEnter: Enter alone answers nothing in the form that it opened, where the
// user has not gone to the question: after an answer or a dismissal, or in a list that
// was empty.
func TestLoneEnter(t *testing.T) {
	for name, begin := range map[string]func(r *rig){
		"after an answer": func(r *rig) {
			r.claude(database())
			r.claude(database())
			r.open().answers().press("2", 200*ms).press("enter", 150*ms).see("Answer sent.")
		},
		"after a dismissal": func(r *rig) {
			r.claude(database())
			r.claude(database())
			r.open().opens("ctrl+x").press("enter", time.Second).see("Dismissed.")
		},
		"after a word whose last letter moves": func(r *rig) {
			r.claude(database())
			r.claude(database())
			r.open().answers().press("2", 200*ms).press("enter", 150*ms).see("Answer sent.").types("bug", 130*ms)
		},
		"after a word that looks at it": func(r *rig) {
			r.claude(database())
			r.claude(database())
			r.open().answers().press("2", 200*ms).press("enter", 150*ms).see("Answer sent.").later(time.Second).types("it", 130*ms)
		},
		"in an empty list": func(r *rig) {
			r.open()
			r.claude(database())
			r.see("Database")
		},
	} {
		r := newRig(t, 80, 24)
		begin(r)
		r.later(time.Second).answers()
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
	r := newRig(t, 80, 24)
	for range 3 {
		r.claude(database())
	}
	r.open().answers().press("2", 200*ms).press("enter", 150*ms).see("Answer sent.").press("down", time.Second).answers()
	r.press("enter", 150*ms).see("Enter alone answers nothing") // also where the user has gone to the question
}

// TestTypedOnAfterTheAnswer: the user answers and types on, to whatever they
// believe has the keyboard.
func TestTypedOnAfterTheAnswer(t *testing.T) {
	for _, sentence := range []string{"make it quick, do delete 2⏎", "d⏎", "q⏎", "⏎2⏎y⏎", "yes, do⏎"} {
		for _, pace := range []time.Duration{80 * ms, 130 * ms, 200 * ms} {
			r := newRig(t, 80, 24)
			r.claude(database())
			r.claude(deploy())
			r.open().answers().press("2", 200*ms).press("enter", 200*ms).see("Answer sent.")
			r.types(sentence, pace).later(time.Second)
			if n := r.pending(); n != 1 || r.quit || r.m.covered() {
				t.Errorf("%q at %v: %d wait of 1, quit %v; the screen:\n%s", sentence, pace, n, r.quit, r.screen())
			}
		}
	}
}

// TestTypedOnAfterTheWithdrawal: what the user types on into a form that is
// gone leaves the notice where it is.
func TestTypedOnAfterTheWithdrawal(t *testing.T) {
	for _, pace := range []time.Duration{80 * ms, 130 * ms, 200 * ms} {
		r := newRig(t, 80, 24)
		rec := r.claude(name())
		r.claude(deploy())
		r.open().answers().types("the order", pace)
		r.reply(rec, "web", answerText("name", "orders"))
		r.see("Already answered on the web page.")
		r.types(" service⏎quick⏎", pace).see("waiting for a pause").later(time.Second)
		if r.m.notice == "" || r.quit || r.pending() != 1 {
			t.Errorf("at %v:\n%s", pace, r.screen())
		}
		r.types("x⏎", pace).later(time.Second) // after the pause a word is no deliberate act either
		if r.m.notice == "" {
			t.Errorf("at %v:\n%s", pace, r.screen())
		}
		r.press("enter", 150*ms).see("[Waiting]")
	}
}

// TestForeignKeyTakesBack: in a list that appeared by itself a word that goes on
// with no key of the list's undoes what its first letters did.
func TestForeignKeyTakesBack(t *testing.T) {
	r := newRig(t, 80, 24)
	for range 3 {
		r.claude(database())
	}
	r.open().keys("j", "enter")
	r.until("the form", func() bool { return r.m.answer != nil })
	r.press("2", 200*ms).press("enter", 200*ms).see("Answer sent.").later(time.Second)
	selected := r.m.waiting.selected()
	r.types("kjgdoing it?⏎", 130*ms) // d begins many words: no letter but x opens anything to type in
	if r.m.covered() || r.m.typing != nil || r.m.waiting.selected() != selected || r.pending() != 2 {
		t.Fatalf("the screen:\n%s", r.screen())
	}
	r.see("waiting for a pause").later(time.Second).press("enter", 150*ms) // alone
	r.until("the form", func() bool { return r.m.answer != nil })
	r.keys("ctrl+l").run(r.m.Appear(gate.Appeared)) // as after an answer
	r.later(time.Second)
	selected = r.m.waiting.selected()
	r.types("k j z", 130*ms).later(time.Second)
	if r.m.covered() || r.m.typing != nil || r.m.waiting.selected() != selected {
		t.Errorf("not taken back:\n%s", r.screen())
	}
}

// TestUnseen: what is too small to be read takes no keys but Ctrl+C.
func TestUnseen(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.open().answers()
	r.w, r.h = 80, term.MinHeight-1
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	r.see("Too small").keys("2", "enter").later(time.Second)
	r.w, r.h = 80, term.MinHeight
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	r.keys("2", "enter").later(time.Second)
	if rec, _, err := r.desk.Draft(t.Context(), r.m.answer.rec.ID); err == nil || r.pending() != 1 {
		t.Errorf("a key counted: %+v, %d wait of 1", rec, r.pending())
	}
	r.keys("2", "enter").see("0 waiting")
}

// TestWaitingScreens: the list and the notice say that they wait for a pause.
func TestWaitingScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}} {
		r := newRig(t, size[0], size[1])
		first := r.claude(name())
		second := r.claude(database())
		r.open().answers().types("orders", 130*ms).press("enter", 200*ms).see("Answer sent.")
		r.types("and now", 130*ms)
		checkScreen(t, r)
		r.see("waiting for a pause")
		r.later(time.Second).answers()
		r.reply(second, "web", taken(database(), "pg"))
		r.see("Already").types("2", 130*ms)
		checkScreen(t, r)
		r.see("waiting for a pause")
		if rec, err := r.desk.Get(t.Context(), first.ID); err != nil || rec.State != desk.Answered {
			t.Errorf("the first is %+v, %v", rec, err)
		}
	}
}

// TestMeant: what is meant is taken 150 ms after the last key at the latest.
func TestMeant(t *testing.T) {
	for _, pace := range []time.Duration{5 * ms, 80 * ms, 200 * ms} {
		r := newRig(t, 80, 24)
		rec := r.claude(database())
		r.open().press("enter", 150*ms)
		r.until("the form", func() bool { return r.m.answer != nil })
		r.press("2", pace).press("enter", 150*ms).see("Answer sent.")
		got, err := r.desk.Get(t.Context(), rec.ID)
		if err != nil || got.Outcome.Reply.Answers[0].Selected[0] != "sqlite" {
			t.Errorf("the record is %+v, %v", got, err)
		}
	}
	r := newRig(t, 80, 24)
	rec := r.claude(database())
	r.open().opens("ctrl+x").types("not now", 80*ms).press("enter", 150*ms).see("Dismissed.")
	if got, err := r.desk.Get(t.Context(), rec.ID); err != nil || got.Outcome.Reply.Reason != "not now" {
		t.Errorf("the record is %+v, %v", got, err)
	}
}
