package inbox

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// waitingKeys are the keys of the list of what waits, the most useful first.
func (m *model) waitingKeys() term.Bindings {
	w := &m.waiting
	r := w.selected()
	open := r != nil && r.rec.Outcome == nil
	return term.Bindings{
		{Keys: "enter", Hint: words.T("answer"), Help: words.T("answer"), Off: !open, Do: func() tea.Cmd { return m.loadForm(r.rec.ID, formStart{bare: m.bare()}) }},
		{Keys: "enter", Hint: words.T("read"), Off: r == nil || open, Do: term.Only(func() { m.read(r) })},
		{Keys: term.DismissKey, Hint: words.T("dismiss"), Help: words.T("dismiss it, with a reason if you like"), Off: !open, Do: func() tea.Cmd { return m.askDismissal(term.Dismiss) }},
		{Keys: term.DiscussKey, Help: words.T("discuss it first, with a note if you like"), Off: !open, Do: func() tea.Cmd { return m.askDismissal(term.Discuss) }},
		{Keys: "ctrl+n", Help: words.T("answer, and begin with a note"), Off: !open, Do: func() tea.Cmd { return m.loadForm(r.rec.ID, formStart{bare: m.bare(), note: true}) }},
		m.reopenKey(r),
		{Keys: "esc", Hint: words.T("show all"), Off: w.filter == "", Do: term.Only(func() { m.narrow("") })},
		{Keys: "/", Hint: words.T("filter"), Help: words.T("filter; any letter that is no key begins one too"), Off: len(w.all) == 0, Do: term.Only(func() { m.beginTyping("") })},
	}
}

// formStart is how a form opens.
type formStart struct {
	bare bool // nothing is preselected: the human has not gone to the question
	note bool // at a note
}

// bare reports whether the human has not gone to the selected question.
func (m *model) bare() bool { return m.cursorPlaced.After(m.cursorMoved) }

// reopenKey asks again what has ended.
func (m *model) reopenKey(r *row) term.Binding {
	off := r == nil || r.rec.Outcome == nil || r.rec.Outcome.Refused() || !r.rec.Reopens()
	return term.Binding{
		Keys: "r", Hint: words.T("reopen"), Help: words.T("reopen: answer again, with what you said filled in; the agent gets the new answer"),
		Off: off, Do: func() tea.Cmd { m.reader = nil; return m.reopen(r.rec.ID) },
	}
}

func (m *model) historyKeys() term.Bindings {
	h := &m.history
	r := h.selected()
	var lifts *desk.Record
	if r != nil && r.rec.Outcome.Refused() {
		lifts = &r.rec
	}
	return term.Bindings{
		{Keys: "enter space", Hint: words.T("read"), Help: words.T("read it whole"), Off: r == nil, Do: term.Only(func() { m.read(r) })},
		m.liftKey(lifts),
		m.reopenKey(r),
		{Keys: "esc", Hint: words.T("show all"), Off: h.search == "", Do: func() tea.Cmd { return m.loadHistory("", 0) }},
		{Keys: "/", Hint: words.T("search"), Help: words.T("search; any letter that is no key begins one too"), Do: term.Only(func() { m.beginTyping(h.search) })},
		{Keys: "esc", Do: m.switchTab},
	}
}

func (m *model) commonKeys() term.Bindings {
	other, r := words.T("history"), m.list().selected()
	if m.past {
		other = words.T("waiting")
	}
	return term.Bindings{
		{Keys: "tab shift+tab", Hint: other, Help: words.T("the other list"), Do: m.switchTab},
		{Keys: "?", Hint: words.T("keys"), Do: term.Only(func() { m.reader = m.help() })},
		{Keys: "q", Hint: words.T("quit"), Help: words.T("quit, like ctrl+c; every question stays as it is"), Do: m.quit},
		{Keys: "i right", Hint: words.T("details"), Help: words.T("details: who asks, where it is shown"), Off: r == nil, Do: term.Only(func() { m.read(r) })},
		{Keys: "ctrl+z", Do: func() tea.Cmd { return tea.Suspend }},
	}
}

