package inbox

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// leaveKey leaves a form for the list; what was typed is kept.
const leaveKey = "ctrl+l"

// place says in which of the two lists a key works.
type place int

const (
	inWaiting place = 1 << iota
	inHistory
	inBoth = inWaiting | inHistory
)

// command is a key of the lists and its effect, which may be none just now.
type command struct {
	place
	kind gate.Kind
	keys string // with blanks between them
	hint string // of the last line, in a word or two; empty for no hint
	help string // of the list of all keys; empty for not listed
	do   func() tea.Cmd
}

// commands are all keys of the lists, but for those that move the cursor. The hints are in this
// order, whatever is selected.
func (m *model) commands() []command {
	other, find := words.T("history"), words.T("filter")
	if m.past {
		other, find = words.T("waiting"), words.T("search")
	}
	with := func(letter rune) func() tea.Cmd {
		return func() tea.Cmd { return m.openSelected(tea.KeyPressMsg{Code: letter, Mod: tea.ModCtrl}) }
	}
	return []command{
		{inWaiting, gate.Submit, "enter", words.T("answer"), words.T("answer"), func() tea.Cmd { return m.openSelected() }},
		{inHistory, gate.Submit, "enter", words.T("read"), words.T("read it whole"), term.Only(m.read)},
		{inBoth, gate.Move, "?", words.T("keys"), "", term.Only(func() { m.reader, m.reread = m.help(), false })},
		{inWaiting, gate.Edit, term.DismissKey, words.T("dismiss"), words.T("dismiss it, with a reason if you like"), with('x')},
		{inHistory, gate.Submit, "r", words.T("reopen"),
			words.T("reopen: answer again, with what you said filled in; the agent gets the new answer"), m.reopen},
		{inBoth, gate.Edit, "/", find, words.T("show only what has these words"), term.Only(m.beginTyping)},
		{inBoth, gate.Move, "tab shift+tab", other, words.T("the other list"), m.switchTab},
		{inBoth, gate.Quit, "q", words.T("quit"), words.T("quit, like ctrl+c; every question stays as it is"), m.quit},
		{inWaiting, gate.Edit, term.DiscussKey, "", words.T("discuss it first, with a note if you like"), with('d')},
		{inWaiting, gate.Edit, "ctrl+y", "", words.T("let the agent decide"), with('y')},
		{inWaiting, gate.Edit, "ctrl+n", "", words.T("answer, and begin with a note"), with('n')},
		{inBoth, gate.Edit, "i", "", words.T("details: who asks, where it is shown"), term.Only(m.read)},
		{inBoth, gate.Move, "right", "", "", term.Only(m.read)}, // no letter: it cannot be part of a word
		{inBoth, gate.Move, "esc", "", words.T("show all again"), m.showAll},
		{inBoth, gate.Edit, "ctrl+z", "", "", func() tea.Cmd { return tea.Suspend }},
	}
}

// here is the list that is shown.
func (m *model) here() place {
	if m.past {
		return inHistory
	}
	return inWaiting
}

// find returns what a key or a paste does to what has the keyboard; nil is nothing. A form
// has keys of its own.
func (m *model) find(msg tea.Msg) *command {
	key, isKey := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case name == "ctrl+c":
		return &command{kind: gate.Leave, do: m.quit}
	case m.notice != "" && (name == "enter" || name == "esc"):
		return &command{kind: gate.Submit, do: func() tea.Cmd { m.notice = ""; return m.Appear(gate.Opened) }}
	case m.notice != "":
		return nil
	case m.typing != nil:
		return &command{kind: gate.Edit, do: func() tea.Cmd { return m.pressTyping(msg) }}
	case !isKey:
		return nil
	case m.reader != nil && !(m.reread && name == "r"):
		return &command{kind: gate.Move, do: term.Only(func() {
			if m.reader.Press(key) {
				m.reader = nil
			}
		})}
	}
	for _, c := range m.commands() {
		if c.place&m.here() != 0 && slices.Contains(strings.Fields(c.keys), name) {
			return &c
		}
	}
	by, moves := term.Step(name, m.list().Paginator.PerPage)
	if !moves {
		return nil
	}
	return &command{kind: gate.Move, do: term.Only(func() { m.list().move(by) })}
}

// Kind implements gate.Page, for all but an open form.
func (m *model) Kind(msg tea.Msg) gate.Kind {
	c := m.find(msg)
	if c == nil {
		return gate.Stray
	}
	return c.kind
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
	_, isDue := msg.(gate.Due)
	if !isDue {
		m.note = ""
	}
	if m.answer != nil && key.String() != "ctrl+c" {
		return m.pressForm(msg)
	}
	c := m.find(msg)
	if c == nil {
		return nil
	}
	return c.do()
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
		m.reader, m.reread = m.recordReader(r), m.past
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
	case m.reader != nil && m.reread:
		return append([]term.Hint{term.NewHint("r", words.T("reopen"))}, m.reader.Hints()...)
	case m.reader != nil:
		return m.reader.Hints()
	case m.typing != nil:
		return []term.Hint{
			term.NewHint("enter", words.T("search")), term.NewHint("esc", words.T("back")), term.NewHint("↑↓", words.T("move")),
		}
	}
	for _, c := range m.commands() {
		if c.place&m.here() != 0 && c.hint != "" {
			hints = append(hints, c.shown(c.hint))
		}
	}
	return hints
}

// shown is the first key of the command with a text.
func (c command) shown(text string) term.Hint { return term.NewHint(strings.Fields(c.keys)[0], text) }

// help lists every key and the marks in front of the rows.
func (m *model) help() *term.Reader {
	group := func(title string, at place, more ...term.Hint) term.HintGroup {
		g := term.HintGroup{Title: title}
		for _, c := range m.commands() {
			if c.place == at && c.help != "" {
				g.Hints = append(g.Hints, c.shown(c.help))
			}
		}
		g.Hints = append(g.Hints, more...)
		return g
	}
	return term.KeysReader(words.T("Keys"),
		group(words.T("Waiting"), inWaiting,
			term.NewHint("●", words.T("its agent waits for the answer")),
			term.NewHint("○", words.T("its agent is not waiting, and gets it later"))),
		group(words.T("In a form"), 0,
			term.NewHint("esc "+leaveKey, words.T("back to the list; what you typed is kept")),
			term.NewHint("?", words.T("the form's own keys"))),
		group(words.T("History"), inHistory),
		group(words.T("Everywhere"), inBoth,
			term.NewHint("↑↓ j k", words.T("move")),
			term.NewHint("pgup pgdn", words.T("a page")),
			term.NewHint("g G", words.T("first, last"))),
	)
}
