package inbox

import (
	"context"
	"image/color"
	"io"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// Name is the inbox's word in records and results.
const Name = "inbox"

// leaveKey goes from a form back to the list; what was typed is kept.
const leaveKey = "ctrl+l"

// ringPause is how long after a ring new questions do not ring again: forty at
// once are one piece of news.
const ringPause = time.Second

type tab int

const (
	waitingTab tab = iota
	historyTab
)

// model is the inbox. What stands in front of the tabs, if anything, has the
// keys: a form, the notice in place of one, a question whether to dismiss, a
// text to read.
type model struct {
	ctx  context.Context // ends with the inbox; Bubble Tea hands none to commands
	desk *desk.Desk
	now  func() time.Time
	gate *act.Gate                          // every key comes through it, those for a form too
	ring func(io.Writer, desk.Record) error // nil: silent

	// writes is held for reading by whoever writes to the desk: the inbox does
	// not end in the middle of it.
	writes *sync.RWMutex

	styles        *term.Styles
	background    color.Color // of the terminal; nil while unknown
	width, height int         // of the terminal, in cells; 0 until known

	events  <-chan desk.Event
	tab     tab
	waiting waiting
	history history

	answer    *answer
	stopped   string // the notice in place of what was taken away
	dismissal *dismissal
	reader    *term.Reader

	note  string    // what the last key led to
	fault string    // why the desk cannot be read
	rang  time.Time // when it last rang
	wake  time.Time // when the timer fires after which ages are shown anew
}

// closing is the message that the inbox has to close.
type closing struct{}

// passed is the message that what is shown about time is no longer true.
type passed struct{ wake time.Time }

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.connect }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var wait tea.Cmd
	if m.answer == nil { // a form asks the gate itself
		msg, wait = m.gate.Update(msg, m)
	}
	cmd := m.handle(msg)
	return m, tea.Batch(wait, cmd, m.keepTime())
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.BackgroundColorMsg:
		m.background, m.styles = msg.Color, term.NewStyles(msg.IsDark())
		if m.answer != nil {
			return m.answer.send(msg)
		}
	case tea.FocusMsg:
		return m.lookAgain
	case tea.KeyPressMsg, tea.PasteMsg, act.Due:
		return m.key(msg)
	case forForm:
		if msg.to != m.answer {
			return nil
		}
		return tea.Batch(m.answer.send(msg.msg), m.settle())
	case term.Edited:
		return m.edited(msg)
	case closing:
		return m.quit()
	case passed:
		if msg.wake.Equal(m.wake) {
			m.wake = time.Time{}
		}
	default:
		return m.handleDesk(msg)
	}
	return nil
}

// resize takes the terminal's size. With the first the inbox is there, which the
// human has opened.
func (m *model) resize(size tea.WindowSizeMsg) tea.Cmd {
	first := m.width == 0
	m.width, m.height = size.Width, size.Height
	cmds := []tea.Cmd{m.gate.Seen(term.Fits(m.width, m.height))}
	if first {
		cmds = append(cmds, m.gate.Show(act.Opened))
	}
	if m.answer != nil {
		cmds = append(cmds, m.answer.send(m.formSize()))
	}
	return tea.Batch(cmds...)
}

// edited follows the end of the human's editor.
func (m *model) edited(msg term.Edited) tea.Cmd {
	switch {
	case m.answer != nil:
		return m.answer.send(msg)
	case msg.Err != nil && m.dismissal != nil:
		m.dismissal.fault = msg.Err.Error()
	}
	return m.gate.Seen(term.Fits(m.width, m.height))
}

// handleDesk takes what the desk says.
func (m *model) handleDesk(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case connected:
		return m.follow(msg)
	case retry:
		return m.connect
	case heard:
		return tea.Batch(m.apply(msg.events), m.listenOn(msg.goesOn))
	case happened:
		return m.apply(msg)
	case listed:
		if msg.err != nil {
			return nil // the watch will say so too
		}
		return m.renew(msg.records)
	case learned:
		return m.learned(msg)
	case opened:
		return m.open(msg)
	case dismissed:
		return m.settleDismissal(msg)
	case recalled:
		if msg.number == m.history.number {
			m.history.took(msg)
			if msg.err != nil {
				m.note = "The past cannot be read: " + question.Line(msg.err.Error())
			}
		}
	}
	return nil
}

