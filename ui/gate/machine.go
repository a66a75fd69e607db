package gate

import (
	"slices"
	"time"
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

// Verdict says what to do with a key, or with the one that was held.
type Verdict int

// The verdicts.
const (
	Ignore   Verdict = iota // discard it, or nothing to do
	Pass                    // it counts
	Begin                   // it counts, and is its run's first: save the state before it
	Hold                    // it may count: wait for Tick
	Rollback                // discard it and go back to the state saved at the last Begin
)

// phase is what a Machine does with keys.
type phase int

const (
	blank         phase = iota // nothing is shown
	awaitingQuiet              // keys are discarded
	listening                  // keys count
	holding                    // an act settles
)

// Machine judges the keys for what is on the screen. The zero Machine shows
// nothing. One machine serves one keyboard, whatever is shown one after the
// other, so that it knows the keys just before. Its methods take the
// time, which must not run backwards, and are for one goroutine at a time.
type Machine struct {
	phase  phase
	origin Origin
	unseen bool

	quietEnd time.Time // end of the silence that awaitingQuiet or holding waits for
	delayed  bool      // one look for this silence was Late

	recent    []stroke // keys: the last, and all within Again of it
	marked    bool     // this run has changed something
	discarded bool     // a key was discarded since keys counted last
}

// stroke is a key and its time.
type stroke struct {
	key string
	at  time.Time
}

// Show says that something new is on the screen. A held act is dropped.
func (m *Machine) Show(now time.Time, o Origin) {
	m.origin, m.phase = o, listening
	m.marked, m.discarded = false, false
	if o == Appeared || m.unseen {
		m.awaitQuiet(now)
	}
}

// Seen says whether what is shown can be seen; at first it can. What comes into view
// again awaits quiet; a held act is dropped.
func (m *Machine) Seen(now time.Time, seen bool) {
	if seen != m.unseen {
		return
	}
	m.unseen = !seen
	if m.phase != blank {
		m.awaitQuiet(now)
	}
}

// Key takes a key or a paste. On Hold a later Tick says that it counts, unless
// another key arrives first.
func (m *Machine) Key(now time.Time, key string, kind Kind) Verdict {
	repeat := m.record(now, key)
	astray := kind == Stray && m.origin == Appeared
	early := m.phase == awaitingQuiet && (m.unseen || kind != Move) || m.phase == holding
	if early || astray && m.phase == listening {
		m.awaitQuiet(now)
		m.discarded = m.discarded || kind != Leave
	}
	switch {
	case kind == Leave:
		return Pass
	case astray && m.marked:
		m.marked = false
		return Rollback
	case m.phase == blank || early || kind == Stray || kind == Submit && repeat:
		return Ignore
	case kind == Submit:
		m.phase = holding
		m.setQuietEnd(now.Add(Settle))
		return Hold
	}
	return m.allow()
}

// Tick looks at the clock. It returns Pass or Begin once the act that is held has
// settled, and otherwise Ignore.
func (m *Machine) Tick(now time.Time) Verdict {
	end := m.Next()
	switch {
	case end.IsZero() || now.Before(end):
		return Ignore
	case now.Sub(end) > Late && !m.delayed:
		m.quietEnd, m.delayed = now.Add(Settle), true
		return Ignore
	}
	settled := m.phase == holding
	m.phase, m.discarded = listening, false
	if !settled {
		return Ignore
	}
	return m.allow()
}

// Next is when Tick must be called; zero for never. Every other call changes it.
func (m *Machine) Next() time.Time {
	if m.unseen || m.phase == blank || m.phase == listening {
		return time.Time{}
	}
	return m.quietEnd
}

// Waiting reports whether to say that keys do not count until the user pauses: one was
// discarded. A user who reads the question first never sees that.
func (m *Machine) Waiting() bool { return m.phase == awaitingQuiet && m.discarded && !m.unseen }

// awaitQuiet starts the wait for quiet anew.
func (m *Machine) awaitQuiet(now time.Time) {
	m.phase = awaitingQuiet
	m.setQuietEnd(now.Add(Quiet))
}

func (m *Machine) setQuietEnd(end time.Time) { m.quietEnd, m.delayed = end, false }

// allow lets a key change something.
func (m *Machine) allow() Verdict {
	first := !m.marked && m.origin == Appeared
	m.marked = true
	if first {
		return Begin
	}
	return Pass
}

// record adds a key, which may begin a run, and reports whether it is a repeat.
func (m *Machine) record(now time.Time, key string) (repeat bool) {
	if n := len(m.recent); n == 0 || now.Sub(m.recent[n-1].at) >= Quiet {
		m.marked = false
	}
	m.recent = slices.DeleteFunc(m.recent, func(s stroke) bool { return now.Sub(s.at) > Again })
	repeat = slices.ContainsFunc(m.recent, func(s stroke) bool { return s.key == key })
	m.recent = append(m.recent, stroke{key, now})
	return repeat
}
