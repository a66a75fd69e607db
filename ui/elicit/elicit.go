// Package elicit is the surface of the MCP client's own form: it turns a set
// into elicitation forms and what the client sends back into a reply. It may
// import ui, desk, question and mcp-go's message types. It must not know how a
// form travels to the client (that is the Client it is given: a request in the
// older protocol era, a round trip of the call in the newer) nor any other
// surface.
//
// The rules (FACTS 3): one form for the whole set, follow-ups in a second one;
// no default is ever sent, because some clients accept defaults on the human's
// behalf; what comes back is trusted only as far as it fits the form.
package elicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// Instant is how fast a decline or cancel must be to count as the host's own:
// no human reads a form in that time (FACTS 3: hosts decline in 1–30 ms).
const Instant = time.Second

// maxForms bounds how often one set may be put into a form: three levels of
// follow-ups, and some corrections.
const maxForms = 8

// Client carries one form to the MCP client and brings back its result.
type Client interface {
	// Elicit returns the client's result and the time the form was with it.
	// When ctx ends first, the form is withdrawn at the client where the
	// protocol can do that. ui.ErrCallEnded means that the call ended first; any
	// other error that the client would not show the form.
	Elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error)
}

// New returns the surface that asks through client. Arrays says that the
// client can show a choice of several as an array; it gets one yes-or-no field
// per option otherwise (FACTS 3).
func New(client Client, arrays bool) ui.Surface { return &surface{client, arrays} }

type surface struct {
	client Client
	arrays bool
}

func (s *surface) Name() string { return "elicit" }

func (s *surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if q := secret(&rec.Set); q != nil {
		return ui.Unavailablef("%q asks for a secret, which must not go through a client's form", question.Line(q.Text))
	}
	got := gathered{} // by question; what was asked has an entry, answered or not
	plea := ""
	for range maxForms {
		fields := got.open(&rec.Set)
		if len(fields) == 0 {
			reply := got.reply(&rec.Set)
			missing, err := unfit(&rec.Set, reply)
			if err != nil {
				return err
			}
			if len(missing) == 0 {
				return commit(reply)
			}
			for _, id := range missing { // to be asked again, and only these
				delete(got, id)
			}
			plea = "Please complete: an answer is still missing or does not fit.\n\n"
			continue
		}
		forms, dismissed, err := s.put(ctx, newForm(fields, s.arrays), plea)
		switch {
		case err != nil:
			return err
		case dismissed:
			return commit(question.Reply{Dismissed: true})
		}
		plea = ""
		for _, g := range forms {
			got[g.answer.QuestionID] = g
		}
	}
	return ui.Unavailablef("the client's form brought no complete answer in %d attempts", maxForms)
}

// gathered is what the forms have brought so far, by question id.
type gathered map[string]given

func (g gathered) answers() []question.Answer {
	var out []question.Answer
	for _, x := range g {
		out = append(out, x.answer)
	}
	return out
}

// open returns the questions that are shown now and were in no form yet.
func (g gathered) open(set *question.Set) []question.Shown {
	var out []question.Shown
	for _, q := range set.Shown(g.answers()) {
		if _, asked := g[q.ID]; !asked {
			out = append(out, q)
		}
	}
	return out
}

// reply is everything that the forms brought to the questions shown now.
func (g gathered) reply(set *question.Set) question.Reply {
	var r question.Reply
	var notes []string
	for _, q := range set.Shown(g.answers()) {
		r.Answers = append(r.Answers, g[q.ID].answer)
		if n := g[q.ID].note; n != "" {
			notes = append(notes, n)
		}
	}
	r.Note = strings.Join(notes, " ")
	return r
}

// put shows one form. Only what a human did comes back without an error.
func (s *surface) put(ctx context.Context, f *form, plea string) (brought []given, dismissed bool, err error) {
	result, took, err := s.client.Elicit(ctx, f.params(plea))
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case errors.Is(err, ui.ErrCallEnded):
		return nil, false, err
	case err != nil:
		return nil, false, ui.Unavailablef("the client did not show the form: %v", err)
	case result == nil:
		return nil, false, ui.Unavailablef("the client sent no result")
	}
	switch result.Action {
	case mcp.ElicitationResponseActionAccept:
		brought, err := f.read(result.Content)
		if err != nil {
			return nil, false, ui.Unavailablef("the client accepted with %v", err)
		}
		return brought, false, nil
	case mcp.ElicitationResponseActionDecline, mcp.ElicitationResponseActionCancel:
		if took < Instant {
			return nil, false, ui.Unavailablef("the client answered %s by itself after %s", result.Action, took.Round(time.Millisecond))
		}
		return nil, true, nil
	}
	return nil, false, ui.Unavailablef("the client sent the unknown action %q", string(result.Action))
}

// unfit returns the ids of the questions whose answers the set refuses, and an
// error where asking again would not help.
func unfit(set *question.Set, r question.Reply) ([]string, error) {
	_, err := set.Check(r)
	var v question.Violations
	if !errors.As(err, &v) {
		return nil, err
	}
	var ids []string
	for _, a := range r.Answers {
		if slices.ContainsFunc(v, func(x question.Violation) bool { return x.Path == "answers."+a.QuestionID }) {
			ids = append(ids, a.QuestionID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the client's form cannot answer this: %w", err)
	}
	return ids, nil
}
