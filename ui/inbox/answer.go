package inbox

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// barHigh is the line above a form that says where the human is, and what came
// meanwhile. A terminal that has no room for it beside the form does without.
const barHigh = 1

// answer is a record's form in place of the list.
type answer struct {
	rec   desk.Record
	form  *form.Form
	fresh int // questions that came since it opened
}

// forForm is a message for one form. Bubble Tea has one stream of messages: a
// late one must not reach the form that is open by then.
type forForm struct {
	to  *answer
	msg tea.Msg
}

// tag addresses what a form's command leads to to that form. That the form
// ends does not end the inbox.
func (a *answer) tag(cmd tea.Cmd) tea.Cmd {
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
				msg[i] = a.tag(c)
			}
			return msg
		default:
			return forForm{a, msg}
		}
	}
}

// send delivers a message to the form.
func (a *answer) send(msg tea.Msg) tea.Cmd {
	_, cmd := a.form.Update(msg)
	return a.tag(cmd)
}

// openForm puts a record's form in place of the list.
func (m *model) openForm(o opened) tea.Cmd {
	id := o.rec.ID
	a := &answer{rec: o.rec}
	a.form = form.New(o.rec, func(r question.Reply) error { return m.reply(id, r) }, append(o.options, form.WithClock(m.now), form.WithGate(m.gate), form.WithOrigin(act.Opened))...)
	m.answer = a
	news := []tea.Msg{m.formSize(), form.Attention{Attended: o.rec.Attended}, form.Deadline{At: o.deadline}}
	if m.background != nil {
		news = append(news, tea.BackgroundColorMsg{Color: m.background})
	}
	cmds := []tea.Cmd{a.form.Init()}
	for _, msg := range news {
		cmds = append(cmds, a.send(msg))
	}
	return tea.Batch(cmds...)
}

// formSize is the size that the form has.
func (m *model) formSize() tea.WindowSizeMsg {
	size := tea.WindowSizeMsg{Width: m.width, Height: m.height}
	if m.barred() {
		size.Height -= barHigh
	}
	return size
}

func (m *model) barred() bool { return m.height >= term.MinHeight+barHigh }

// pressForm handles a key or a paste while a form is open.
func (m *model) pressForm(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == leaveKey {
		msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl} // how a form is left with its draft kept
	}
	cmd := m.answer.send(msg)
	return tea.Batch(cmd, m.settle())
}

// settle goes back to the list when the form has ended. A form that was taken
// away leaves a notice in its place: the next keys may still be meant for it.
func (m *model) settle() tea.Cmd {
	a, origin := m.answer, act.Appeared
	switch a.form.State() {
	case form.Open:
		return nil
	case form.Sent:
		m.waiting.remove(a.rec.ID)
		m.note = a.form.Closing()
	case form.Withdrawn:
		m.stopped = a.form.Closing()
	case form.Aborted:
		m.note, origin = "The question stays open.", act.Opened
	}
	m.answer = nil
	return tea.Batch(m.gate.Show(origin), m.learn(a.rec))
}

// inForm passes an event on to the form of its record.
func (m *model) inForm(e desk.Event) tea.Cmd {
	if m.answer == nil {
		return nil
	}
	if m.answer.rec.ID != e.Record.ID {
		if e.Type == desk.Asked {
			m.answer.fresh++
		}
		return nil
	}
	if e.Type == desk.Ended {
		cmd := m.answer.send(form.Withdraw{Cause: &desk.ClosedError{ID: e.Record.ID, Outcome: *e.Record.Outcome}})
		return tea.Batch(cmd, m.settle())
	}
	return m.answer.send(form.Attention{Attended: e.Record.Attended})
}

// viewForm shows the form below the bar.
func (m *model) viewForm() term.Block {
	v := m.answer.form.View()
	if !m.barred() {
		return term.Block{Lines: []string{v.Content}, Cursor: v.Cursor}
	}
	return term.Block{Lines: []string{m.bar(), v.Content}, Cursor: term.Shift(v.Cursor, 0, barHigh)}
}

// bar says how many other questions wait, and how many of them are new.
func (m *model) bar() string {
	title := " Inbox"
	if n := m.waiting.open() - 1; n > 0 {
		title += ": " + words.Count(n, "other", "others")
	}
	if n := m.answer.fresh; n > 0 {
		title += fmt.Sprintf(", %d new", n)
	}
	does := " list "
	if m.width >= 60 {
		does = " back to the list "
	}
	left := term.Apart(title, "", min(m.width, maxWidth)-len(leaveKey+does))
	return term.Cut(m.styles.Muted.Render(left)+m.styles.Key.Render(leaveKey)+m.styles.Muted.Render(does), m.width)
}

// stop puts a notice in the place of what was taken away. Only Enter and Esc
// leave it, and not at once.
func (m *model) stop(text string) tea.Cmd {
	m.stopped, m.dismissal = text, nil
	return m.gate.Show(act.Appeared)
}

func (m *model) drawStopped(width int) term.Block {
	s := m.styles
	lines := append([]string{""}, term.Text(s.Strong, m.stopped, width)...)
	return term.Block{Lines: append(lines, term.Text(s.Muted, "Nothing of what you typed was sent.", width)...)}
}
