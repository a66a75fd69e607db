package inbox

import (
	"reflect"

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
	rec     desk.Record
	form    *form.Form
	edition int // of the drafts that the form saves; the rest of it has the next
}

// openForm reads what the form of a question needs, and opens it. It gets these keys, and all that
// arrive before it is open.
func (m *model) openForm(id string, keys ...tea.Msg) tea.Cmd {
	m.opening, m.early = true, keys
	typed, isTyped := m.unsaved[id] // the desk may have it once its older draft was read
	return func() tea.Msg {
		rec, err := m.desk.Get(m.ctx, id)
		backing := form.Backing{Desk: m.desk, Rec: rec}
		var options form.Options
		var status form.Status
		if err == nil {
			options, status = backing.Options(m.ctx), backing.Status(m.ctx)
		}
		if isTyped {
			options.Draft = typed
		}
		return term.Callback(func() tea.Cmd {
			m.opening = false
			switch {
			case err != nil:
				m.note = words.T("The question cannot be opened: %s", question.Line(err.Error()))
				return nil
			case rec.Outcome != nil:
				m.note = words.Local.Withdrawal(&desk.ClosedError{ID: id, Outcome: *rec.Outcome})
				m.look()
				return nil
			case m.open[id] == nil: // it may have ended since it was read
				m.open[id] = newRow(rec)
				return m.openForm(id, m.early...)
			}
			return m.showForm(rec, options, status)
		})
	}
}

func (m *model) showForm(rec desk.Record, options form.Options, status form.Status) tea.Cmd {
	options.Window, options.Origin, options.List = &m.Window, gate.Opened, true
	m.edition += 2
	a := &answer{rec: rec, edition: m.edition}
	options.Save = func(r question.Reply) error { return m.saveDraft(rec, a.edition, r) }
	unsaved, ok := m.unsaved[rec.ID]
	if ok {
		options.Draft = unsaved
	}
	a.form = form.New(rec, func(r question.Reply) error {
		return m.reply(rec.ID, r)
	}, options)
	m.answer, m.note = a, ""
	status.Waiting = len(m.open) - 1
	cmds := []tea.Cmd{m.send(tea.WindowSizeMsg{Width: m.Width, Height: m.Height}), m.send(status)}
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
			return nil
		case term.Edit:
			return msg
		case tea.BatchMsg:
			for i, c := range msg {
				msg[i] = m.addressTo(a, c)
			}
			return msg
		default:
			return term.Callback(func() tea.Cmd {
				if a != m.answer {
					return nil
				}
				return tea.Batch(m.send(msg), m.closeEndedForm())
			})
		}
	}
}

// saveDraft saves what was typed in a form, unless a later edition of it is saved: a store may be slow
// to take the one before.
func (m *model) saveDraft(rec desk.Record, edition int, draft question.Reply) error {
	m.writes.RLock()
	defer m.writes.RUnlock()
	return m.saver.Save(rec.ID, edition, func() error {
		return form.Backing{Desk: m.desk, Rec: rec}.Save(m.ctx, draft)
	})
}

// keepRest saves what was typed in a form that has ended, as far as the desk does not have it.
func (m *model) keepRest(a *answer) tea.Cmd {
	id := a.rec.ID
	_, before := m.unsaved[id]
	delete(m.unsaved, id)
	draft, unsaved := a.form.Unsaved()
	if !unsaved && (!before || a.form.State() != form.Aborted) {
		return nil
	}
	m.unsaved[id] = draft
	return func() tea.Msg {
		err := m.saveDraft(a.rec, a.edition+1, draft)
		return term.Callback(term.Action(func() {
			switch {
			case err == nil && reflect.DeepEqual(m.unsaved[id], draft): // else a later form has left another
				delete(m.unsaved, id)
			case err != nil:
				m.note = words.T("What you typed is kept only as long as this inbox is open: %s", question.Line(err.Error()))
			}
		}))
	}
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
	return m.send(form.Status{Deadline: r.rec.Deadline(), Attended: r.rec.Attended, Waiting: len(m.open) - 1})
}

// pressForm handles a key or a paste while a form is open.
func (m *model) pressForm(msg tea.Msg) tea.Cmd {
	key, _ := msg.(tea.KeyPressMsg)
	if key.String() == form.ListKey {
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
		m.note = m.sentNote(a)
		m.last.sent = append(m.last.sent, a.rec.ID)
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
	return tea.Batch(m.Appear(origin), m.keepRest(a))
}
