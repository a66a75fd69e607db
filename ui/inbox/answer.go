package inbox

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// answer is a record's form, in place of the list.
type answer struct {
	rec   desk.Record
	form  *form.Form
	fresh int // questions that came since it opened
}

// addressTo has the messages of a form's command reach that form alone: by then another
// may be open. The end of the form does not end the inbox.
func (m *model) addressTo(a *answer, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil, tea.QuitMsg:
			return m.tellUnsaved(a.rec.ID)
		case term.Edit:
			return msg
		case tea.BatchMsg:
			for i, c := range msg {
				msg[i] = m.addressTo(a, c)
			}
			return msg
		default:
			return term.Then(func() tea.Cmd {
				if a != m.answer {
					return nil
				}
				return tea.Batch(m.send(msg), m.closeEndedForm())
			})
		}
	}
}

// tellUnsaved tells the human if the desk did not save the draft of a record.
func (m *model) tellUnsaved(id string) tea.Msg {
	d, ok := m.drafts.Load(id)
	if !ok {
		return nil
	}
	_, failed := d.(*form.Draft).Unsaved()
	if failed == nil {
		return nil
	}
	return term.Then(term.Only(func() {
		m.note = words.T("What you typed is kept only as long as this inbox is open: %s", question.Line(failed.Error()))
	}))
}

func (m *model) send(msg tea.Msg) tea.Cmd {
	_, cmd := m.answer.form.Update(msg)
	return m.addressTo(m.answer, cmd)
}

func (m *model) openForm(rec desk.Record, deadline time.Time, options form.Options, start formStart) tea.Cmd {
	a := &answer{rec: rec}
	options.Window, options.Origin, options.List = &m.Window, act.Opened, true
	a.form = form.New(rec, func(r question.Reply) error { return m.reply(rec.ID, r) }, options)
	m.answer = a
	var cmds []tea.Cmd
	for _, msg := range []tea.Msg{m.formSize(), form.Attention{Attended: rec.Attended}, form.Deadline{At: deadline}} {
		cmds = append(cmds, m.send(msg))
	}
	if start.note {
		a.form.WriteNote()
	}
	return tea.Batch(cmds...)
}

func (m *model) formSize() tea.WindowSizeMsg {
	size := tea.WindowSizeMsg{Width: m.Width, Height: m.Height}
	if m.barred() {
		size.Height--
	}
	return size
}

// barred reports whether a form has the bar above it: only where there is a line for it.
func (m *model) barred() bool { return m.Height > term.MinHeight }

// pressForm handles a key or a paste while a form is open.
func (m *model) pressForm(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == leaveKey {
		msg = leave()
	}
	return tea.Batch(m.send(msg), m.closeEndedForm())
}

// leave is the key with which a form is left and its draft kept.
func leave() tea.Msg { return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl} }

// closeEndedForm goes back to the list when the form has ended. A form that was taken
// away leaves a notice in its place: the next keys may still be meant for it.
func (m *model) closeEndedForm() tea.Cmd {
	a, back := m.answer, m.returnToList
	switch a.form.State() {
	case form.Open:
		return nil
	case form.Sent:
		m.waiting.remove(a.rec.ID)
		m.note = a.form.Closing()
	case form.Withdrawn:
		m.notice = a.form.Closing()
	case form.Aborted:
		m.note = words.T("The question stays open.")
		if a.form.Sending() {
			m.note = a.form.Closing()
		}
		back = func() tea.Cmd { return m.Appear(act.Opened) }
	}
	m.answer = nil
	return tea.Batch(back(), m.loadFacts(a.rec))
}

// forwardEvent sends an event to the form of its record.
func (m *model) forwardEvent(e desk.Event) tea.Cmd {
	switch a := m.answer; {
	case a == nil:
		return nil
	case a.rec.ID == e.Record.ID && e.Type == desk.Ended:
		return tea.Batch(m.send(form.Withdraw{Cause: &desk.ClosedError{ID: e.Record.ID, Outcome: *e.Record.Outcome}}), m.closeEndedForm())
	case a.rec.ID == e.Record.ID:
		return m.send(form.Attention{Attended: e.Record.Attended})
	case e.Type == desk.Asked:
		a.fresh++
	}
	return nil
}

func (m *model) viewForm() term.Block {
	v := m.answer.form.View()
	b := term.Block{Lines: strings.Split(v.Content, "\n"), Cursor: v.Cursor}
	if m.barred() {
		b = term.Block{Lines: append([]string{m.bar()}, b.Lines...), Cursor: term.Shift(b.Cursor, 0, 1)}
	}
	return b
}

// bar says how many other questions wait, how many of them are new, and the way
// back.
func (m *model) bar() string {
	title := words.T("Inbox")
	if n := m.waiting.openRecords() - 1; n > 0 {
		title = words.N(n, "Inbox: %d other", "Inbox: %d others")
	}
	if n := m.answer.fresh; n > 0 {
		title = words.N(n, "%[2]s, %[1]d new", "%[2]s, %[1]d new", title)
	}
	return m.Styles.Muted.Render(term.Justify(" "+title, leaveKey+" "+words.T("list")+" ", m.Width))
}

// showNotice puts a notice in the place of what was taken away. Only Enter and Esc
// leave it, and not at once.
func (m *model) showNotice(text string) tea.Cmd {
	m.notice, m.dismissal = strings.TrimSpace(text+" "+m.Left(true)), nil
	return m.returnToList()
}

// returnToList gives the keyboard to the list, or to the notice in front of it. Either
// appears by itself.
func (m *model) returnToList() tea.Cmd {
	m.cursorPlaced = m.Now()
	return m.Appear(act.Appeared)
}
