package gate

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Page is what is on the screen, as far as keys go.
type Page interface {
	// Kind says what a key or a paste means to it now.
	Kind(msg tea.Msg) Kind
	// Keep saves what is marked, typed and taken, and in which place; the
	// function it returns restores that.
	Keep() (back func())
}

// Gate passes or discards the keys for a Bubble Tea model: a [Machine] with its timer.
// One gate serves one terminal, whatever model is on it.
type Gate struct {
	m     Machine
	now   func() time.Time
	after func(time.Duration, tea.Msg) tea.Cmd
	armed time.Time // when the timer fires
	held  tea.Msg
	back  func()
}

// Tick is the message that it is time for a look at the clock. Every model passes it
// to Update.
type Tick struct{}

// NewGate returns a gate that shows nothing yet. After delivers a message when
// a time has passed; nil takes Bubble Tea's own timer.
func NewGate(now func() time.Time, after func(time.Duration, tea.Msg) tea.Cmd) *Gate {
	if after == nil {
		after = func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		}
	}
	return &Gate{now: now, after: after}
}

// After delivers a message when a time has passed.
func (g *Gate) After(d time.Duration, msg tea.Msg) tea.Cmd { return g.after(d, msg) }

// Show is [Machine.Show]. The command it returns must be run.
func (g *Gate) Show(o Origin) tea.Cmd {
	g.m.Show(g.now(), o)
	g.armed, g.held, g.back = time.Time{}, nil, nil // a model that has gone may have taken the timer's message with it
	return g.arm()
}

// Seen is [Machine.Seen]. The command it returns must be run.
func (g *Gate) Seen(seen bool) tea.Cmd {
	g.m.Seen(g.now(), seen)
	return g.arm()
}

// Origin is the origin of what is on the screen.
func (g *Gate) Origin() Origin { return g.m.origin }

// Waiting is [Machine.Waiting].
func (g *Gate) Waiting() bool { return g.m.Waiting() }

// Update takes any message and returns the one that the model is to handle
// now, nil for none: a key that counts, an act that was held until now, or what
// is neither a key, a paste nor [Tick]. The command must be run.
func (g *Gate) Update(msg tea.Msg, p Page) (tea.Msg, tea.Cmd) {
	now := g.now()
	var v Verdict
	switch event := msg.(type) {
	case tea.KeyPressMsg:
		if event.IsRepeat { // as some terminals tell
			g.m.record(now, event.String())
		}
		v = g.m.Key(now, event.String(), p.Kind(event))
	case tea.PasteMsg:
		kind := p.Kind(event)
		if kind != Edit {
			kind = Stray
		}
		v = g.m.Key(now, "paste", kind)
	case Tick:
		v = g.m.Tick(now)
		msg = g.held
	default:
		return msg, nil
	}
	return g.obey(v, msg, p), g.arm()
}

// obey does what a verdict says and returns the message that counts.
func (g *Gate) obey(v Verdict, msg tea.Msg, p Page) tea.Msg {
	switch v {
	case Begin:
		g.back = p.Keep()
		return msg
	case Pass:
		return msg
	case Hold:
		g.held = msg
	case Rollback:
		g.back()
	case Ignore:
	}
	return nil
}

// arm starts the timer, unless one runs that is no later: under one Show each silence
// ends later than the one before.
func (g *Gate) arm() tea.Cmd {
	now, next := g.now(), g.m.Next()
	if next.IsZero() || g.armed.After(now) && !next.Before(g.armed) {
		return nil
	}
	g.armed = next
	return g.after(next.Sub(now), Tick{})
}
