package term

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// Dismissal asks whether to close a record without an answer, and why.
type Dismissal struct {
	about   string // below the question; safe to show
	direct  bool   // what is typed is the reason
	reason  *Entry // stays when the human goes back
	writing bool   // the keyboard belongs to reason
}

// Decision is what the human said to a dismissal.
type Decision int

// What a key may decide.
const (
	Undecided Decision = iota
	GoBack             // to where it was called from
	Dismiss            // close without answering
)

// NewDismissal returns the question whether to close. Direct ones take the
// reason at once; others ask for a key before it.
func NewDismissal(about string, direct bool) *Dismissal {
	d := &Dismissal{about: about, direct: direct, reason: NewEntry("", "Why, if you like: the agent reads it")}
	if direct {
		d.write()
	}
	return d
}

// Reason is what the human gave as one.
func (d *Dismissal) Reason() string { return d.reason.Text() }

// SetReason restores what was typed before.
func (d *Dismissal) SetReason(s string) { d.reason.Set(s) }

func (d *Dismissal) write() {
	d.writing = true
	d.reason.Focus()
}

// Kind says what a key or a paste means to it.
func (d *Dismissal) Kind(msg tea.Msg) act.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	switch name := key.String(); {
	case name == "enter":
		return act.Act
	case d.writing, slices.Contains([]string{"esc", "n", "y", "r", "tab"}, name):
		return act.Edit
	}
	return act.Foreign
}

// Keep remembers how it stands; the function it returns goes back to that.
func (d *Dismissal) Keep() (back func()) {
	writing, reason := d.writing, d.reason.Keep()
	return func() { d.writing = writing; reason() }
}

// Press handles a key or a paste. The error is a sentence for the human.
func (d *Dismissal) Press(msg tea.Msg) (Decision, error) {
	key, _ := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case name == "enter":
		return Dismiss, nil
	case name == "y" && !d.writing: // a letter closes nothing
		return Undecided, Fault("Press enter to close, esc to go back.")
	case name == "esc" && d.writing && !d.direct:
		d.writing = false
		d.reason.Blur()
	case name == "esc", name == "n" && !d.writing:
		return GoBack, nil
	case d.writing:
		return Undecided, d.reason.Press(msg)
	case name == "r", name == "tab":
		d.write()
	}
	return Undecided, nil
}

// Hints are the keys that work in it.
func (d *Dismissal) Hints() []Hint {
	switch {
	case d.direct:
		return []Hint{{"enter", "dismiss"}, {"esc", "back"}}
	case d.writing:
		return []Hint{{"enter", "close"}, {"esc", "stop writing"}}
	}
	return []Hint{{"enter", "close"}, {"esc", "back to the form"}, {"r", "give a reason"}}
}

// Draw shows it in at most rows lines.
func (d *Dismissal) Draw(s *Styles, width, rows int) Block {
	b := Block{Lines: Text(s.Strong, words.AskDismiss, width)}
	b.Lines = append(b.Lines, Text(s.Muted, Cut(d.about, 2*width), width)...)
	b.Lines = append(b.Lines, "")
	switch reason := d.reason.Text(); {
	case d.writing:
		b.Add(d.reason.Draw(s, width, max(rows-len(b.Lines), 1)))
	case reason != "":
		b.Add(Block{Lines: Wrap("Reason: "+question.Block(reason), width)})
	default:
		b.Add(Block{Lines: Text(s.Muted, "No reason given (r writes one)", width)})
	}
	return b.Window(rows, width)
}
