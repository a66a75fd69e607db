// Package elicit is the surface of the MCP client's own form: it asks a set's
// questions in elicitation forms, one after the other, and makes a reply of
// what the client sends back. It draws an answer.Set as forms and enters their
// results into it. It may import ui, ui/answer, ui/words, desk, question and
// mcp-go's message types. It must not know how a form travels to the client
// (that is the Client it is given: a request in the older protocol era, a round
// trip of the call in the newer) nor any other surface.
//
// The rules, from what hosts do with forms:
//
//   - One question a form. The message begins with it, as some hosts show three
//     rows, and lists no options unless the form is a line of text.
//   - Every field is required, as some hosts cannot send an empty text: what may
//     be left open has an entry that says so.
//   - No default is sent, as hosts accept them on the user's behalf. The first
//     row of a list is what Enter takes: no yes that was not declared.
//   - A form takes the keys that its user types to the agent. Where one of them
//     sends a row of a list, the form is a line of text that begins with a sign
//     which no sentence begins with (line.go). Where a typed sentence fills a
//     text, a list leads to the text; where it finds a row, no row begins with a
//     letter.
//   - Only a result that fits the form and took as long as a user takes counts. What
//     does not fit is a slip: the form is shown again.
package elicit

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// A decline or cancel counts after hostDeclines, as hosts decline in 1 to 30 ms, and at once
// where the user has answered a form before.
// An accept counts from hostAccepts on: keys that were meant for another program
// arrive before that, as on every other surface.
const (
	hostAccepts  = 600 * time.Millisecond
	hostDeclines = time.Second
)

// Limits of one set's forms. A user reaches them only on purpose, or with as many
// sentences that were meant for the agent.
const (
	maxForms = 100
	maxSlips = 4  // in a row
	maxLines = 20 // in a row, in forms that are a line of text
	maxEarly = 2  // accepts in a row before they count: then the client has no user
)

// Client carries one form to the MCP client and brings back its result.
type Client interface {
	// Elicit returns the client's result, never nil, and the time since the client can have
	// shown the form, at most. When ctx ends first, the form is withdrawn at the client where the
	// protocol can do that. ui.ErrCallEnded means that the call ended first; any
	// other error that the client would not show the form.
	Elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error)
}

// Style is what a client's form can do, and what it does with keys that were
// meant for the agent. The zero value has no arrays and shows everything.
type Style struct {
	Arrays bool // shows a choice of several as an array; it is a line of text otherwise
	Line   bool // sends a row of a list at one key: each question is a line of text instead
	// Typed means that a typed sentence fills a text, or finds a row that begins like it, and
	// that Enter sends it: a list of rows that no sentence begins like leads to each text.
	Typed bool
	Rows  int // of the message that the form shows; 0 is all
	// OwnWords means that the client adds a row to each list whose text it sends as the
	// value, and that Enter sends the row above all others: that row says nothing.
	OwnWords bool
}

// line reports whether a question is a line of text.
func (s Style) line(q *shownQuestion) bool { return s.Line || q.Several() && !s.Arrays }

// New returns the surface that asks through client. The desk keeps the answers of earlier
// forms until the last one is sent; nil: they are not kept.
func New(client Client, style Style, d *desk.Desk) ui.Surface { return &surface{client, style, d} }

type surface struct {
	client Client
	style  Style
	desk   *desk.Desk
}

func (s *surface) Name() string { return "elicit" }

func (s *surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if q := rec.Secret(); q != nil {
		return ui.Unavailablef("%q asks for a secret, which must not go through a client's form", question.Line(q.Text))
	}
	c := newConversation(rec, s.style)
	if s.desk != nil {
		c.earlier, _, _ = s.desk.Draft(ctx, rec.ID) // the forms do without one that cannot be read
	}
	for forms := 0; !c.ready; forms++ {
		if forms == maxForms || c.slips == c.maxSlips() || c.early == maxEarly {
			return ui.Unavailablef("the client's form brought no complete answer in %d attempts", forms)
		}
		q := c.current()
		f := c.form(q)
		got, err := s.showForm(ctx, f, c.answered)
		switch {
		case err != nil:
			return err
		case got.dismissed:
			return commit(question.Reply{Dismissed: true})
		case got.early:
			c.early++
			c.notice = words.T("That was too quick to be an answer: please answer again.")
		default:
			c.apply(q, got)
			s.keep(ctx, c)
		}
	}
	reply, err := c.Reply()
	if err != nil {
		return err
	}
	return commit(reply)
}

