package form

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// State says how far a form is.
type State int

// The states of a form. Each but Open is final.
const (
	Open      State = iota // in front of the user
	Sent                   // commit returned nil: an answer, or a dismissal
	Withdrawn              // another answer was first, or the asker has gone
	Aborted                // Ctrl+C: nothing was committed, unless a commit still runs
)

// Form shows one record. It implements tea.Model. Once its State is no longer
// Open the command it returns is tea.Quit.
type Form struct {
	rec     desk.Record
	commit  ui.Commit
	options Options
	window  term.Window

	set      *answer.Set
	page                          // of its current question
	entry    *term.Entry          // with the keyboard; nil with choosing
	list     *list                // of the page
	previews map[string][]preview // of the options, by question
	cut      bool                 // a text of the page did not fit, when last drawn

	sending bool            // commit is running
	unsent  *question.Reply // sent again while the user does nothing else; nil for none
	state   State
	sent    question.Reply // with Sent
	cause   error          // with Withdrawn, or of a Withdraw that came while sending

	drafts drafts
	status Status
	alarm  time.Time // when the timer fires that draws the time left again; none runs once that is past
	lifted bool      // the round limit
}

// Options say how a form works, and what is known beside its record.
type Options struct {
	// Origin says that the user opened the form, or that it appeared by itself,
	// which is the default and asks more of what counts as a deliberate act.
	Origin gate.Origin
	// Break has Ctrl+C ask whether to dismiss before it leaves the form.
	Break bool
	// List says that the host has a list to which Esc on the first page goes back: the form
	// is Aborted. Elsewhere Esc closes nothing.
	List bool
	// Interrupted says what becomes of the record when the user breaks off, as
	// in present.Question; empty is that it stays open.
	Interrupted desk.Status
	// Draft is what the user chose and typed before, as in [answer.Options].
	Draft question.Reply
	// Save keeps [answer.Set.Draft], as a command, soon after every change; what it has not kept
	// when the form ends is [Form.Unsaved]. Nil keeps none.
	Save func(question.Reply) error
	// Memory is how the user answered questions before, by question id.
	Memory map[string]desk.Memory
	// Rounds returns the earlier rounds of the session, the latest first, as a command.
	Rounds func() []desk.Record
	// Lift lifts the round limit for the session, as a command. Nil: this round is not the
	// last before the limit.
	Lift  func() error
	signs bool // an answer must be signed, which a terminal cannot do
	// Window is that of a host with other screens, which hands keys, and the gate's
	// own messages, to the form while it is open. The form takes its clock, gate
	// and styles, and receives its own size. Nil is a window of the form's own.
	Window *term.Window
}

// Withdraw is the message that takes a form away: the record was closed elsewhere
// (Cause is a *desk.ClosedError), or no asker waits for it any more.
type Withdraw struct{ Cause error }

// New returns a form for the record. Commit receives what the user sends. It runs as a
// command, so that it may take its time.
func New(rec desk.Record, commit ui.Commit, o Options) *Form {
	f := &Form{
		rec: words.Local.Shown(rec), commit: commit, options: o,
		window: term.NewWindow(time.Now), previews: map[string][]preview{}, status: Status{Attended: true},
	}
	if o.Window != nil {
		f.window = *o.Window
		f.window.Width, f.window.Height = 0, 0
	}
	f.set = answer.New(f.rec, answer.Options{MustTouch: true, Draft: o.Draft, Memory: o.Memory})
	for _, q := range f.set.All() {
		previews := newPreviews(q)
		if previews != nil {
			f.previews[q.ID] = previews
		}
	}
	f.list = newList(f)
	f.drafts.last = f.set.Draft()
	f.showCurrent()
	return f
}

// State returns how far the form is.
func (f *Form) State() State { return f.state }

// Reply is what was sent, with Sent.
func (f *Form) Reply() question.Reply { return f.sent }

// Sending reports whether a commit still runs: its result is not known.
func (f *Form) Sending() bool { return f.sending }

// Closing is one line to print on the normal screen once the form has gone:
// how it ended, safe to show. It is empty while the form is open.
func (f *Form) Closing() string {
	switch {
	case f.state == Sent && f.sent.Dismissed:
		return words.T(words.Dismissed)
	case f.state == Sent && f.sent.Discuss:
		return words.T(words.Discussed)
	case f.state == Sent:
		return words.T(words.Sent)
	case f.state == Aborted && f.sending:
		return words.T(words.Uncertain)
	case f.state == Aborted:
		return words.Local.Interrupted(f.options.Interrupted)
	case f.state == Withdrawn:
		return words.Local.Withdrawal(f.cause)
	}
	return ""
}

// Init implements tea.Model.
func (f *Form) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (f *Form) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if f.state != Open {
		return f, nil
	}
	msg, wait := f.window.Gate.Update(msg, f)
	cmd := f.handle(msg)
	return f, tea.Batch(wait, cmd, f.countDown())
}

func (f *Form) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case nil: // the gate may have taken back what keys did
		return f.saveDraft(false)
	case saved:
		f.drafts.unsure = msg.err != nil
		return f.window.Gate.After(savePause, saveDue{})
	case saveDue:
		f.drafts.pausing = false
		return f.saveDraft(false)
	case sendAgain:
		if f.unsent == msg.reply && !f.sending {
			return f.send(*msg.reply)
		}
	case tea.KeyPressMsg, tea.PasteMsg:
		key, _ := msg.(tea.KeyPressMsg)
		switch {
		case !f.sending:
			f.unsent = nil
			return tea.Batch(f.press(msg), f.saveDraft(true))
		case key.String() == "ctrl+c": // the user can leave while the store hangs
			return f.end(Aborted)
		}
		return nil
	case tea.WindowSizeMsg:
		return f.window.Resize(msg, f.options.Origin)
	case tea.BackgroundColorMsg:
		f.window.Styles = term.NewStyles(msg.IsDark())
	case Withdraw:
		if !f.sending {
			return f.withdraw(msg.Cause)
		}
		f.cause = msg.Cause // that reply may have been the first
	case Status:
		f.status = msg
	case term.Callback:
		return msg()
	case term.Edited:
		if msg.Err != nil {
			f.notice = msg.Err.Error()
		}
		if f.entry != nil {
			f.takeOver()
		}
		return tea.Batch(f.window.Seen(), f.saveDraft(true))
	}
	return nil
}

// Kind implements gate.Page.
func (f *Form) Kind(msg tea.Msg) gate.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	name := key.String()
	switch {
	case name == "ctrl+c":
		return gate.Leave
	case f.sending:
		return gate.Edit
	case f.find(msg) == nil:
		return gate.Stray
	case name == "enter" && f.reader == nil:
		return gate.Submit
	}
	return gate.Edit
}

// Keep implements gate.Page.
func (f *Form) Keep() (back func()) {
	set, shown := f.set.Clone(), f.page
	return func() {
		f.set, f.page, f.unsent = set.Clone(), shown, nil // it may be restored once more
		f.edit()
	}
}

func (f *Form) press(msg tea.Msg) tea.Cmd {
	f.notice = ""
	key, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.String() != "ctrl+c":
		do := f.find(msg)
		if do == nil {
			return nil
		}
		return do()
	case f.options.Break && (f.field != ending || f.discuss):
		f.ask(false)
		return nil
	}
	return f.end(Aborted)
}