func (m *model) listKeys() term.Bindings {
	if m.past {
		return append(m.historyKeys(), m.commonKeys()...)
	}
	return append(m.waitingKeys(), m.commonKeys()...)
}

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
	case m.reader != nil && !m.reopens(name):
		return act.Move
	case m.typing != nil:
		return act.Edit
	case name == "enter", name == "L", m.reopens(name):
		return act.Act
	case name == "q":
		return act.Quit
	case m.notice == "" && m.moves(name):
		return act.Move
	}
	return act.Edit
}

// reopens reports whether a key asks again what has ended.
func (m *model) reopens(name string) bool {
	return name == "r" && m.typing == nil && m.notice == "" && !m.reopenKey(m.list().selected()).Off
}

// moves reports whether a key of the list moves about in it, or looks.
func (m *model) moves(name string) bool {
	_, ok := m.list().target(name)
	return ok || slices.Contains([]string{"tab", "shift+tab", "esc", "?", "right"}, name)
}

// Keep implements act.Page.
func (m *model) Keep() (back func()) {
	inPast, notice, reader, typing, moved := m.past, m.notice, m.reader, m.typing, m.cursorMoved
	waiting, past, filter, typed := m.waiting.selected(), m.history.selected(), m.waiting.filter, func() {}
	if typing != nil {
		typed = typing.Keep()
	}
	return func() {
		m.past, m.notice, m.reader, m.typing, m.cursorMoved = inPast, notice, reader, typing, moved
		m.narrow(filter)
		m.waiting.selectRow(waiting)
		m.history.selectRow(past)
		typed()
	}
}

// key handles every key and every paste that counts. For a form they are not judged yet:
// its gate does that, and gets its timer's message here too.
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
	do := m.bind(msg)
	if do == nil {
		return nil
	}
	m.lastAct = m.Now()
	return do()
}

// bind returns what a key or a paste does to what has the keyboard; nil is
// nothing. A letter that is no key of the list, at any time, begins a filter.
func (m *model) bind(msg tea.Msg) func() tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case m.notice != "" && (name == "enter" || name == "esc"):
		return func() tea.Cmd { m.notice = ""; return m.Appear(act.Opened) }
	case m.notice != "", m.reader != nil && !isKey:
		return nil
	case m.dismissal != nil:
		return func() tea.Cmd { return m.pressDismissal(msg) }
	case m.reader != nil && !m.reopens(name):
		return term.Only(func() {
			if m.reader.Press(key) {
				m.reader = nil
			}
		})
	case m.typing != nil:
		return func() tea.Cmd { return m.pressTyping(msg) }
	}
	do, known := m.listKeys().Find(name)
	if do != nil {
		return do
	}
	if to, ok := m.list().target(name); ok {
		return func() tea.Cmd {
			if key.Text == "" || !m.Gate.AwaitsQuiet() { // else it may be a letter of a word
				m.cursorMoved = m.Now()
			}
			return m.moveTo(to)
		}
	}
	if known || strings.TrimSpace(key.Text) == "" || !m.attentive() || m.list().selected() == nil {
		return nil
	}
	return func() tea.Cmd { m.beginTyping(""); return m.pressTyping(msg) }
}

// attentive reports whether a letter that is no key can be meant for the list:
// the human opened it, or has used it, and this letter is the first of a burst.
func (m *model) attentive() bool {
	return m.Gate.Origin() == act.Opened || m.lastAct.After(m.Appeared) && m.Now().Sub(m.lastAct) >= act.Quiet
}

