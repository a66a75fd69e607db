package inbox

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
)

// Name is the inbox's word in records and results.
const Name = "inbox"

// ringPause is how long after a ring new questions do not ring again: forty at
// once are one piece of news.
const ringPause = time.Second

// model is the inbox. What covers the list has the keys: a form, the notice in place
// of one, a text to read.
type model struct {
	term.Window // whose gate a form uses too

	ctx  context.Context // ends with the inbox; commands receive none
	desk *desk.Desk
	goTo func(pid int) error // see Options.Go

	// writes is held for reading while something is written to the desk: the inbox does
	// not end meanwhile.
	writes sync.RWMutex

	edition int        // of what the form that was opened last saves
	saver   form.Saver // of drafts

	events <-chan desk.Event
	looks  chan struct{} // requests to read all that is open

	open    map[string]*row // by the id of their records
	waiting records         // those of open that fit the filter
	history history
	front

	answer  *answer
	last    given                     // the last answer from a form
	opening bool                      // the form of a question is being read from the desk
	early   []tea.Msg                 // keys for that form
	unsaved map[string]question.Reply // what was typed in a form that has ended, until the desk has it

	note  string    // the result of the last key, until the next one
	fault string    // why the desk cannot be read
	rang  time.Time // when it last rang
	alarm time.Time // when the timer fires that draws the ages again; none runs once that is past
}

// front is the part of the state that keys change, but for the cursors and the filter.
type front struct {
	past   bool         // the history is shown, not what waits
	notice string       // the notice in place of a form that was withdrawn
	reader *term.Reader // nil for none
	reread *row         // the past record that the reader shows, which can be reopened; nil for none
	typing *term.Entry  // a filter or a search, while it is being typed
}

func newModel(ctx context.Context, o Options) *model {
	m := &model{
		Window: term.NewWindow(time.Now), ctx: ctx, desk: o.Desk, goTo: o.Go,
		looks: make(chan struct{}, 1), open: map[string]*row{}, unsaved: map[string]question.Reply{},
	}
	m.waiting, m.history.records = newRecords(m), newRecords(m)
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.connect }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.opening && isInput(msg) {
		m.early = append(m.early, msg)
		return m, nil
	}
	var wait tea.Cmd
	if m.answer == nil { // a form asks the gate itself
		msg, wait = m.Gate.Update(msg, m)
	}
	cmd := m.handle(msg)
	return m, tea.Batch(wait, cmd, m.tick())
}

// isInput reports whether a message is a paste, or a key other than Ctrl+C.
func isInput(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return msg.String() != "ctrl+c"
	case tea.PasteMsg:
		return true
	}
	return false
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		cmd := m.Resize(msg, gate.Opened)
		if m.answer == nil {
			return cmd
		}
		return tea.Batch(cmd, m.send(msg))
	case tea.BackgroundColorMsg:
		m.Styles = term.NewStyles(msg.IsDark())
		if m.answer != nil {
			return m.send(msg)
		}
	case tea.FocusMsg:
		m.look()
		if m.past {
			return m.loadHistory(m.history.query)
		}
	case tea.KeyPressMsg, tea.PasteMsg, gate.Tick:
		return m.press(msg)
	case term.Edited:
		if m.answer != nil {
			return m.send(msg)
		}
		return m.Seen()
	case term.Callback:
		return msg()
	}
	return nil
}

// covered reports whether something covers the list.
func (m *model) covered() bool {
	return m.answer != nil || m.notice != "" || m.reader != nil
}

// list is the one that is shown.
func (m *model) list() *records {
	if m.past {
		return &m.history.records
	}
	return &m.waiting
}

// reply commits a reply of the user.
func (m *model) reply(id string, r question.Reply) error {
	m.writes.RLock()
	defer m.writes.RUnlock()
	_, err := m.desk.Reply(m.ctx, id, r, desk.Evidence{Surface: Name, How: desk.HowTerminal})
	return err
}

// ring rings the terminal's bell for a record that has arrived.
func (m *model) ring() tea.Cmd {
	now := m.Now()
	if now.Sub(m.rang) < ringPause {
		return nil
	}
	m.rang = now
	return tea.Raw("\a")
}

// tick draws the ages again each minute while they are on the screen, and each second while a
// question is about to close.
func (m *model) tick() tea.Cmd {
	if m.past || m.covered() || len(m.waiting.rows) == 0 || !m.Fits() {
		return nil
	}
	pause := time.Minute
	for _, r := range m.waiting.rows {
		left := r.rec.Deadline().Sub(m.Now())
		if 0 < left && left <= 2*time.Minute {
			pause = time.Second
		}
	}
	at := m.Now().Add(pause)
	if m.alarm.After(m.Now()) && !at.Before(m.alarm) {
		return nil
	}
	m.alarm = at
	return m.after(pause, term.Action(func() {}))
}

// quit ends the inbox, and keeps the draft of an open form.
func (m *model) quit() tea.Cmd {
	if m.answer != nil {
		m.pressForm(leave()) // Run saves the rest
	}
	return tea.Quit
}
