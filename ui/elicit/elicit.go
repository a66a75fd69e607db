// Package elicit is the surface of the MCP client's own form: it asks a set's
// questions in elicitation forms, one after the other, and makes a reply of
// what the client sends back. It may import ui, ui/words, desk, question and
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
//   - No default is sent, as hosts accept them on the human's behalf. The first
//     row of a list is what Enter takes: no yes that was not declared.
//   - A form takes the keys that its user types to the agent. Where one of them
//     sends a row of a list, the form is a line of text that begins with a sign
//     which no sentence begins with (line.go). Where a typed sentence fills a
//     text, a list leads to the text; where it finds a row, no row begins with a
//     letter.
//   - Only what fits the form and came as slowly as a human is counts. What does
//     not fit is a slip: the form is shown again.
package elicit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// A decline or cancel counts after hostDeclines, as hosts decline in 1 to 30 ms.
// An accept counts from hostAccepts on: keys that were meant for another program
// arrive before that, as on every other surface.
const (
	hostAccepts  = 600 * time.Millisecond
	hostDeclines = time.Second
)

// Bounds of one set's forms. A human gets there only on purpose, or with as many
// sentences that were meant for the agent.
const (
	maxForms = 100
	maxSlips = 4  // in a row
	maxLines = 20 // in a row, in forms that are a line of text
	maxEarly = 2  // accepts in a row before they count: then the client has no human
)

// Client carries one form to the MCP client and brings back its result.
type Client interface {
	// Elicit returns the client's result and the time since the client can have
	// shown the form, at most. When ctx ends first, the form is withdrawn at the client where the
	// protocol can do that. ui.ErrCallEnded means that the call ended first; any
	// other error that the client would not show the form.
	Elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error)
}

// Keeper is a Client that cannot take a form back, and so may bring a result
// after the question has ended. Late, called before each form, says how to read
// such a result: what the human has answered in all, or that it is no answer.
type Keeper interface {
	Late(read func(*mcp.ElicitationResult, time.Duration) (question.Reply, bool))
}

// Style is what a client's form can do, and what it does with keys that were
// meant for the agent. The zero value has no arrays and shows everything.
type Style struct {
	Arrays bool // shows a choice of several as an array; a list of no and yes for each option otherwise
	Line   bool // sends a row of a list at one key: each question is a line of text instead
	Typed  bool // a typed sentence fills a text, or finds a row that begins like it, and Enter sends it: a list of rows that no sentence begins like leads to each text
	// Columns is how wide the form shows an option, Rows how much of the message;
	// 0 is all.
	Columns, Rows int
}

// New returns the surface that asks through client.
func New(client Client, style Style) ui.Surface { return &surface{client, style} }

type surface struct {
	client Client
	style  Style
}

func (s *surface) Name() string { return "elicit" }

func (s *surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if q := rec.Secret(); q != nil {
		return ui.Unavailablef("%q asks for a secret, which must not go through a client's form", question.Line(q.Text))
	}
	d := dialogue{rec: words.Local.Shown(rec), Style: s.style, before: map[string]question.Answer{}}
	ended := make(chan struct{})
	defer close(ended)
	forms := 0
	for ; forms < maxForms && d.slips < d.maxSlips() && d.early < maxEarly; forms++ {
		q := d.due()
		if q == nil {
			err := commit(d.given)
			if d.refused(err) {
				continue
			}
			return err
		}
		f := d.form(q)
		if k, ok := s.client.(Keeper); ok {
			k.Late(func(result *mcp.ElicitationResult, took time.Duration) (question.Reply, bool) {
				<-ended
				return d.late(q, f, result, took)
			})
		}
		got, err := s.put(ctx, f)
		switch {
		case err != nil:
			return err
		case got.dismissed:
			return commit(question.Reply{Dismissed: true})
		case got.early:
			d.early++
			d.plea = words.T("That was too quick to be an answer: please answer again.")
		default:
			d.take(q, got)
		}
	}
	return ui.Unavailablef("the client's form brought no complete answer in %d attempts", forms)
}

