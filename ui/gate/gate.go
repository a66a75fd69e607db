package gate

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The figures of the rules. People type a sentence at 80 to 200 ms a key; key
// repeat starts after 250 to 660 ms and then comes every 25 to 83 ms.
const (
	// Quiet is how long no key may come before something that appeared by
	// itself listens: three keys of a slow typist.
	Quiet = 600 * time.Millisecond
	// Again is how soon the same key is a repeat: the slowest common rate is
	// 12 Hz, a key every 83 ms.
	Again = 150 * time.Millisecond
	// Settle is how long an act waits for a further key: longer than a repeat
	// takes at 12 Hz, too short to be noticed.
	Settle = 120 * time.Millisecond
	// Late is how much later than asked for a look at the clock proves nothing:
	// two frames of a busy terminal, well below Settle. Our own choice.
	Late = 50 * time.Millisecond
)

// Origin says why something is on the screen.
type Origin int

// The origins.
const (
	Appeared Origin = iota // by itself
	Opened                 // the user opened it
)

// Kind says what a key means to what is on the screen.
type Kind int

// The kinds.
const (
	// Edit, the default, moves, marks or types, or does anything else that sends nothing.
	// It never waits.
	Edit Kind = iota
	// Submit sends, takes a row, or turns a page by taking it.
	Submit
	// Stray means nothing here: a letter in a list, a paste where there is no
	// text to type. Where text is typed, no key is stray.
	Stray
	// Leave goes away without an answer and loses nothing, like Ctrl+C. It is
	// never discarded.
	Leave
	// Move moves about or looks, and leads to no act by itself. It needs no silence
	// before it, and restarts none.
	Move
)

// phase is what a gate does with keys.
type phase int

const (
	blank         phase = iota // nothing is shown
	awaitingQuiet              // keys are discarded
	listening                  // keys count
	holding                    // an act settles
)

// Page is what is on the screen, as far as keys go.
type Page interface {
	// Kind says what a key or a paste means to it now.
	Kind(msg tea.Msg) Kind
	// Keep saves what is marked, typed and taken, and in which place; the
	// function it returns restores that.
	Keep() (back func())
}

// Gate passes or discards the keys for a Bubble Tea model. One gate serves one keyboard, whatever
// models are shown one after the other, so that it knows the keys just before.
type Gate struct {
	now   func() time.Time
	after func(time.Duration, tea.Msg) tea.Cmd
	armed time.Time // when the timer fires

	phase  phase
	origin Origin
	unseen bool

	quietEnd time.Time // end of the silence that awaitingQuiet or holding waits for
	delayed  bool      // one look for this silence was Late

	recent    []stroke // keys: the last, and all within Again of it
	marked    bool     // this run has changed something
	back      func()   // takes back what it has changed
	held      tea.Msg  // the act that settles
	discarded bool     // a key was discarded since keys counted last
}

