package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
)

// Kind implements act.Page, for all but an open form.
func (m *model) Kind(msg tea.Msg) act.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	switch name := key.String(); {
	case name == "ctrl+c":
		return act.Leave
	case m.dismissal != nil:
		return m.dismissal.Kind(msg)
	case m.bind(msg) == nil:
		return act.Foreign
	case m.reader == nil && m.history.typing == nil && (name == "enter" || name == "q"):
		return act.Act
	}
	return act.Edit
}

// Keep implements act.Page.
func (m *model) Keep() (back func()) {
	tab, stopped, dismissal, reader, typing := m.tab, m.stopped, m.dismissal, m.reader, m.history.typing
	waiting, past, typed := m.waiting.selected(), m.history.selected(), func() {}
	switch {
	case dismissal != nil:
		typed = dismissal.Keep()
	case typing != nil:
		typed = typing.Keep()
	}
	return func() {
		m.tab, m.stopped, m.dismissal, m.reader, m.history.typing = tab, stopped, dismissal, reader, typing
		m.waiting.selectRow(waiting)
		m.history.selectRow(past)
		typed()
	}
}

// key is where every key and every paste comes in that counts. For a form they
// are not judged yet, and with them comes what its gate waits for.
func (m *model) key(msg tea.Msg) tea.Cmd {
	if _, isDue := msg.(act.Due); !isDue {
		m.note = ""
	}
	if key, _ := msg.(tea.KeyPressMsg); key.String() == "ctrl+c" {
		return m.quit()
	}
	if m.answer != nil {
		return m.pressForm(msg)
	}
	if do := m.bind(msg); do != nil {
		return do()
	}
	return nil
}

// bind returns what a key or a paste does to what has the keyboard; nil is
// nothing.
func (m *model) bind(msg tea.Msg) func() tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case m.stopped != "" && (name == "enter" || name == "esc"):
		return only(func() { m.stopped = "" })
	case m.stopped != "", m.reader != nil && !isKey:
		return nil
	case m.dismissal != nil:
		return func() tea.Cmd { return m.pressDismissal(msg) }
	case m.reader != nil:
		return only(func() {
			if m.reader.Press(key) {
				m.reader = nil
			}
		})
	case m.history.typing != nil:
		return func() tea.Cmd { return m.pressSearch(msg) }
	case name == "q":
		return m.quit
	case name == "?":
		return only(func() { m.reader = help() })
	case name == "tab", name == "shift+tab":
		return m.switchTab
	case name == "ctrl+z":
		return func() tea.Cmd { return tea.Suspend }
	case m.tab == historyTab:
		return m.bindHistory(name)
	}
	return m.bindWaiting(name)
}

// only makes a key's deed of what leads to nothing more.
func only(do func()) func() tea.Cmd { return func() tea.Cmd { do(); return nil } }

// switchTab shows the other tab. The past is read when it is first looked at.
func (m *model) switchTab() tea.Cmd {
	if m.tab == historyTab {
		m.tab = waitingTab
		return nil
	}
	m.tab = historyTab
	m.waiting.sweep(m.waiting.selected())
	if m.history.loaded || m.history.loading {
		return nil
	}
	return m.recall("", firstLook)
}

// bindWaiting is bind on the list of what waits. A record that has ended goes
// when the cursor moves, also from the end of the list, where it cannot leave it.
func (m *model) bindWaiting(key string) func() tea.Cmd {
	w := &m.waiting
	r := w.selected()
	if to, ok := w.target(key); ok {
		return only(func() { w.at = to; w.sweep(r) })
	}
	if r == nil {
		return nil
	}
	open := r.rec.Outcome == nil
	switch {
	case key == "enter" && open:
		return func() tea.Cmd { return m.fetch(r.rec.ID) }
	case key == "d" && open:
		return only(func() { m.dismissal = newDismissal(r.rec, m.now()) })
	case key == "enter", key == "i", key == "space", key == "right":
		return m.read(r)
	}
	return nil
}

// read shows everything there is to know of a record.
func (m *model) read(r *row) func() tea.Cmd {
	return only(func() { m.reader = account(*r, m.now().Location()) })
}

// hints are the keys that work now, the most useful first.
func (m *model) hints() []term.Hint {
	switch {
	case m.gate.Waiting():
		return term.WaitingHints(m.width)
	case m.stopped != "":
		return []term.Hint{{"enter", "back to the list"}}
	case m.dismissal != nil:
		return m.dismissal.hints()
	case m.reader != nil:
		return m.reader.Hints()
	case m.tab == historyTab:
		return m.history.hints()
	}
	return m.waiting.hints()
}

func (w *waiting) hints() []term.Hint {
	r := w.selected()
	if r == nil {
		return []term.Hint{{"?", "keys"}, {"tab", "history"}, {"q", "quit"}}
	}
	if r.rec.Outcome != nil {
		return []term.Hint{{"enter", "read"}, {"↑↓", "move"}, {"?", "keys"}, {"tab", "history"}, {"q", "quit"}}
	}
	return []term.Hint{{"enter", "answer"}, {"d", "dismiss"}, {"?", "keys"}, {"tab", "history"}, {"q", "quit"}, {"i", "details"}, {"↑↓", "move"}}
}

func (h *history) hints() []term.Hint {
	if h.typing != nil {
		return []term.Hint{{"enter", "search"}, {"esc", "back"}}
	}
	var keys []term.Hint
	if h.selected() != nil {
		keys = append(keys, term.Hint{"enter", "read"})
	}
	keys = append(keys, term.Hint{"/", "search"})
	if h.search != "" {
		keys = append(keys, term.Hint{"esc", "show all"})
	}
	return append(keys, term.Hint{"?", "keys"}, term.Hint{"tab", "waiting"}, term.Hint{"q", "quit"}, term.Hint{"↑↓", "move"})
}

// help lists every key and the marks in front of the rows.
func help() *term.Reader {
	return term.KeysReader("Keys",
		term.HintGroup{Title: "Waiting", Hints: []term.Hint{
			{"enter", "answer"}, {"d", "dismiss, with a reason if you like"}, {"i", "details: who asks, where it is shown"},
			{"●", "somebody waits for the answer"}, {"○", "nobody waits; an answer will be kept"}, {"×", "ended elsewhere; goes when you move on"},
		}},
		term.HintGroup{Title: "In a form", Hints: []term.Hint{{leaveKey, "back to the list; what you typed is kept"}, {"?", "the form's own keys"}}},
		term.HintGroup{Title: "History", Hints: []term.Hint{{"enter", "read it whole"}, {"/", "search; esc shows everything again"}}},
		term.HintGroup{Title: "Everywhere", Hints: []term.Hint{
			{"tab", "the other list"}, {"↑↓ j k", "move"}, {"pgup pgdn", "a page"}, {"g G", "first, last"},
			{"q ctrl+c", "quit; every question stays as it is"},
		}},
	)
}