// moveTo moves the cursor. A record that has ended goes when it does, also from
// the end of the list, where it cannot leave it. At the end of the past more of
// it is read.
func (m *model) moveTo(to int) tea.Cmd {
	ended := m.waiting.endedRows() > 0
	m.list().at = to
	if !m.past {
		if ended {
			m.waiting.arrangeAround(nil)
		}
		return nil
	}
	if h := &m.history; to == len(h.rows)-1 && !h.all && !h.loading {
		return m.loadHistory(h.search, 2*h.limit)
	}
	return nil
}

// switchTab shows the other list. The history is read each time it is shown.
func (m *model) switchTab() tea.Cmd {
	m.past = !m.past
	if !m.past {
		return nil
	}
	m.waiting.arrangeAround(nil)
	return m.reloadHistory()
}

func (m *model) beginTyping(text string) {
	m.typing = term.NewLineEntry(text, words.T("words of a question, an agent, a project"), "/")
	m.typing.Focus()
}

// pressTyping types a filter, which works at once, or a search, which Enter begins.
func (m *model) pressTyping(msg tea.Msg) tea.Cmd {
	key, _ := msg.(tea.KeyPressMsg)
	text := ""
	switch name := key.String(); name {
	case "up", "down", "pgup", "pgdown":
		to, _ := m.list().target(name)
		return m.moveTo(to)
	case "enter":
		text, m.typing = m.typing.Text(), nil
		if m.past && text != m.history.search {
			return m.loadHistory(text, 0)
		}
	case "esc":
		m.typing = nil
	default:
		if err := m.typing.Press(msg); err != nil {
			m.note = err.Error()
		}
		text = m.typing.Text()
	}
	if !m.past {
		m.narrow(text)
	}
	return nil
}

func (m *model) narrow(filter string) {
	m.waiting.filter = strings.ToLower(filter)
	m.waiting.arrange()
}

func (m *model) read(r *row) { m.reader = m.recordReader(r) }

// hints are the keys that work now, the most useful first.
func (m *model) hints() (hints []term.Hint) {
	switch {
	case m.Gate.Waiting():
		return term.WaitingHints(m.Width)
	case m.notice != "":
		return []term.Hint{term.NewHint("enter", words.T("back to the list"))}
	case m.dismissal != nil && m.dismissal.sending:
		return []term.Hint{term.NewHint("…", words.T("sending"))}
	case m.dismissal != nil:
		return m.dismissal.Hints()
	case m.reader != nil && m.reopens("r"):
		return append([]term.Hint{term.NewHint("r", words.T("reopen"))}, m.reader.Hints()...)
	case m.reader != nil:
		return m.reader.Hints()
	case m.typing != nil:
		return []term.Hint{term.NewHint("enter", words.T("search")), term.NewHint("esc", words.T("back")), term.NewHint("↑↓", words.T("move"))}
	}
	hints = m.listKeys().Hints()
	if len(m.list().rows) > 1 {
		hints = append(hints, term.NewHint("↑↓", words.T("move")))
	}
	return hints
}

// help lists every key and the marks in front of the rows.
func (m *model) help() *term.Reader {
	group := func(title string, keys term.Bindings, more ...term.Hint) term.HintGroup {
		return term.HintGroup{Title: title, Hints: append(keys.Help(), more...)}
	}
	return term.KeysReader(words.T("Keys"),
		group(words.T("Waiting"), m.waitingKeys(), term.NewHint("●", words.T("its agent waits for the answer")),
			term.NewHint("○", words.T("its agent is not waiting, and gets it later")), term.NewHint("×", words.T("ended elsewhere; goes when you move on"))),
		group(words.T("In a form"), nil, term.NewHint("esc "+leaveKey, words.T("back to the list; what you typed is kept")), term.NewHint("?", words.T("the form's own keys"))),
		group(words.T("History"), m.historyKeys()),
		group(words.T("Everywhere"), m.commonKeys(), term.NewHint("↑↓ j k", words.T("move")), term.NewHint("pgup pgdn", words.T("a page")), term.NewHint("g G", words.T("first, last"))),
	)
}
