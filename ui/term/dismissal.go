package term

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// Dismissal asks whether to end a record without all of its answers, and takes
// a word on it: to dismiss it, or to discuss it first.
type Dismissal struct {
	ask, consequence string // a question and a sentence; safe to show
	withWord, noWord string // the line for the human's word
	send             string // the hint of Enter
	press            string // a sentence about Enter
	decides          Decision
	direct           bool   // it opens with the keyboard in the entry
	talk             bool   // a key leads to Discussion
	reason           *Entry // stays when the human goes back; may have the keyboard
}

// Decision is the human's decision.
type Decision int

// The decisions.
const (
	Undecided Decision = iota
	GoBack             // to where the question was asked
	Dismiss            // close without answering
	Discuss            // put the question back to be discussed first, or ask about that
)

// NewDismissal returns the question whether to dismiss. It takes a reason only after a key
// for that, or the rest of a sentence for another program would be one. With talk it has a
// key for discussing first, too.
func NewDismissal(consequence string, talk bool) *Dismissal {
	return &Dismissal{
		ask: words.T(words.AskDismiss), consequence: consequence, decides: Dismiss, talk: talk,
		withWord: words.Mark("Reason: %s"), noWord: words.T("No reason yet (tab writes one)"),
		send: words.T("dismiss"), press: words.T("Press enter to dismiss, esc to go back."),
		reason: NewEntry("", words.T("Why, if you like: the agent reads it")),
	}
}

// Discussion returns the question whether to discuss first instead. Both share one word,
// which is sent only when the record is dismissed or discussed. A direct one opens with the
// keyboard in the entry for the word.
func (d *Dismissal) Discussion(direct bool) *Dismissal {
	return &Dismissal{
		ask: words.T(words.AskDiscuss), consequence: words.T("The agent gets your note and the answers so far, and talks with you before it asks again."),
		withWord: words.Mark("Note: %s"), noWord: words.T("No note yet (tab writes one)"),
		send: words.T("send"), press: words.T("Press enter to send, esc to go back."),
		decides: Discuss, direct: direct, reason: d.reason,
	}
}

// Open gives the keyboard to it, and in a direct one to its entry.
func (d *Dismissal) Open() {
	if d.direct {
		d.reason.Focus()
	}
}

// Reason is the human's word.
func (d *Dismissal) Reason() string { return d.reason.Text() }

// SetReason restores the word of a draft.
func (d *Dismissal) SetReason(s string) { d.reason.Set(s) }

// Entry is the entry with the keyboard, nil for none.
func (d *Dismissal) Entry() *Entry {
	if d.reason.Focused() {
		return d.reason
	}
	return nil
}

// Kind says what a key or a paste means to it.
func (d *Dismissal) Kind(msg tea.Msg) act.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	switch name := key.String(); {
	case name == "enter":
		return act.Act
	case d.reason.Focused(), name == "d" && d.talk, slices.Contains([]string{"esc", "n", "y", "r", "tab"}, name):
		return act.Edit
	}
	return act.Foreign
}

// Keep saves its state; the function it returns restores that.
func (d *Dismissal) Keep() (back func()) { return d.reason.Keep() }

// Press handles a key or a paste. The error is a sentence for the human.
func (d *Dismissal) Press(msg tea.Msg) (Decision, error) {
	key, _ := msg.(tea.KeyPressMsg)
	switch name, writing := key.String(), d.reason.Focused(); {
	case name == "enter":
		return d.decides, nil
	case name == "y" && !writing: // a letter closes nothing
		return Undecided, errors.New(d.press)
	case name == "esc" && writing && !d.direct:
		d.reason.Blur()
	case name == "esc", name == "n" && !writing:
		d.reason.Blur()
		return GoBack, nil
	case writing:
		return Undecided, d.reason.Press(msg)
	case name == "d" && d.talk:
		return Discuss, nil
	case name == "r", name == "tab":
		d.reason.Focus()
	}
	return Undecided, nil
}

// Hints are the keys that work in it.
func (d *Dismissal) Hints() []Hint {
	writing := d.reason.Focused()
	return Bindings{
		{Keys: "enter", Hint: d.send},
		{Keys: "esc", Hint: words.T("back")},
		{Keys: EditKey, Hint: words.T("editor"), Off: !writing},
		{Keys: "tab", Hint: words.T("write a note"), Off: writing || d.decides != Discuss},
		{Keys: "r", Hint: words.T("give a reason"), Off: writing || d.decides != Dismiss},
		{Keys: "d", Hint: words.T("discuss first"), Off: writing || !d.talk},
	}.Hints()
}

// Draw shows it in at most rows lines.
func (d *Dismissal) Draw(s *Styles, width, rows int) Block {
	b := Block{Lines: Text(s.Strong, d.ask, width)}
	b.Lines = append(b.Lines, Text(s.Muted, Cut(d.consequence, 2*width), width)...)
	b.Lines = append(b.Lines, "")
	switch reason := d.reason.Text(); {
	case d.reason.Focused():
		b.Add(d.reason.Draw(s, width, rows-len(b.Lines)))
	case reason != "":
		b.Add(Block{Lines: Wrap(words.T(d.withWord, question.Block(reason)), width)})
	default:
		b.Add(Block{Lines: Text(s.Muted, d.noWord, width)})
	}
	return b.Window(rows, width)
}
