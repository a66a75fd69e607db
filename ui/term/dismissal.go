package term

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// The keys that dismiss, and discuss first, in every form and list.
const (
	DismissKey = "ctrl+x"
	DiscussKey = "ctrl+d"
)

// Dismissal asks whether to end a record without all of its answers: to dismiss it, or to
// discuss it first. Its text field, which takes a word on that for both, has the keyboard.
type Dismissal struct {
	Decides     Decision // what Enter decides; Undecided while it does not ask
	consequence string   // of dismissing, a sentence; safe to show
	reason      *Entry   // stays when the user goes back
}

// Decision is the user's decision.
type Decision int

// The decisions.
const (
	Undecided Decision = iota
	GoBack             // to where the question was asked
	Dismiss            // close without answering
	Discuss            // put the question back to be discussed first
)

// NewDismissal returns a Dismissal that does not ask yet.
func NewDismissal(consequence string) *Dismissal {
	return &Dismissal{consequence: consequence, reason: NewEntry("", words.T("Why, if you like: the agent reads it"))}
}

// Open asks whether to Dismiss or to Discuss, and gives the keyboard to the text field.
func (d *Dismissal) Open(decision Decision) {
	d.Decides = decision
	d.reason.Focus()
}

// Close asks no longer.
func (d *Dismissal) Close() {
	d.Decides = Undecided
	d.reason.Blur()
}

// Asks reports whether it asks.
func (d *Dismissal) Asks() bool { return d.Decides != Undecided }

// Entry is its text field. Its text is sent only with a decision.
func (d *Dismissal) Entry() *Entry { return d.reason }

// Reason is the user's word.
func (d *Dismissal) Reason() string { return d.reason.Text() }

// Kind says what a key or a paste means to it.
func (d *Dismissal) Kind(msg tea.Msg) gate.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	if key.String() == "enter" {
		return gate.Submit
	}
	return gate.Edit
}

// Restore opens it for a decision, Undecided for none, with a reason that was typed before.
func (d *Dismissal) Restore(decision Decision, reason string) {
	d.Close()
	d.reason.Set(reason)
	if decision != Undecided {
		d.Open(decision)
	}
}

// Press handles a key or a paste. The error is a sentence for the user.
func (d *Dismissal) Press(msg tea.Msg) (Decision, error) {
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "enter":
		return d.Decides, nil
	case "esc":
		d.Close()
		return GoBack, nil
	}
	return Undecided, d.reason.Press(msg)
}

// Hints are the keys that work in it.
func (d *Dismissal) Hints() []Hint {
	sends := words.T("dismiss")
	if d.Decides == Discuss {
		sends = words.T("send")
	}
	return []Hint{NewHint("enter", sends), NewHint("esc", words.T("back")), NewHint(EditKey, words.T("editor"))}
}

// Draw shows it in at most rows lines.
func (d *Dismissal) Draw(s *Styles, width, rows int) Block {
	ask, consequence := words.T(words.AskDismiss), d.consequence
	if d.Decides == Discuss {
		ask, consequence = words.T(words.AskDiscuss), words.T("The agent gets your note and the answers so far, and talks with you before it asks again.")
	}
	b := Block{Lines: Text(s.Strong, ask, width)}
	b.Lines = append(b.Lines, Text(s.Muted, Cut(consequence, 2*width), width)...)
	b.Lines = append(b.Lines, "")
	b.Add(d.reason.Draw(s, width, rows-len(b.Lines)))
	return b.Window(rows, width)
}
