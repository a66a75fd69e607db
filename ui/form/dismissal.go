package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// dismissal asks whether to close without answering, and why.
type dismissal struct {
	reason  *entry // stays when the human goes back to the form
	writing bool   // the keyboard belongs to reason
}

// verdict is what the human said to a dismissal.
type verdict int

const (
	undecided verdict = iota
	goBack            // to the form, as it was
	goAhead           // close without answering
)

func newDismissal() *dismissal {
	return &dismissal{reason: newEntry("", "Why, if you like: the agent reads it")}
}

func (d *dismissal) press(msg tea.Msg) (verdict, tea.Cmd, error) {
	key, ok := msg.(tea.KeyPressMsg)
	if d.writing {
		switch {
		case ok && key.String() == "enter":
			return goAhead, nil, nil
		case ok && key.String() == "esc":
			d.stopWriting()
			return undecided, nil, nil
		}
		cmd, err := d.reason.press(msg)
		return undecided, cmd, err
	}
	if !ok {
		return undecided, nil, nil
	}
	switch key.String() {
	case "enter", "y":
		return goAhead, nil, nil
	case "esc", "n":
		return goBack, nil, nil
	case "r", "tab":
		d.writing = true
		d.reason.focus()
	}
	return undecided, nil, nil
}

func (d *dismissal) stopWriting() {
	d.writing = false
	d.reason.blur()
}

func (d *dismissal) hints() []hint {
	if d.writing {
		return []hint{{"enter", "close"}, {"esc", "stop writing"}}
	}
	return []hint{{"enter", "close"}, {"esc", "back to the form"}, {"r", "give a reason"}}
}

func (d *dismissal) draw(l *look, width, rows int) sheet {
	s := sheet{lines: each(l.question, wrap("Close without answering?", width))}
	s.lines = append(s.lines, each(l.muted, wrap("The agent will be told that you closed it.", width))...)
	s.lines = append(s.lines, "")
	reason := d.reason.text()
	switch {
	case d.writing:
		s.add(d.reason.draw(l, width, max(rows-len(s.lines), 1)))
	case reason != "":
		s.add(sheet{lines: wrap("Reason: "+question.Block(reason), width)})
	default:
		s.add(sheet{lines: each(l.muted, wrap("No reason given (r writes one)", width))})
	}
	return s.window(rows, width)
}
