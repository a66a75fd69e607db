package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
)

// key is where every key and every paste comes in: it goes to what has the
// keyboard.
func (m *model) key(msg tea.Msg) tea.Cmd {
	m.note = ""
	key, _ := msg.(tea.KeyPressMsg)
	if key.String() == "ctrl+c" {
		return m.quit()
	}
	switch {
	case m.answer != nil:
		return m.pressForm(msg)
	case m.stopped != nil:
		m.pressStopped(msg)
	case m.dismissal != nil:
		return m.pressDismissal(msg)
	case m.reader != nil:
		if key.Code != 0 && m.reader.Press(key) {
			m.reader = nil
		}
	case m.history.typing != nil && m.tab == historyTab:
		return m.pressSearch(msg)
	default:
		return m.pressTab(key)
	}
	return nil
}

// pressTab handles a key while a list has the keyboard.
func (m *model) pressTab(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "q":
		return m.quit()
	case "?":
		m.reader = help()
	case "tab", "shift+tab":
		return m.switchTab()
	case "ctrl+z":
		return tea.Suspend
	default:
		if m.tab == historyTab {
			return m.pressHistory(key.String())
		}
		return m.pressWaiting(key.String())
	}
	return nil
}

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

// pressWaiting handles a key on the list of what waits.
func (m *model) pressWaiting(key string) tea.Cmd {
	r := m.waiting.selected()
	if m.waiting.press(key) || r == nil {
		return nil
	}
	open := r.rec.Outcome == nil
	switch {
	case key == "enter" && open:
		return m.fetch(r.rec.ID)
	case key == "d" && open:
		m.dismissal = newDismissal(r.rec)
	case key == "enter", key == "i", key == "space", key == "right":
		m.reader = account(*r, m.now().Location())
	}
	return nil
}

// hints are the keys that work now, the most useful first.
func (m *model) hints() []term.Hint {
	switch {
	case m.stopped != nil:
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
