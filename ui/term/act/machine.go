package act

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
	// Piece is the time after another key within which a line break is part of the
	// same paste: programs write a paste at once, or in parts a few milliseconds
	// apart; the quickest hand takes 30.
	Piece = 10 * time.Millisecond
	// Late is how much later than asked for a look at the clock proves nothing:
	// two frames of a busy terminal, well below Settle. Our own choice.
	Late = 50 * time.Millisecond
	// Word is how long a letter that quits waits for a further key: longer than the
	// slowest typist takes to the next of a word.
	Word = 300 * time.Millisecond
)

// Origin says how something came onto the screen.
type Origin int

// Who brought it there.
const (
	Appeared Origin = iota // it came by itself
	Opened                 // the human asked for it
)

// Kind says what a key means to what is on the screen.
type Kind int

// What a key can mean.
const (
	// Edit moves, marks or types. It never waits.
	Edit Kind = iota
	// Act sends, takes a row, or turns a page by taking it.
	Act
	// Foreign means nothing here: a letter in a list, a paste where there is no
	// text to type. Where text is typed, no key is foreign.
	Foreign
	// Leave goes away without an answer and loses nothing, like Ctrl+C. It is
	// never thrown away.
	Leave
	// Move moves about or looks, and leads to no act by itself. It needs no silence
	// before it, and starts none anew.
	Move
	// Quit is a letter that ends the program. It may begin a word, so it counts when
	// no further key arrives within Word. It needs no silence before it either.
	Quit
)

// Verdict says what to do.
type Verdict int

// What to do with a key, or with the one that was held.
const (
	Ignore   Verdict = iota // throw it away, or nothing to do
	Pass                    // it counts
	Begin                   // it counts, and is its burst's first: keep what stands before it
	Hold                    // it may count: wait for Tick
	Rollback                // throw it away and go back to what was kept at the last Begin
)

// phase is what a Machine does with keys.
type phase int

const (
	blank     phase = iota // nothing is shown
	deaf                   // waits for quiet
	listening              // keys count
	holding                // an act settles
)

// Machine judges the keys for what is on the screen. The zero Machine shows
// nothing. One machine serves one keyboard, whatever is shown one after the
// other, so that it knows of a key that came just before. Its methods take the
// time, which must not run backwards, and want one goroutine at a time.
type Machine struct {
	phase  phase
	origin Origin
	unseen bool

	due    time.Time // when the silence that deaf or holding waits for is over
	looked bool      // too late already once, for this silence

	held   string   // with holding: the act
	recent []stroke // the last, and all within Again of it
	marked bool     // this burst has changed something
	thrown bool     // a key was thrown away since it last listened
}

// stroke is a key that came.
type stroke struct {
	key string
	at  time.Time
}

// Show says that something new is on the screen. A held act is dropped.
func (m *Machine) Show(now time.Time, o Origin) {
	m.origin, m.phase = o, listening
	m.marked, m.thrown = false, false
	if o == Appeared || m.unseen {
		m.deafen(now)
	}
}

// Seen says whether what is shown can be seen, which it can unless told
// otherwise. Whatever comes into view again waits for quiet; a held act is
// dropped.
func (m *Machine) Seen(now time.Time, seen bool) {
	if seen != m.unseen {
		return
	}
	m.unseen = !seen
	if m.phase != blank {
		m.deafen(now)
	}
}

// Key takes a key or a paste. On Hold a later Tick hands it back, unless
// another key comes first.
func (m *Machine) Key(now time.Time, key string, kind Kind) Verdict {
	repeat := m.came(now, key)
	astray := kind == Foreign && m.origin == Appeared
	early := m.phase == deaf && (m.unseen || kind != Move && kind != Quit) || m.phase == holding
	if early || astray && m.phase == listening {
		m.deafen(now)
		m.thrown = m.thrown || kind != Leave
	}
	switch {
	case kind == Leave:
		return Pass
	case astray && m.marked:
		m.marked = false
		return Rollback
	case m.phase == blank || early || kind == Foreign || (kind == Act || kind == Quit) && repeat:
		return Ignore
	case kind == Act, kind == Quit:
		settled := now.Add(Settle)
		if kind == Quit {
			settled = now.Add(Word)
		}
		m.phase, m.held = holding, key
		m.await(settled)
		return Hold
	}
	return m.count()
}

// Tick looks at the clock. It returns the act that has settled, with Pass or
// Begin, and otherwise Ignore.
func (m *Machine) Tick(now time.Time) (key string, v Verdict) {
	due := m.Next()
	switch {
	case due.IsZero() || now.Before(due):
		return "", Ignore
	case now.Sub(due) > Late && !m.looked:
		m.due, m.looked = now.Add(Settle), true
		return "", Ignore
	}
	settled := m.phase == holding
	m.phase, m.thrown = listening, false
	if !settled {
		return "", Ignore
	}
	return m.held, m.count()
}

// Next is when Tick is to be called; zero for not at all. It changes with
// every other call.
func (m *Machine) Next() time.Time {
	if m.unseen || m.phase == blank || m.phase == listening {
		return time.Time{}
	}
	return m.due
}

// Waiting reports whether the human should be told that their keys do not count
// until they pause: it is deaf, and has thrown one away. Who waits for the
// question to be read first never sees it.
func (m *Machine) Waiting() bool { return m.phase == deaf && m.thrown && !m.unseen }

// Holding reports whether an act settles.
func (m *Machine) Holding() bool { return m.phase == holding }

// deafen starts the wait for quiet anew.
func (m *Machine) deafen(now time.Time) {
	m.phase = deaf
	m.await(now.Add(Quiet))
}

func (m *Machine) await(due time.Time) { m.due, m.looked = due, false }

// count lets a key change something.
func (m *Machine) count() Verdict {
	first := !m.marked && m.origin == Appeared
	m.marked = true
	if first {
		return Begin
	}
	return Pass
}

// came notes a key, of which a burst may begin, and reports whether it is a
// repeat.
func (m *Machine) came(now time.Time, key string) (repeat bool) {
	if n := len(m.recent); n == 0 || now.Sub(m.recent[n-1].at) >= Quiet {
		m.marked = false
	}
	m.recent = slices.DeleteFunc(m.recent, func(s stroke) bool { return now.Sub(s.at) > Again })
	repeat = slices.ContainsFunc(m.recent, func(s stroke) bool { return s.key == key })
	m.recent = append(m.recent, stroke{key, now})
	return repeat
}
