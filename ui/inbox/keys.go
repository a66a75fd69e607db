package inbox

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// press hands a key or a paste to what has the keyboard.
func (m *model) press(msg tea.Msg) tea.Cmd {
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
		if key.Code != 0 && m.reader.press(key) {
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
		m.reader = m.help()
	case "tab", "shift+tab":
		return m.turn()
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

// turn shows the other tab. The past is read when it is first looked at.
func (m *model) turn() tea.Cmd {
	if m.tab == historyTab {
		m.tab = waitingTab
		return nil
	}
	m.tab = historyTab
	m.waiting.sweep(m.waiting.selected())
	if m.history.loaded || m.history.loading {
		return nil
	}
	return m.recall("", firstPage)
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
func (m *model) hints() []hint {
	switch {
	case m.stopped != nil:
		return []hint{{"enter", "back to the list"}}
	case m.dismissal != nil:
		return m.dismissal.hints()
	case m.reader != nil:
		return m.reader.hints()
	case m.tab == historyTab:
		return m.history.hints()
	}
	return m.waiting.hints()
}

func (w *waiting) hints() []hint {
	r := w.selected()
	if r == nil {
		return []hint{{"?", "keys"}, {"tab", "history"}, {"q", "quit"}}
	}
	if r.rec.Outcome != nil {
		return []hint{{"enter", "read"}, {"↑↓", "move"}, {"?", "keys"}, {"tab", "history"}, {"q", "quit"}}
	}
	return []hint{{"enter", "answer"}, {"d", "dismiss"}, {"?", "keys"}, {"tab", "history"}, {"q", "quit"}, {"i", "details"}, {"↑↓", "move"}}
}

func (h *history) hints() []hint {
	if h.typing != nil {
		return []hint{{"enter", "search"}, {"esc", "back"}}
	}
	var keys []hint
	if h.selected() != nil {
		keys = append(keys, hint{"enter", "read"})
	}
	keys = append(keys, hint{"/", "search"})
	if h.search != "" {
		keys = append(keys, hint{"esc", "show all"})
	}
	return append(keys, hint{"?", "keys"}, hint{"tab", "waiting"}, hint{"q", "quit"}, hint{"↑↓", "move"})
}

// help lists every key and the marks in front of the rows.
func (m *model) help() *reader {
	groups := []struct {
		title string
		hints []hint
	}{
		{"Waiting", []hint{
			{"enter", "answer"}, {"d", "dismiss, with a reason if you like"}, {"i", "details: who asks, where it is shown"},
			{"●", "somebody waits for the answer"}, {"○", "nobody waits; an answer will be kept"}, {"×", "ended elsewhere; goes when you move on"},
		}},
		{"In a form", []hint{{leaveKey, "back to the list; what you typed is kept"}, {"?", "the form's own keys"}}},
		{"History", []hint{{"enter", "read it whole"}, {"/", "search; esc shows everything again"}}},
		{"Everywhere", []hint{
			{"tab", "the other list"}, {"↑↓ j k", "move"}, {"pgup pgdn", "a page"}, {"g G", "first, last"},
			{"q ctrl+c", "quit; every question stays as it is"},
		}},
	}
	return &reader{title: "Keys", lines: func(l *look, width int) []string {
		var lines []string
		for i, g := range groups {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, l.strong.Render(g.title))
			for _, h := range g.hints {
				text := hang(strings.Repeat(" ", 11), h.does, width)
				text[0] = l.key.Render(pad(h.key, 11)) + strings.TrimLeft(text[0], " ")
				lines = append(lines, text...)
			}
		}
		return lines
	}}
}
