package inbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// Name is the inbox's word in records and results.
const Name = "inbox"

// leaveKey leaves a form for the list; what was typed is kept.
const leaveKey = "ctrl+l"

// ringPause is how long after a ring new questions do not ring again: forty at
// once are one piece of news.
const ringPause = time.Second

// model is the inbox. What covers the list has the keys: a form, the notice in place
// of one, a question whether to dismiss, a text to read.
type model struct {
	term.Window // whose gate a form uses too

	ctx  context.Context // ends with the inbox; Bubble Tea hands none to commands
	desk *desk.Desk
	ring func(io.Writer, desk.Record) error // nil: silent

	// writes is held for reading while something is written to the desk: the inbox does
	// not end meanwhile.
	writes *sync.RWMutex

	drafts sync.Map   // of *form.Draft, by the id of the record
	mu     sync.Mutex // guards sent
	sent   []string   // lines to print once the inbox has closed

	events  <-chan desk.Event
	past    bool // the history is shown, not what waits
	waiting waiting
	history history

	answer    *answer
	notice    string // the notice in place of what was taken away
	dismissal *dismissal
	reader    *term.Reader
	typing    *term.Entry // a filter or a search, while it is being typed
	above     int         // lines above the list, in its panel

	lastAct      time.Time // when the last key that did something was pressed
	cursorMoved  time.Time // when a key last moved the cursor of a list
	cursorPlaced time.Time // when the cursor last came to a question without a key

	note  string    // what the last key led to
	fault string    // why the desk cannot be read
	rang  time.Time // when it last rang
	ages  term.Alarm
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.connect }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var wait tea.Cmd
	if m.answer == nil { // a form asks the gate itself
		msg, wait = m.Gate.Update(msg, m)
	}
	cmd := m.handle(msg)
	return m, tea.Batch(wait, cmd, m.scheduleAges(), m.loadHistoryWhenEmpty())
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.BackgroundColorMsg:
		m.Styles = term.NewStyles(msg.IsDark())
		if m.answer != nil {
			return m.send(msg)
		}
	case tea.FocusMsg:
		if m.past {
			return tea.Batch(m.reloadPending, m.reloadHistory())
		}
		return m.reloadPending
	case tea.KeyPressMsg, tea.PasteMsg, act.Due:
		return m.key(msg)
	case term.Edited:
		return m.edited(msg)
	case term.Then:
		return msg()
	}
	return nil
}

func (m *model) resize(size tea.WindowSizeMsg) tea.Cmd {
	cmd := m.Resize(size, act.Opened)
	if m.answer != nil {
		cmd = tea.Batch(cmd, m.send(m.formSize()))
	}
	return cmd
}

// edited handles the end of the human's editor.
func (m *model) edited(msg term.Edited) tea.Cmd {
	switch {
	case m.answer != nil:
		return m.send(msg)
	case msg.Err != nil && m.dismissal != nil:
		m.note = msg.Err.Error()
	}
	return m.Seen()
}

// startListening shows what is pending, and waits for events.
func (m *model) startListening(events <-chan desk.Event, records []desk.Record, err error) tea.Cmd {
	if err != nil {
		m.fault = words.T("Questions cannot be read, trying again: %s", question.Line(err.Error()))
		return m.connectLater()
	}
	m.fault, m.events = "", events
	return tea.Batch(m.listen, m.updatePending(records))
}

// updatePending shows what is pending now, and rings for what is new.
func (m *model) updatePending(records []desk.Record) tea.Cmd {
	again, found := m.waiting.loaded, m.waiting.selected()
	fresh, gone := m.waiting.update(records)
	if again && found == nil {
		m.cursorPlaced = m.Now()
	}
	cmds := []tea.Cmd{m.loadEnded(gone), m.loadFacts(records...)}
	if again && fresh != nil {
		cmds = append(cmds, m.announce(fresh[0]))
	}
	for _, rec := range records {
		cmds = append(cmds, m.forwardEvent(desk.Event{Record: rec}))
	}
	return tea.Batch(cmds...)
}

func (m *model) apply(events ...desk.Event) tea.Cmd {
	var cmds []tea.Cmd
	var changed []desk.Record
	if m.waiting.selected() == nil {
		m.cursorPlaced = m.Now()
	}
	for _, e := range events {
		m.note = cmp.Or(view.Local(e.Record).Overruled(), m.note)
		switch e.Type {
		case desk.Settled:
			m.history.put(e.Record)
			continue
		case desk.Ended:
			m.drafts.Delete(e.Record.ID)
			m.waiting.markEnded(e.Record)
			m.history.put(e.Record)
			cmds = append(cmds, m.endDismissal(e.Record))
		default:
			changed = append(changed, e.Record)
			if m.waiting.put(e.Record) {
				cmds = append(cmds, m.announce(e.Record))
			}
		}
		cmds = append(cmds, m.forwardEvent(e))
	}
	m.waiting.arrange()
	return tea.Batch(append(cmds, m.loadFacts(changed...))...)
}

func (m *model) announce(rec desk.Record) tea.Cmd {
	now := m.Now()
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

// covered reports whether something covers the list.
func (m *model) covered() bool {
	return m.answer != nil || m.notice != "" || m.dismissal != nil || m.reader != nil
}

// list is the one that is shown.
func (m *model) list() *list {
	if m.past {
		return &m.history.list
	}
	return &m.waiting.list
}

func (m *model) reply(id string, r question.Reply) error {
	m.writes.RLock()
	defer m.writes.RUnlock()
	rec, err := m.desk.Reply(m.ctx, id, r, desk.Evidence{Surface: Name, How: desk.HowTerminal})
	if err == nil || errors.Is(err, desk.ErrUnsent) { // the reply is kept in place of the draft
		m.drafts.Delete(id)
	}
	if err == nil {
		m.mu.Lock()
		m.sent = append(m.sent, sentLines(rec)...)
		m.mu.Unlock()
	}
	return err
}

// loadHistoryWhenEmpty loads the history where nothing waits: welcome shows it.
func (m *model) loadHistoryWhenEmpty() tea.Cmd {
	if w, h := &m.waiting, &m.history; !w.loaded || len(w.all) > 0 || h.loaded || h.loading {
		return nil
	}
	return m.reloadHistory()
}

// scheduleAges has the ages drawn again when the next one on the screen changes.
func (m *model) scheduleAges() tea.Cmd {
	if m.past || m.covered() || !m.Fits() {
		return nil
	}
	now := m.Now()
	m.waiting.layOut(max(m.Height-term.EdgesHigh-m.above, 1))
	next := m.waiting.next(now)
	if next == 0 {
		return nil
	}
	return m.ages.Set(now, now.Add(max(next, time.Second)), m.after)
}

// quit ends the inbox, and keeps the draft of an open form.
func (m *model) quit() tea.Cmd {
	if m.answer == nil {
		return tea.Quit
	}
	return tea.Sequence(m.send(leave()), tea.Quit)
}
