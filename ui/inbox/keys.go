package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// bindings are the keys of the list that is shown, but for those that move the cursor, in the
// order of the footer, whatever is selected.
func (m *model) bindings() term.Bindings {
	other, find := words.T("history"), words.T("filter")
	if m.past {
		other, find = words.T("waiting"), words.T("search")
	}
	opens := func(keys ...tea.Msg) func() tea.Cmd { return func() tea.Cmd { return m.openSelected(keys...) } }
	with := func(letter rune) func() tea.Cmd { return opens(tea.KeyPressMsg{Code: letter, Mod: tea.ModCtrl}) }
	read := term.Action(m.read)
	return term.Bindings{
		{Keys: "enter", Hint: words.T("answer"), Kind: gate.Submit, Off: m.past, Do: opens()},
		{Keys: "enter", Hint: words.T("read"), Kind: gate.Submit, Off: !m.past, Do: read},
		{Keys: "?", Hint: words.T("keys"), Kind: gate.Move, Do: term.Action(m.explain)},
		{Keys: term.DismissKey, Hint: words.T("dismiss"), Off: m.past, Do: with('x')},
		{Keys: "r", Hint: words.T("reopen"), Kind: gate.Submit, Off: !m.past, Do: m.reopen},
		{Keys: "/", Hint: find, Do: term.Action(m.beginTyping)},
		{Keys: "tab shift+tab", Hint: other, Kind: gate.Move, Do: m.switchTab},
		{Keys: "q", Hint: words.T("quit"), Kind: gate.Leave, Do: m.quit},
		{Keys: term.DiscussKey, Hint: words.T("discuss first"), Off: m.past, Do: with('d')},
		{Keys: "ctrl+n", Hint: words.T("note"), Off: m.past, Do: with('n')},
		{Keys: "ctrl+y", Hint: words.T("let the agent decide"), Off: m.past, Do: with('y')},
		{Keys: "=", Kind: gate.Submit, Off: m.past, Do: m.answerOthers},
		{Keys: "g", Off: m.past, Do: m.goToAgent},
		{Keys: "i", Hint: words.T("details"), Do: read},
		{Keys: "right", Kind: gate.Move, Do: read}, // no letter: it cannot be part of a word
		{Keys: "esc", Kind: gate.Move, Do: m.showAll},
		{Keys: "ctrl+z", Do: func() tea.Cmd { return tea.Suspend }},
	}
}

// find returns what a key or a paste does to what has the keyboard; nil is nothing. A form
// has keys of its own.
func (m *model) find(msg tea.Msg) *term.Binding {
	key, isKey := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case name == "ctrl+c":
		return &term.Binding{Kind: gate.Leave, Do: m.quit}
	case m.notice != "" && (name == "enter" || name == "esc"):
		return &term.Binding{Kind: gate.Submit, Do: func() tea.Cmd { m.notice = ""; return m.Appear(gate.Opened) }}
	case m.notice != "":
		return nil
	case m.typing != nil:
		return &term.Binding{Do: func() tea.Cmd { return m.pressTyping(msg) }}
	case !isKey:
		return nil
	case m.reader != nil && !(m.reread != nil && name == "r"):
		return &term.Binding{Kind: gate.Move, Do: term.Action(func() {
			if m.reader.Press(key) {
				m.reader = nil
			}
		})}
	}
	binding := m.bindings().Find(name)
	by, moves := term.Step(name, m.list().Paginator.PerPage)
	if binding == nil && moves {
		return &term.Binding{Kind: gate.Move, Do: term.Action(func() { m.list().move(by) })}
	}
	return binding
}

// Kind implements gate.Page, for all but an open form.
func (m *model) Kind(msg tea.Msg) gate.Kind {
	binding := m.find(msg)
	if binding == nil {
		return gate.Stray
	}
	return binding.Kind
}

// Keep implements gate.Page.
func (m *model) Keep() (back func()) {
	before, filter, typed := m.front, m.waiting.query, ""
	waiting, past := m.waiting.selected(), m.history.selected()
	if m.typing != nil {
		typed = m.typing.Text()
	}
	return func() {
		m.front = before
		m.narrow(filter)
		m.waiting.choose(waiting)
		m.history.choose(past)
		if m.typing != nil {
			m.typing.Set(typed)
			m.typing.Focus()
		}
	}
}

