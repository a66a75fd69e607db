package term

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// Dismissal asks whether to end a record without all of its answers: to dismiss it, or to
// discuss it first. Its text field, which takes a word on that, has the keyboard.
type Dismissal struct {
	ask, consequence string // a question and a sentence; safe to show
	send             string // the hint of Enter
	decides          Decision
	reason           *Entry // stays when the human goes back
}

// Decision is the human's decision.
type Decision int

// The decisions.
const (
	Undecided Decision = iota
	GoBack             // to where the question was asked
	Dismiss            // close without answering
	Discuss            // put the question back to be discussed first
)

// NewDismissal returns the question whether to dismiss.
func NewDismissal(consequence string) *Dismissal {
	return &Dismissal{
		ask: words.T(words.AskDismiss), consequence: consequence, decides: Dismiss, send: words.T("dismiss"),
		reason: NewEntry("", words.T("Why, if you like: the agent reads it")),
	}
}

// Discussion returns the question whether to discuss first instead. Both share one word,
// which is sent only when the record is dismissed or discussed.
func (d *Dismissal) Discussion() *Dismissal {
	return &Dismissal{
		ask: words.T(words.AskDiscuss), consequence: words.T("The agent gets your note and the answers so far, and talks with you before it asks again."),
		send: words.T("send"), decides: Discuss, reason: d.reason,
	}
}

// Open gives the keyboard to its text field.
func (d *Dismissal) Open() { d.reason.Focus() }

// Decides is the decision that Enter makes.
func (d *Dismissal) Decides() Decision { return d.decides }

// Reason is the human's word.
func (d *Dismissal) Reason() string { return d.reason.Text() }

// SetReason restores the word of a draft.
func (d *Dismissal) SetReason(s string) { d.reason.Set(s) }

// Entry is its text field.
func (d *Dismissal) Entry() *Entry { return d.reason }

// Kind says what a key or a paste means to it. Opened by a key that may have begun a word,
// it waits for a pause: a key before that is foreign, and closes it.
func (d *Dismissal) Kind(msg tea.Msg, g *act.Gate) act.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	switch {
	case g.AwaitsQuiet():
		return act.Foreign
	case key.String() == "enter":
		return act.Act
	}
	return act.Edit
}

// Keep saves its state; the function it returns restores that.
func (d *Dismissal) Keep() (back func()) { return d.reason.Keep() }

// Press handles a key or a paste. The error is a sentence for the human.
func (d *Dismissal) Press(msg tea.Msg) (Decision, error) {
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "enter":
		return d.decides, nil
	case "esc":
		d.reason.Blur()
		return GoBack, nil
	}
	return Undecided, d.reason.Press(msg)
}

// Hints are the keys that work in it.
func (d *Dismissal) Hints() []Hint {
	return []Hint{NewHint("enter", d.send), NewHint("esc", words.T("back")), NewHint(EditKey, words.T("editor"))}
}

// Draw shows it in at most rows lines.
func (d *Dismissal) Draw(s *Styles, width, rows int) Block {
	b := Block{Lines: Text(s.Strong, d.ask, width)}
	b.Lines = append(b.Lines, Text(s.Muted, Cut(d.consequence, 2*width), width)...)
	b.Lines = append(b.Lines, "")
	b.Add(d.reason.Draw(s, width, rows-len(b.Lines)))
	return b.Window(rows, width)
}