// stroke is a key and its time.
type stroke struct {
	key string
	at  time.Time
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

// Show says that something new is on the screen. A held act is dropped. The command it returns
// must be run.
func (g *Gate) Show(o Origin) tea.Cmd {
	g.origin, g.phase = o, listening
	g.marked, g.discarded = false, false
	if o == Appeared || g.unseen {
		g.awaitQuiet()
	}
	g.armed = time.Time{} // a model that has gone may have taken the timer's message with it
	return g.arm()
}

// Seen says whether what is shown can be seen; at first it can. What comes into view
// again awaits quiet; a held act is dropped. The command it returns must be run.
func (g *Gate) Seen(seen bool) tea.Cmd {
	changed := seen == g.unseen
	g.unseen = !seen
	if changed && g.phase != blank {
		g.awaitQuiet()
	}
	return g.arm()
}

// Waiting reports whether to say that keys do not count until the user pauses: one was
// discarded. A user who reads the question first never sees that.
func (g *Gate) Waiting() bool { return g.phase == awaitingQuiet && g.discarded && !g.unseen }

// Update takes any message and returns the one that the model is to handle
// now, nil for none: a key that counts, an act that was held until now, or what
// is neither a key, a paste nor [Tick]. The command must be run.
func (g *Gate) Update(msg tea.Msg, p Page) (tea.Msg, tea.Cmd) {
	switch event := msg.(type) {
	case tea.KeyPressMsg:
		repeat := g.record(event.String()) || event.IsRepeat // as some terminals tell
		msg = g.judge(event, p.Kind(event), repeat, p)
	case tea.PasteMsg:
		kind := p.Kind(event)
		if kind != Edit {
			kind = Stray
		}
		msg = g.judge(event, kind, g.record("paste"), p)
	case Tick:
		msg = g.look(p)
	default:
		return msg, nil
	}
	return msg, g.arm()
}

// judge returns a key or a paste that counts, nil for none. An act is held until it settles.
func (g *Gate) judge(key tea.Msg, kind Kind, repeat bool, p Page) tea.Msg {
	astray := kind == Stray && g.origin == Appeared
	early := g.phase == awaitingQuiet && (g.unseen || kind != Move) || g.phase == holding
	if early || astray && g.phase == listening {
		g.awaitQuiet()
		g.discarded = g.discarded || kind != Leave
	}
	switch {
	case kind == Leave:
		return key
	case astray && g.marked:
		g.marked = false
		g.back()
		return nil
	case g.phase == blank || early || kind == Stray || kind == Submit && repeat:
		return nil
	case kind == Submit:
		g.phase, g.held = holding, key
		g.setQuietEnd(Settle)
		return nil
	}
	return g.allow(key, p)
}

// look looks at the clock. It returns the act that is held once that has settled.
func (g *Gate) look(p Page) tea.Msg {
	now, end := g.now(), g.next()
	switch {
	case end.IsZero() || now.Before(end):
		return nil
	case now.Sub(end) > Late && !g.delayed:
		g.quietEnd, g.delayed = now.Add(Settle), true
		return nil
	}
	settled := g.phase == holding
	g.phase, g.discarded = listening, false
	if !settled {
		return nil
	}
	return g.allow(g.held, p)
}

// allow lets a key change something. What was before the first of its run is kept.
func (g *Gate) allow(key tea.Msg, p Page) tea.Msg {
	if !g.marked && g.origin == Appeared {
		g.back = p.Keep()
	}
	g.marked = true
	return key
}

// next is when to look at the clock; zero for never.
func (g *Gate) next() time.Time {
	if g.unseen || g.phase == blank || g.phase == listening {
		return time.Time{}
	}
	return g.quietEnd
}

// awaitQuiet starts the wait for quiet anew.
func (g *Gate) awaitQuiet() {
	g.phase = awaitingQuiet
	g.setQuietEnd(Quiet)
}

func (g *Gate) setQuietEnd(after time.Duration) { g.quietEnd, g.delayed = g.now().Add(after), false }

// record adds a key, which may begin a run, and reports whether it is a repeat.
func (g *Gate) record(key string) (repeat bool) {
	now := g.now()
	if n := len(g.recent); n == 0 || now.Sub(g.recent[n-1].at) >= Quiet {
		g.marked = false
	}
	g.recent = slices.DeleteFunc(g.recent, func(s stroke) bool { return now.Sub(s.at) > Again })
	repeat = slices.ContainsFunc(g.recent, func(s stroke) bool { return s.key == key })
	g.recent = append(g.recent, stroke{key, now})
	return repeat
}

// arm starts the timer, unless one runs that is no later: under one Show each silence
// ends later than the one before.
func (g *Gate) arm() tea.Cmd {
	now, next := g.now(), g.next()
	if next.IsZero() || g.armed.After(now) && !next.Before(g.armed) {
		return nil
	}
	g.armed = next
	return g.after(next.Sub(now), Tick{})
}