// press handles every key and every paste that counts. For a form they are not judged yet:
// its gate does that, and gets its timer's message here too.
func (m *model) press(msg tea.Msg) tea.Cmd {
	key, _ := msg.(tea.KeyPressMsg)
	_, isTick := msg.(gate.Tick)
	if !isTick {
		m.note = ""
	}
	if m.answer != nil && key.String() != "ctrl+c" {
		return m.pressForm(msg)
	}
	binding := m.find(msg)
	if binding == nil {
		return nil
	}
	return binding.Do()
}

// openSelected opens the form of the selected question, and hands it keys.
func (m *model) openSelected(keys ...tea.Msg) tea.Cmd {
	r := m.waiting.selected()
	if r == nil {
		return nil
	}
	return m.openForm(r.rec.ID, keys...)
}

// read shows all that is known of the selected record.
func (m *model) read() {
	r := m.list().selected()
	if r != nil {
		m.reader, m.reread = m.recordReader(r), nil
	}
	if m.past {
		m.reread = r
	}
}

// switchTab shows the other list. The history is read each time it is shown.
func (m *model) switchTab() tea.Cmd {
	m.past = !m.past
	if !m.past {
		return nil
	}
	return m.loadHistory(m.history.query)
}

// showAll ends the filter or the search; without one it leaves the history.
func (m *model) showAll() tea.Cmd {
	switch {
	case !m.past:
		m.narrow("")
	case m.history.query != "":
		return m.loadHistory("")
	default:
		m.past = false
	}
	return nil
}

func (m *model) beginTyping() {
	m.typing = term.NewLineEntry(m.list().query, words.T("words of a question, an agent, a project"), "/")
	m.typing.Focus()
}

// pressTyping types a filter, which works at once, or a search, which Enter begins.
func (m *model) pressTyping(msg tea.Msg) tea.Cmd {
	key, _ := msg.(tea.KeyPressMsg)
	text := ""
	switch name := key.String(); name {
	case "up", "down", "pgup", "pgdown":
		by, _ := term.Step(name, m.list().Paginator.PerPage)
		m.list().move(by)
		return nil
	case "enter":
		text, m.typing = m.typing.Text(), nil
		if m.past && text != m.history.query {
			return m.loadHistory(text)
		}
	case "esc":
		m.typing = nil
	default:
		err := m.typing.Press(msg)
		if err != nil {
			m.note = err.Error()
		}
		text = m.typing.Text()
	}
	if !m.past {
		m.narrow(text)
	}
	return nil
}

// narrow shows what waits and fits a filter.
func (m *model) narrow(filter string) {
	m.waiting.query = filter
	m.arrange()
}

// hints are the keys that work now.
func (m *model) hints() (hints []term.Hint) {
	switch {
	case m.Gate.Waiting():
		return term.WaitingHints(m.Width)
	case m.opening:
		return []term.Hint{term.NewHint("…", words.T("looking…"))}
	case m.notice != "":
		return []term.Hint{term.NewHint("enter", words.T("back to the list"))}
	case m.reader != nil && m.reread != nil:
		return append([]term.Hint{term.NewHint("r", words.T("reopen"))}, m.reader.Hints()...)
	case m.reader != nil:
		return m.reader.Hints()
	case m.typing != nil:
		return []term.Hint{
			term.NewHint("enter", words.T("search")), term.NewHint("esc", words.T("back")),
			term.NewHint("↑↓", words.T("move")),
		}
	}
	return m.bindings().Hints()
}

// explain lists the keys, those too whose hint is too long for the footer, and the marks in front
// of the rows.
func (m *model) explain() {
	keys := append(m.bindings().Hints(), term.NewHint("↑↓ j k", words.T("move")))
	if !m.past {
		keys = append(keys,
			term.NewHint("=", words.T("send the answer that you gave last to all that ask the same")),
			term.NewHint("g", words.T("go to the agent that asks, where it runs in tmux")),
			term.NewHint("●", words.T("its agent waits for the answer")),
			term.NewHint("○", words.T("its agent is not waiting, and gets it later")),
			term.NewHint(form.ListKey, words.T("in a form: back to the list; what you typed is kept")),
		)
	}
	m.reader, m.reread = term.KeysReader(words.T("Keys"), keys), nil
}
