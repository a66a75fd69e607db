package gate

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// acts is a page to which all is an act.
type acts struct{ *rig }

func (acts) Kind(tea.Msg) Kind { return Submit }

// A paste is text where there is text to type, a stray key elsewhere, and never an act.
func TestGatePastes(t *testing.T) {
	r := newRig(Appeared, page{text: true})
	r.send(tea.PasteMsg{Content: "early"})
	r.wait(second)
	r.send(tea.PasteMsg{Content: "two\nlines\n"})
	r.wait(second)
	if r.typed != "two\nlines\n" || r.taken != nil {
		t.Fatalf("text %q, taken %v", r.typed, r.taken)
	}
	r = newRig(Appeared, page{led: true})
	r.wait(second)
	r.keys("2")
	r.send(tea.PasteMsg{Content: "two\nlines\n"})
	r.want(t, "")
	r = newRig(Opened, page{led: true})
	if msg, cmd := r.gate.Update(tea.PasteMsg{Content: "\n"}, acts{r}); msg != nil || cmd != nil {
		t.Fatalf("%v", msg)
	}
}

// Where the terminal tells a repeat, also the first and only one is known.
func TestGateKnowsARepeat(t *testing.T) {
	r := newRig(Appeared, page{led: true})
	r.wait(660 * ms)
	r.send(tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true})
	r.wait(second)
	r.want(t, "")
	r.keys("enter")
	r.wait(second)
	r.want(t, "", "1")
}

// A model that has gone took the timer's message with it: the next one, behind the same gate, is not
// left deaf. The timer of what was shown before tells the gate nothing.
func TestGateKeepsTimersApart(t *testing.T) {
	r := newRig(Opened, page{led: true})
	r.keys("enter")
	r.Forget()
	r.gate.Show(Appeared)
	r.wait(600 * ms)
	r.Forget()
	r.wait(second)
	r.keys("enter")
	r.wait(second)
	r.want(t, "", "1")

	r = newRig(Appeared, page{led: true})
	r.wait(500 * ms)
	r.gate.Show(Appeared)
	r.wait(101 * ms)
	r.keys("2")
	r.want(t, "")
	r.wait(600 * ms)
	r.keys("2")
	r.want(t, "2")
}

func TestGateOwnTimer(t *testing.T) {
	g := NewGate(time.Now, nil)
	if g.Show(Appeared) == nil || g.Show(Opened) != nil {
		t.Fatal("a timer runs for the wrong one")
	}
}
