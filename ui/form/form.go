package form

import (
	"slices"
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

	set       *answer.Set
	pages     map[string]*page // those that were shown, by question; "" is the review
	wide      bool             // some question has previews
	dismissal *term.Dismissal  // in front of the page while it asks

	notice        string          // what is wrong
	sending       bool            // commit is running
	unsent        *question.Reply // sent again while the user does nothing else; nil for none
	state         State
	sent          question.Reply // with Sent
	cause         error          // with Withdrawn, or of a Withdraw that came while sending
	waitingBehind int            // questions of the same asker that wait behind this one

	drafts   drafts
	deadline time.Time // when the record's timeout strikes; zero for never
	alarm    time.Time // when the timer fires that draws the time left again; zero while none runs
	lifted   bool      // the round limit
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

// More is the message that so many other questions of the same asker wait.
type More struct{ Wait int }

// New returns a form for the record. Commit receives what the user sends. It runs as a
// command, so that it may take its time.
func New(rec desk.Record, commit ui.Commit, o Options) *Form {
	f := &Form{
		rec: words.Local.Shown(rec), commit: commit, options: o,
		window: term.NewWindow(time.Now), pages: map[string]*page{},
		dismissal: term.NewDismissal(words.T("The agent will be told that you dismissed it.")),
	}
	if o.Window != nil {
		f.window = *o.Window
		f.window.Width, f.window.Height = 0, 0
	}
	f.rec.Attended = true // until an Attention
	f.set = answer.New(f.rec, answer.Options{MustTouch: true, Draft: o.Draft, Memory: o.Memory})
	f.dismissal.Entry().Set(f.set.Reason())
	for _, q := range f.set.All() {
		f.wide = f.wide || slices.ContainsFunc(q.Options, func(o question.Option) bool { return o.Preview != "" })
	}
	f.drafts.last = f.set.Draft()
	f.page().focus()
	return f
}

// page is the page of the current question.
func (f *Form) page() *page {
	id := ""
	if q := f.set.Current(); q != nil {
		id = q.ID
	}
	if f.pages[id] == nil {
		f.pages[id] = f.newPage(id)
	}
	return f.pages[id]
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
	case Deadline:
		f.deadline = msg.At
	case Attention:
		f.rec.Attended = msg.Attended
	case More:
		f.waitingBehind = msg.Wait
	case term.Then:
		return msg()
	case term.Edited:
		if msg.Err != nil {
			f.notice = msg.Err.Error()
		}
		f.takeOver()
		return tea.Batch(f.window.Seen(), f.saveDraft(true))
	}
	return nil
}

// Kind implements gate.Page.
func (f *Form) Kind(msg tea.Msg) gate.Kind {
	key, _ := msg.(tea.KeyPressMsg)
	switch name := key.String(); {
	case name == "ctrl+c":
		return gate.Leave
	case f.sending:
		return gate.Edit
	case f.dismissal.Asks():
		return f.dismissal.Kind(msg)
	case f.page().find(msg) == nil:
		return gate.Stray
	case name == "enter" && !f.page().covered():
		return gate.Submit
	}
	return gate.Edit
}

// Keep implements gate.Page.
func (f *Form) Keep() (back func()) {
	set, place, decides, notice := f.set.Clone(), f.page().place(), f.dismissal.Decides, f.notice
	return func() {
		f.set, f.notice = set.Clone(), notice // it may be restored once more
		f.pages = map[string]*page{}          // which show what the set holds
		f.page().restore(place)
		f.dismissal.Restore(decides, set.Reason())
	}
}

func (f *Form) press(msg tea.Msg) tea.Cmd {
	f.notice = ""
	key, _ := msg.(tea.KeyPressMsg)
	switch name := key.String(); {
	case name == "ctrl+c" && f.options.Break && f.dismissal.Decides != term.Dismiss:
		return f.ask(term.Dismiss)
	case name == "ctrl+c":
		return f.end(Aborted)
	case name == term.EditKey && f.entry() != nil:
		return f.window.Edit(f.entry())
	case f.dismissal.Asks():
		return f.pressDismissal(msg)
	default:
		do := f.page().find(msg)
		if do == nil {
			return nil
		}
		return do()
	}
}

// entry is where text is typed now, nil for nowhere.
func (f *Form) entry() *term.Entry {
	if f.dismissal.Asks() {
		return f.dismissal.Entry()
	}
	return f.page().focused()
}

// takeOver takes what was typed into the question set.
func (f *Form) takeOver() {
	if f.dismissal.Asks() {
		f.set.WriteReason(f.dismissal.Reason())
	} else {
		f.page().takeOver()
	}
}

// ask asks whether to dismiss, or to discuss first, in place of the page. What is typed next
// is for that.
func (f *Form) ask(decision term.Decision) tea.Cmd {
	f.dismissal.Open(decision)
	return nil
}

// escape goes back to the page before, or from the first one to the list of the host.
func (f *Form) escape() tea.Cmd {
	p := f.page()
	switch {
	case f.set.Previous() != nil:
		return p.back()
	case f.options.List:
		return f.end(Aborted)
	default:
		f.notice = words.T("%[1]s dismiss · %[2]s discuss first · esc does not close the question", term.DismissKey, term.DiscussKey)
	}
	return nil
}

// WriteNote opens the note to the answer.
func (f *Form) WriteNote() { f.page().openNote() }

func (f *Form) pressDismissal(msg tea.Msg) tea.Cmd {
	decision, err := f.dismissal.Press(msg)
	if err != nil {
		f.notice = err.Error()
	}
	f.takeOver()
	switch decision {
	case term.GoBack:
		f.page().focus()
	case term.Dismiss:
		return f.sendReply(f.set.Dismissal)
	case term.Discuss:
		return f.sendReply(f.set.Discussion)
	case term.Undecided:
	}
	return nil
}
