package form

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// State says how far a form is.
type State int

// The states of a form. Each but Open is final.
const (
	Open      State = iota // in front of the human
	Sent                   // commit returned nil: an answer, or a dismissal
	Withdrawn              // somebody else was first, or the asker has gone
	Aborted                // Ctrl+C: nothing was committed, the record is open
)

// grace is how long after the form appears keys do not count: they were meant
// for whatever was on the screen before (FACTS 7.4).
const grace = 300 * time.Millisecond

// Form shows one record. It implements tea.Model. Once its State is no longer
// Open the command it returns ends with tea.Quit; a host that goes on runs the
// command all the same, since it may keep a last draft, and drops the message.
type Form struct {
	rec    desk.Record
	commit ui.Commit
	now    func() time.Time

	pages     *huh.Form // keeps the pages and which one is next
	order     []*page   // every page, the review last
	long      bool      // there has been more than one question, or a draft
	dismissal *dismissal
	asking    bool // the dismissal is in front of the page

	look          *look
	width, height int       // of the terminal, in cells; 0 until known
	since         time.Time // when the form appeared

	notice    string // why sending failed
	sending   bool   // commit is running
	state     State
	dismissed bool      // with Sent
	cause     error     // with Withdrawn
	waiting   *Withdraw // came while a reply was being sent

	drafts    drafts
	countdown countdown
	detached  bool // nobody waits for the answer
	limit     limit
	history   func() []desk.Record // nil: there is none
}

// Option changes how a form works.
type Option func(*Form)

// WithClock sets the clock by which early keys are told (default time.Now).
func WithClock(now func() time.Time) Option { return func(f *Form) { f.now = now } }

// Withdraw is the message that takes a form away: somebody else closed the
// record (Cause is a *desk.ClosedError), or nobody waits for it any more.
type Withdraw struct{ Cause error }

// result is the message that commit has returned.
type result struct {
	reply question.Reply
	err   error
}

// New returns a form for the record. What the human sends goes to commit,
// which runs as a command, so that it may take its time.
func New(rec desk.Record, commit ui.Commit, opts ...Option) *Form {
	f := &Form{rec: rec, commit: commit, now: time.Now, dismissal: newDismissal(), look: newLook(true)}
	for _, o := range opts {
		o(f)
	}
	f.buildPages()
	return f
}

// State returns how far the form is.
func (f *Form) State() State { return f.state }

// Init implements tea.Model: it asks the terminal whether it is light or dark.
func (f *Form) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Update implements tea.Model.
func (f *Form) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if f.state != Open {
		return f, nil
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		f.width, f.height = msg.Width, msg.Height
		if f.since.IsZero() {
			f.since = f.now()
		}
	case tea.BackgroundColorMsg:
		f.look = newLook(msg.IsDark())
	case Withdraw:
		if f.sending { // that reply may have been the first
			f.waiting = &msg
			return f, nil
		}
		return f, f.withdraw(msg.Cause)
	case result:
		return f, tea.Batch(f.settle(msg), f.changed())
	case tea.KeyPressMsg, tea.PasteMsg:
		if f.deaf() {
			return f, nil
		}
		return f, tea.Batch(f.press(msg), f.changed())
	}
	return f, f.hear(msg)
}

// hear takes the news that is neither a key nor the end.
func (f *Form) hear(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Deadline:
		return f.expect(msg.At)
	case tick:
		return f.ticked(msg)
	case Attention:
		f.detached = !msg.Attended
	case due:
		f.drafts.waiting = false
		return f.changed()
	case earlier:
		f.openHistory(msg.rounds)
	case lifted:
		f.settleLift(msg)
	}
	return nil
}

// deaf reports whether keys do not count: while the form is not there yet, and
// while a reply is being sent.
func (f *Form) deaf() bool {
	return f.sending || f.since.IsZero() || f.now().Sub(f.since) < grace
}

// press handles a key or a paste.
func (f *Form) press(msg tea.Msg) tea.Cmd {
	f.notice, f.page().err = "", nil
	key, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.String() == "ctrl+c":
		return f.end(Aborted)
	case f.asking:
		return f.pressDismissal(msg)
	case f.page().read != nil: // the key is the reader's
	case key.String() == "tab" && f.page().ask != nil:
		f.page().read = &reader{lines: plainText(f.page().everything())}
		return nil
	case f.remembers() && key.String() == f.letter("h"):
		return f.lookBack()
	case f.limit.lift != nil && key.String() == f.letter("L"):
		return f.lift()
	}
	_, cmd := f.pages.Update(msg)
	if next := f.grant(f.page()); next != nil {
		return next
	}
	return cmd
}

// grant does what the last key asked for on a page.
func (f *Form) grant(p *page) tea.Cmd {
	w := p.wish
	p.wish = stay
	switch w {
	case take:
		return f.goOn(p)
	case back:
		f.turnBack()
	case leave:
		f.asking = true
	case edit:
		if target := p.body.(*review).target(); target != nil {
			f.turnTo(target)
		}
	case explain:
		p.read = &reader{lines: plainText(hintPage(f.hints(true)))}
	}
	return nil
}

// pressDismissal handles a key or a paste while asking whether to close.
func (f *Form) pressDismissal(msg tea.Msg) tea.Cmd {
	v, cmd, err := f.dismissal.press(msg)
	switch {
	case err != nil:
		f.notice = err.Error()
	case v == goBack:
		f.asking = false
	case v == goAhead:
		return f.send(question.Reply{Dismissed: true, Reason: f.dismissal.reason.text()})
	}
	return cmd
}

// send commits a reply. Keys do not count until it has returned.
func (f *Form) send(r question.Reply) tea.Cmd {
	f.sending = true
	commit := f.commit
	return func() tea.Msg { return result{r, commit(r)} }
}

// settle handles what became of a reply.
func (f *Form) settle(r result) tea.Cmd {
	f.sending = false
	var closed *desk.ClosedError
	var faults question.Violations
	switch {
	case r.err == nil:
		f.dismissed = r.reply.Dismissed
		return f.end(Sent)
	case errors.As(r.err, &closed):
		return f.withdraw(r.err)
	case f.waiting != nil:
		return f.withdraw(f.waiting.Cause)
	case errors.As(r.err, &faults):
		f.fix(faults)
	default:
		f.notice = "Not sent: " + question.Line(r.err.Error()) + ". Everything is kept; enter tries again."
	}
	return nil
}

func (f *Form) withdraw(cause error) tea.Cmd {
	f.cause = cause
	return f.end(Withdrawn)
}

func (f *Form) end(s State) tea.Cmd {
	f.state = s
	keep := f.lastDraft()
	if keep == nil {
		return tea.Quit
	}
	return func() tea.Msg { keep(); return tea.Quit() }
}

// typing reports whether letters are text now.
func (f *Form) typing() bool {
	_, holds := f.page().hints()
	_, text := f.page().body.(*text)
	return holds || text
}

// letter is the key for a command that is called by a letter.
func (f *Form) letter(l string) string {
	if f.typing() {
		return "alt+" + strings.ToLower(l)
	}
	return l
}
