package gate

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/internal/termtest"
)

// led is a page whose cursor the user has moved.
func led(what string) page { return page{what: what, led: true} }

func TestGateTakesBackASentence(t *testing.T) {
	r := newRig(Appeared, led("list"))
	for _, key := range termtest.Messages("it fast, 2 ") {
		r.wait(100 * ms)
		r.send(key)
	}
	if !r.gate.Waiting() {
		t.Fatal("does not say that it waits")
	}
	r.wait(second)
	if r.gate.Waiting() {
		t.Fatal("waits after a pause")
	}
	r.keys("2")
	r.want(t, 2)
	r.keys("x")
	r.want(t, 0)
	r.keys("enter")
	if n := r.Timers(); n > 1 {
		t.Errorf("%d timers at once", n)
	}
	r.wait(second)
	r.want(t, 0)
}

// acts is a page to which all is an act.
type acts struct{ *rig }

func (acts) Kind(tea.Msg) Kind { return Submit }

// A paste is text where there is text to type, a stray key elsewhere, and never an act.
func TestGatePastes(t *testing.T) {
	r := newRig(Appeared, led("text"))
	r.send(tea.PasteMsg{Content: "early"})
	r.wait(second)
	r.send(tea.PasteMsg{Content: "two\nlines\n"})
	r.wait(second)
	if r.text != "two\nlines\n" || r.taken != nil {
		t.Fatalf("text %q, taken %v", r.text, r.taken)
	}
	r = newRig(Appeared, led("list"))
	r.wait(second)
	r.keys("2")
	r.send(tea.PasteMsg{Content: "two\nlines\n"})
	r.want(t, 0)
	r = newRig(Opened, led("list"))
	if msg, cmd := r.gate.Update(tea.PasteMsg{Content: "\n"}, acts{r}); msg != nil || cmd != nil {
		t.Fatalf("%v", msg)
	}
}

// Where the terminal tells a repeat, also the first and only one is known.
func TestGateKnowsARepeat(t *testing.T) {
	r := newRig(Appeared, led("confirm"))
	r.wait(660 * ms)
	r.send(tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true})
	r.wait(second)
	r.want(t, 0)
	r.keys("enter")
	r.wait(second)
	r.want(t, 0, "1")
}

// A model that has gone took the timer's message with it: the next one, behind the same gate, is not
// left deaf. The timer of what was shown before tells the gate nothing.
func TestGateKeepsTimersApart(t *testing.T) {
	r := newRig(Opened, led("list"))
	r.keys("enter")
	r.Forget()
	r.gate.Show(Appeared)
	r.wait(600 * ms)
	r.Forget()
	r.wait(second)
	r.keys("enter")
	r.wait(second)
	r.want(t, 0, "1")

	r = newRig(Appeared, led("list"))
	r.wait(500 * ms)
	r.gate.Show(Appeared)
	r.wait(101 * ms)
	r.keys("2")
	r.want(t, 0)
	r.wait(600 * ms)
	r.keys("2")
	r.want(t, 2)
}

func TestGateUnseen(t *testing.T) {
	r := newRig(Opened, led("confirm"))
	r.keys("enter")
	r.gate.Seen(false)
	r.wait(second)
	r.keys("enter")
	r.wait(second)
	r.gate.Seen(true)
	r.wait(599 * ms)
	r.keys("enter")
	r.wait(second)
	r.want(t, 0)
	r.keys("enter")
	r.wait(second)
	r.want(t, 0, "1")
}

func TestGateOwnTimer(t *testing.T) {
	g := NewGate(time.Now, nil)
	if g.Show(Appeared) == nil || g.Show(Opened) != nil {
		t.Fatal("a timer runs for the wrong one")
	}
}
