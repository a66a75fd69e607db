package gate

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/internal/termtest"
)

// host is a Bubble Tea program without a terminal: a clock, timers, and a model
// that holds a page behind a gate.
type host struct {
	page
	*termtest.Clock
	t     *testing.T
	gate  *Gate
	taken []string
}

// newHost is a host whose page appears by itself, or was opened.
func newHost(t *testing.T, what string, o Origin) *host {
	h := &host{t: t, page: page{what: what, led: true}, Clock: termtest.NewClock(at(0))}
	h.gate = NewGate(h.Now, h.After)
	h.gate.Show(o)
	return h
}

// Kind implements Page.
func (h *host) Kind(msg tea.Msg) Kind {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		return h.kind(key.String())
	}
	return h.kind("paste")
}

// Keep implements Page.
func (h *host) Keep() func() {
	was := h.page
	return func() { h.page = was }
}

func (h *host) send(msg tea.Msg) {
	msg, _ = h.gate.Update(msg, h)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if answer := h.press(msg.String()); answer != "" {
			h.taken = append(h.taken, answer)
		}
	case tea.PasteMsg:
		h.text += msg.Content
	}
}

// wait lets time pass, and the timers fire.
func (h *host) wait(d time.Duration) { h.Pass(d, h.send) }

func key(name string) tea.KeyPressMsg {
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "ctrl+c":
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func (h *host) want(picked int, taken ...string) {
	h.t.Helper()
	if h.picked != picked || !slices.Equal(h.taken, taken) {
		h.t.Fatalf("at %v: picked %b, taken %v; want %b, %v", h.Now(), h.picked, h.taken, picked, taken)
	}
}

func TestGateTakesADigitAndEnter(t *testing.T) {
	h := newHost(t, "list", Appeared)
	h.wait(600 * ms)
	h.send(key("2"))
	h.want(2)
	h.wait(60 * ms)
	h.send(key("enter"))
	h.wait(119 * ms)
	h.want(2)
	h.wait(ms)
	h.want(2, "2")
}

func TestGateTakesBackASentence(t *testing.T) {
	h := newHost(t, "list", Appeared)
	h.wait(100 * ms)
	for _, c := range "it fast, 2 " {
		h.send(key(string(c)))
		h.wait(100 * ms)
	}
	if !h.gate.Waiting() {
		t.Fatal("does not say that it waits")
	}
	h.wait(second)
	if h.gate.Waiting() {
		t.Fatal("waits after a pause")
	}
	h.send(key("2"))
	h.want(2)
	h.send(key("x"))
	h.want(0)
	h.send(key("enter"))
	h.wait(second)
	h.want(0)
	if n := h.Timers(); n > 1 {
		t.Errorf("%d timers at once", n)
	}
}

func TestGatePastes(t *testing.T) {
	h := newHost(t, "text", Appeared)
	h.send(tea.PasteMsg{Content: "early"})
	h.wait(second)
	h.send(tea.PasteMsg{Content: "two\nlines\n"})
	h.wait(second)
	if h.text != "two\nlines\n" || h.taken != nil {
		t.Fatalf("text %q, taken %v", h.text, h.taken)
	}
	h = newHost(t, "list", Appeared)
	h.wait(second)
	h.send(key("2"))
	h.send(tea.PasteMsg{Content: "two\nlines\n"})
	h.want(0)
}

// acts is a page to which all is an act.
type acts struct{ *host }

func (acts) Kind(tea.Msg) Kind { return Submit }

func TestGateNeverTakesAPasteForAnAct(t *testing.T) {
	h := newHost(t, "list", Opened)
	if msg, cmd := h.gate.Update(tea.PasteMsg{Content: "\n"}, acts{h}); msg != nil || cmd != nil {
		t.Fatalf("%v", msg)
	}
}

// Where the terminal tells a repeat, also the first and only one is known.
func TestGateKnowsARepeat(t *testing.T) {
	h := newHost(t, "confirm", Appeared)
	h.wait(660 * ms)
	again := key("enter")
	again.IsRepeat = true
	h.send(again)
	h.wait(second)
	h.want(0)
	h.send(key("enter"))
	h.wait(second)
	h.want(0, "1")
}

// A model that has gone took the timer's message with it: the next one, behind
// the same gate, is not left deaf.
func TestGateSurvivesALostTimer(t *testing.T) {
	h := newHost(t, "list", Opened)
	h.send(key("enter"))
	h.Forget()
	h.gate.Show(Appeared)
	h.wait(600 * ms)
	h.Forget()
	h.wait(second)
	h.send(key("enter"))
	h.wait(second)
	h.want(0, "1")
}

// The timer of what was shown before tells the gate nothing.
func TestGateKeepsTimersApart(t *testing.T) {
	h := newHost(t, "list", Appeared)
	h.wait(500 * ms)
	h.gate.Show(Appeared)
	h.wait(101 * ms)
	h.send(key("2"))
	h.want(0)
	h.wait(600 * ms)
	h.send(key("2"))
	h.want(2)
}

func TestGateUnseen(t *testing.T) {
	h := newHost(t, "confirm", Opened)
	h.send(key("enter"))
	h.gate.Seen(false)
	h.wait(second)
	h.send(key("enter"))
	h.wait(second)
	h.gate.Seen(true)
	h.wait(599 * ms)
	h.send(key("enter"))
	h.wait(second)
	h.want(0)
	h.send(key("enter"))
	h.wait(second)
	h.want(0, "1")
}

func TestGateOwnTimer(t *testing.T) {
	g := NewGate(time.Now, nil)
	if g.Show(Appeared) == nil || g.Show(Opened) != nil {
		t.Fatal("a timer runs for the wrong one")
	}
}
