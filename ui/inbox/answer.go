package inbox

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// answer is a record's form, in place of the list.
type answer struct {
	rec  desk.Record
	form *form.Form
}

// given is an answer that was sent from a form, and may be sent to records alike.
type given struct {
	id    string // of the record
	alike string // see desk.Record.Alike
	reply question.Reply
}

// others returns the ids of the open records that ask what was answered last, the oldest first.
func (m *model) others() []string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(m.open)) {
		if m.last.alike != "" && m.open[id].alike == m.last.alike {
			ids = append(ids, id)
		}
	}
	return ids
}

// answerOthers sends the last answer to the records that ask the same.
func (m *model) answerOthers() tea.Cmd {
	ids, last := m.others(), m.last
	if len(ids) == 0 {
		m.note = words.T("Nothing that waits asks what you answered last.")
		return nil
	}
	return func() tea.Msg {
		var failed error
		sent := 0
		for _, id := range ids {
			err := m.reply(id, m.desk.CopyFiles(m.ctx, last.id, id, last.reply))
			switch {
			case err == nil:
				sent++
			case !errors.As(err, new(*desk.ClosedError)): // else the answer of another surface was first
				failed = cmp.Or(failed, err)
			}
		}
		return term.Then(term.Only(func() {
			m.note = words.N(sent, "The same answer was sent to %d other.", "The same answer was sent to %d others.")
			if failed != nil {
				m.note = words.Local.Kept(failed)
			}
		}))
	}
}

// openForm reads what the form of a question needs, and opens it. It gets these keys, and all that
// arrive before it is open.
func (m *model) openForm(id string, keys ...tea.Msg) tea.Cmd {
	m.opening, m.early = true, keys
	return func() tea.Msg {
		rec, err := m.desk.Get(m.ctx, id)
		if err != nil {
			return term.Then(term.Only(func() {
				m.opening = false
				m.note = words.T("The question cannot be opened: %s", question.Line(err.Error()))
			}))
		}
		backing := form.Backing{Desk: m.desk, Rec: rec}
		draft, _ := m.drafts.LoadOrStore(id, form.NewDraft(func(r question.Reply) error {
			m.writes.RLock()
			defer m.writes.RUnlock()
			return backing.Save(m.ctx, r)
		}))
		options, deadline := backing.Options(m.ctx, draft.(*form.Draft)), backing.Deadline(m.ctx)
		return term.Then(func() tea.Cmd {
			m.opening = false
			if rec.Outcome != nil {
				return m.apply(news{desk.Ended, newRow(rec)})
			}
			return m.showForm(rec, options, form.Deadline{At: deadline})
		})
	}
}

func (m *model) showForm(rec desk.Record, options form.Options, deadline form.Deadline) tea.Cmd {
	options.Window, options.Origin, options.List = &m.Window, gate.Opened, true
	a := &answer{rec, form.New(rec, func(r question.Reply) error { return m.reply(rec.ID, r) }, options)}
	m.answer, m.note = a, ""
	cmds := []tea.Cmd{m.send(m.formSize()), m.send(form.Attention{Attended: rec.Attended}), m.send(deadline)}
	for _, key := range m.early {
		if m.answer == a {
			cmds = append(cmds, m.pressForm(key))
		}
	}
	return tea.Batch(cmds...)
}

// send delivers a message to the form.
func (m *model) send(msg tea.Msg) tea.Cmd {
	_, cmd := m.answer.form.Update(msg)
	return m.addressTo(m.answer, cmd)
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

// tellUnsaved tells the user if the desk did not save the draft of a record.
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

// tellForm tells the open form of a record what has become of that.
func (m *model) tellForm(r *row) tea.Cmd {
	if m.answer == nil || m.answer.rec.ID != r.rec.ID {
		return nil
	}
	if o := r.rec.Outcome; o != nil {
		withdraw := form.Withdraw{Cause: &desk.ClosedError{ID: r.rec.ID, Outcome: *o}}
		return tea.Batch(m.send(withdraw), m.closeEndedForm())
	}
	return tea.Batch(m.send(form.Attention{Attended: r.rec.Attended}), m.send(form.Deadline{At: r.deadline}))
}

// pressForm handles a key or a paste while a form is open.
func (m *model) pressForm(msg tea.Msg) tea.Cmd {
	key, _ := msg.(tea.KeyPressMsg)
	if key.String() == leaveKey {
		msg = leave()
	}
	return tea.Batch(m.send(msg), m.closeEndedForm())
}

// leave is the key with which a form is left and its draft kept.
func leave() tea.Msg { return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl} }

// closeEndedForm goes back to the list when the form has ended. What the form did not end itself
// appears by itself: the next keys may still be meant for the form. After a withdrawal that is a
// notice in front of the list.
func (m *model) closeEndedForm() tea.Cmd {
	a := m.answer
	origin := gate.Appeared
	switch a.form.State() {
	case form.Open:
		return nil
	case form.Sent:
		delete(m.open, a.rec.ID)
		m.arrange()
		m.note = a.form.Closing()
		reply := a.form.Reply()
		if reply.Dismissed || reply.Discuss {
			break
		}
		m.last = given{a.rec.ID, a.rec.Alike(), reply}
		n := len(m.others())
		if n > 0 {
			m.note = words.N(n, "Answer sent. %d other asks the same: = sends it the same answer.", "Answer sent. %d others ask the same: = sends them the same answer.")
		}
	case form.Withdrawn:
		m.notice = a.form.Closing()
	case form.Aborted:
		origin = gate.Opened
		m.note = words.T("The question stays open.")
		if a.form.Sending() {
			m.note = a.form.Closing()
		}
	}
	m.answer = nil
	return m.Appear(origin)
}

// formSize is the size of the screen without the bar.
func (m *model) formSize() tea.WindowSizeMsg {
	size := tea.WindowSizeMsg{Width: m.Width, Height: m.Height}
	if m.barred() {
		size.Height--
	}
	return size
}

// barred reports whether a form has the bar above it: only where there is a line for it.
func (m *model) barred() bool { return m.Height > term.MinHeight }

// drawForm shows the form, and above it how many other questions wait, and the way back.
func (m *model) drawForm() term.Block {
	v := m.answer.form.View()
	b := term.Block{Lines: strings.Split(v.Content, "\n"), Cursor: v.Cursor}
	if !m.barred() {
		return b
	}
	title := words.T("Inbox")
	others := len(m.open) - 1
	if others > 0 {
		title = words.N(others, "Inbox: %d other", "Inbox: %d others")
	}
	bar := m.Styles.Muted.Render(term.Justify(" "+title, leaveKey+" "+words.T("list")+" ", m.Width))
	return term.Block{Lines: append([]string{bar}, b.Lines...), Cursor: term.Shift(b.Cursor, 0, 1)}
}