// learned takes what is known beside some records.
func (m *model) learned(facts learned) tea.Cmd {
	for id, k := range facts {
		if r := m.waiting.find(id); r != nil {
			r.known = k
		}
	}
	if m.answer == nil {
		return nil
	}
	k, ok := facts[m.answer.rec.ID]
	if !ok {
		return nil
	}
	return m.answer.send(form.Deadline{At: k.deadline})
}

// follow takes what is pending, and waits for what happens next.
func (m *model) follow(c connected) tea.Cmd {
	if c.err != nil {
		m.fault = "The desk cannot be read, trying again: " + question.Line(c.err.Error())
		return after(m.ctx, retryPause, retry{})
	}
	m.fault, m.events = "", c.events
	return tea.Batch(m.listen(), m.renew(c.records))
}

// listenOn waits for the next events; a watch that has ended is begun anew.
func (m *model) listenOn(goesOn bool) tea.Cmd {
	if goesOn {
		return m.listen()
	}
	return after(m.ctx, retryPause, retry{})
}

// renew takes what is pending now.
func (m *model) renew(records []desk.Record) tea.Cmd {
	cmds := []tea.Cmd{m.fetchEnds(m.waiting.renew(records)), m.learn(records...)}
	if m.answer != nil {
		for _, rec := range records {
			if rec.ID == m.answer.rec.ID {
				cmds = append(cmds, m.answer.send(form.Attention{Attended: rec.Attended}))
			}
		}
	}
	return tea.Batch(cmds...)
}

// apply follows what happened on the desk.
func (m *model) apply(h happened) tea.Cmd {
	var cmds []tea.Cmd
	var changed []desk.Record
	for _, e := range h {
		if e.Type == desk.Settled {
			m.history.settled(e.Record)
			if text := words.Overruled(e.Record); text != "" {
				m.note = text
			}
			continue
		}
		if e.Type == desk.Ended {
			m.waiting.ended(e.Record)
			m.history.ended(e.Record)
			cmds = append(cmds, m.endDismissal(e.Record))
		} else {
			changed = append(changed, e.Record)
			if m.waiting.asked(e.Record) {
				cmds = append(cmds, m.announce(e.Record))
			}
		}
		cmds = append(cmds, m.inForm(e))
	}
	return tea.Batch(append(cmds, m.learn(changed...))...)
}

// announce rings for a new question.
func (m *model) announce(rec desk.Record) tea.Cmd {
	now := m.now()
	if m.ring == nil || !m.rang.IsZero() && now.Sub(m.rang) < ringPause {
		return nil
	}
	m.rang = now
	var sound strings.Builder
	if err := m.ring(&sound, rec); err != nil {
		return nil
	}
	return tea.Raw(sound.String())
}

func (m *model) open(o opened) tea.Cmd {
	switch {
	case m.answer != nil || m.covered():
		return nil
	case o.err != nil:
		m.note = "The question cannot be opened: " + question.Line(o.err.Error())
		return nil
	case o.rec.Outcome != nil:
		m.waiting.ended(o.rec)
		return nil
	}
	return m.openForm(o)
}

// covered reports whether something stands in front of the tabs.
func (m *model) covered() bool {
	return m.answer != nil || m.stopped != "" || m.dismissal != nil || m.reader != nil
}

// reply puts a reply on the desk.
func (m *model) reply(id string, r question.Reply) error {
	m.writes.RLock()
	defer m.writes.RUnlock()
	_, err := m.desk.Reply(m.ctx, id, r, Name)
	return err
}

// keepTime sets the timer for the moment when an age on the screen is no
// longer true. A timer that is set for an earlier one stays.
func (m *model) keepTime() tea.Cmd {
	if m.covered() || m.tab != waitingTab {
		return nil
	}
	now := m.now()
	next := m.waiting.next(now, m.height-term.EdgesHigh)
	if next == 0 {
		return nil
	}
	wake := now.Add(max(next, time.Second))
	if !m.wake.IsZero() && !wake.Before(m.wake) {
		return nil
	}
	m.wake = wake
	return after(m.ctx, wake.Sub(now), passed{wake})
}

// quit leaves everything as it is, the draft of an open form kept.
func (m *model) quit() tea.Cmd {
	if m.answer == nil {
		return tea.Quit
	}
	return tea.Sequence(m.answer.send(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}), tea.Quit)
}