// put shows one form and returns what the human said in it.
func (s *surface) put(ctx context.Context, f *form) (said, error) {
	result, took, err := s.client.Elicit(ctx, f.params())
	if err == nil && result == nil {
		err = errors.New("no result")
	}
	accepted := err == nil && result.Action == mcp.ElicitationResponseActionAccept
	switch {
	case ctx.Err() != nil && !accepted: // an accept goes to the desk all the same
		return said{}, context.Cause(ctx)
	case errors.Is(err, ui.ErrCallEnded):
		return said{}, err
	case err != nil:
		return said{}, ui.Unavailablef("the client did not show the form: %v", err)
	}
	closed := result.Action == mcp.ElicitationResponseActionDecline || result.Action == mcp.ElicitationResponseActionCancel
	switch {
	case accepted:
		got := f.read(result.Content)
		if took < hostAccepts && (got.slip == "" || !s.style.Line) { // a line that is no answer is a sentence, however fast
			got = said{early: true}
		}
		return got, nil
	case closed && took > hostDeclines:
		return said{dismissed: true}, nil
	case closed:
		return said{}, ui.Unavailablef("the client answered %s by itself after %s", result.Action, took.Round(time.Millisecond))
	}
	return said{}, ui.Unavailablef("the client sent the unknown action %q", string(result.Action))
}

// dialogue is how far the forms of one set have come.
type dialogue struct {
	rec desk.Record
	Style
	given  question.Reply             // a question without an answer is still to be asked
	before map[string]question.Answer // what was said before a question was asked again
	half   *said                      // what was chosen beside "Other", whose text is due
	plea   string                     // what the next form says first
	slips  int                        // in a row
	early  int                        // accepts in a row that came too early
}

func (d *dialogue) maxSlips() int {
	if d.Line {
		return maxLines
	}
	return maxSlips
}

// turn is the question that is due.
type turn struct {
	*question.Question
	place, of int                // among those that are shown, from 1
	previous  *question.Question // to go back to; nil for the first
}

// due returns the first question that the answers so far bring up and that has
// none; nil when all have.
func (d *dialogue) due() *turn {
	shown := d.rec.Shown(d.given.Answers)
	var previous *question.Question
	for i, q := range shown {
		if d.given.Answer(q.ID) == nil {
			return &turn{q.Question, i + 1, len(shown), previous}
		}
		previous = q.Question
	}
	return nil
}

// take goes on from what the form of q brought.
func (d *dialogue) take(q *turn, got said) {
	d.early = 0
	switch {
	case got.slip != "":
		d.again(got.slip)
	case got.back:
		d.reopen(q.previous.ID)
	case got.write:
		d.half = &got
	case q.Required && !got.answers():
		d.again(missing(words.T("at least one choice")))
	default:
		if d.half != nil {
			got.selected = d.half.selected
		}
		d.half, d.slips = nil, 0
		d.given.Answers = append(d.given.Answers, question.Answer{QuestionID: q.ID, Selected: got.selected, Custom: got.text})
	}
}

// late is what has been answered in all, with the result of a form that came
// when the question had ended.
func (d *dialogue) late(q *turn, f *form, result *mcp.ElicitationResult, took time.Duration) (question.Reply, bool) {
	if result == nil || result.Action != mcp.ElicitationResponseActionAccept || took < hostAccepts {
		return question.Reply{}, false
	}
	if got := f.read(result.Content); got.answers() && got.slip == "" && !got.write {
		d.take(q, got)
	}
	return d.given, len(d.given.Answers) > 0
}

// again has the question asked once more, from its options on: "Other" without
// a text leads back to them.
func (d *dialogue) again(slip string) {
	d.half, d.plea = nil, slip
	d.slips++
}

// reopen has a question asked again.
func (d *dialogue) reopen(id string) {
	d.before[id] = *d.given.Answer(id)
	d.given.Answers = slices.DeleteFunc(d.given.Answers, func(a question.Answer) bool { return a.QuestionID == id })
}

// refused reports whether the set refused some of the answers. Their questions
// are asked again.
func (d *dialogue) refused(err error) (again bool) {
	found, _ := errors.AsType[question.Violations](err)
	for _, v := range found {
		id, _ := strings.CutPrefix(v.Path, "answers.")
		if d.given.Answer(id) != nil {
			d.reopen(id)
			d.plea = words.T("Please answer again: %s.", question.Line(v.In(words.T)))
			again = true
		}
	}
	return again
}