// keep keeps the answers so far as a draft, as more forms follow: the call may end before the
// last one. It also restarts the clock of a timeout. A failure leaves only the draft out.
func (s *surface) keep(ctx context.Context, c *conversation) {
	if s.desk != nil && !c.ready {
		_ = s.desk.KeepAnswers(context.WithoutCancel(ctx), c.Record().ID, c.Draft().Answers, question.ByUser)
	}
}

// showForm shows one form and reads its result. Answered means that the user has answered a
// form before.
func (s *surface) showForm(ctx context.Context, f *form, answered bool) (reading, error) {
	result, took, err := s.client.Elicit(ctx, f.params())
	accepted := err == nil && result.Action == mcp.ElicitationResponseActionAccept
	switch {
	case ctx.Err() != nil && !accepted: // an accept is passed to the desk all the same
		return reading{}, context.Cause(ctx)
	case errors.Is(err, ui.ErrCallEnded):
		return reading{}, err
	case err != nil:
		return reading{}, ui.Unavailablef("the client did not show the form: %v", err)
	case accepted:
		got := f.read(result.Content)
		if took < hostAccepts && (got.slip == "" || !f.line) { // a line that is no answer is a sentence, however fast
			got = reading{early: true}
		}
		return got, nil
	case result.Action != mcp.ElicitationResponseActionDecline && result.Action != mcp.ElicitationResponseActionCancel:
		return reading{}, ui.Unavailablef("the client sent the unknown action %q", string(result.Action))
	case answered || took > hostDeclines:
		return reading{dismissed: true}, nil
	}
	return reading{}, ui.Unavailablef("the client answered %s by itself after %s", result.Action,
		took.Round(time.Millisecond))
}

// conversation is a question set that is answered in a client's forms.
type conversation struct {
	*answer.Set
	Style
	earlier question.Reply // what the user answered in forms before these
	notice  string         // what the next form says first
	kept    string         // a text for the current question, typed without the sign of a line
	slips   int            // in a row
	early   int            // accepts in a row that came too early
	ready   bool           // every question has its answer

	answered bool // the user has sent something that a form takes
}

func newConversation(rec desk.Record, style Style) *conversation {
	set := answer.New(words.Local.Shown(rec), answer.Options{})
	return &conversation{Set: set, Style: style, ready: set.Current() == nil}
}

func (c *conversation) maxSlips() int {
	if c.Line {
		return maxLines
	}
	return maxSlips
}

// shownQuestion is the question that a form asks.
type shownQuestion struct {
	*answer.Question
	previous *answer.Question // to go back to; nil for the first
}

// current returns the question that the next form asks.
func (c *conversation) current() *shownQuestion { return &shownQuestion{c.Current(), c.Previous()} }

// apply takes what was read from the form of q.
func (c *conversation) apply(q *shownQuestion, got reading) {
	c.early = 0
	if got.slip == "" {
		c.kept, c.answered = "", true
		got.slip = c.act(q, got)
	}
	c.kept = cmp.Or(got.kept, c.kept)
	if got.slip != "" {
		_ = q.Put(nil, "") // Other without a text leads back to the options
		c.notice = got.slip
		c.slips++
	}
}

// act enters what was read from the form of q, and returns why the question is asked again, if
// it is.
func (c *conversation) act(q *shownQuestion, got reading) (slip string) {
	if got.back {
		_ = c.Back() // the choice exists only where a question is before
		return ""
	}
	var err error
	if q.NeedsWords() {
		err = q.Type(got.text)
	} else {
		err = q.Put(got.rows, got.text)
	}
	switch {
	case err != nil:
		return notOffered()
	case q.NeedsWords(): // which a form of its own asks for
		return ""
	}
	ready, err := c.Next()
	switch {
	case errors.Is(err, answer.ErrRequired):
		return missing(words.T("at least one choice"))
	case errors.As(err, new(question.Violations)):
		return again(err)
	case err != nil:
		return notOffered()
	}
	c.slips, c.ready = 0, ready || c.Current() == nil
	return ""
}
