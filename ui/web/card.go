package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/dialogue"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// card is a record as the page shows it. Its texts are as they came: the
// templates pass each through line, lines, prose or preview.
type card struct {
	recordview.Record
	lang  words.Language
	group string // the same on cards with the same questions
	Now   time.Time
	CSRF  string
	Began string // when the human got it, in ms of Unix time

	Deadline *time.Time
	Limited  bool // after this round the session may not ask for a while

	Alike  []sibling
	Back   bool    // a draft was filled in
	Draft  int64   // which draft is kept, for the script; see keepTyped
	Faults []fault // why the last try was refused

	dialogue *dialogue.Dialogue
}

// newCard returns a record as a card with a dialogue about it; began is when the
// human got the form, if that is known.
func (s *Server) newCard(r *http.Request, rec *desk.Record, o dialogue.Options, began string) card {
	now, l := s.Now(), s.languageOf(r)
	if rec.Outcome == nil {
		o.Memory = s.Desk.Remembered(r.Context(), *rec)
	}
	shown := recordview.Of(*rec, l)
	return card{
		Record: shown, dialogue: dialogue.New(*shown.Record, o), lang: l, group: groupOf(&rec.Set),
		Now: now, CSRF: s.csrf(r), Began: cmp.Or(began, strconv.FormatInt(now.UnixMilli(), 10)),
	}
}

// card returns the card of a record, with the draft of its answer while it is
// open.
func (s *Server) card(r *http.Request, rec *desk.Record) card {
	o := dialogue.Options{Layout: dialogue.Sheet}
	var at time.Time
	if rec.Outcome == nil {
		var err error
		if o.Draft, at, err = s.draft(r.Context(), rec.ID); err != nil {
			s.Log.WarnContext(r.Context(), "leaving out a draft", "id", rec.ID, "error", err)
		}
	}
	c := s.newCard(r, rec, o, "")
	c.Draft, c.Back = at.UnixMicro(), c.dialogue.Restored()
	s.addCircumstances(r.Context(), &c, nil)
	return c
}

// filledCard returns the card of a record with what a form holds, and what is
// wrong with it.
func (s *Server) filledCard(r *http.Request, rec *desk.Record, form url.Values, found question.Violations) card {
	c := s.newCard(r, rec, s.optionsOf(form), form.Get("shown"))
	fill(c.dialogue, form)
	if rec.Outcome == nil {
		if _, at, err := s.draft(r.Context(), rec.ID); err == nil {
			c.Draft = at.UnixMicro()
		}
		c.refuse(found)
	}
	s.addCircumstances(r.Context(), &c, form["also"])
	return c
}

// addCircumstances tells a card what changes while its record is open; also are
// those alike that the human has ticked already.
func (s *Server) addCircumstances(ctx context.Context, c *card, also []string) {
	if c.Outcome != nil {
		return
	}
	if at, ok := s.Desk.Deadline(ctx, *c.Record.Record); ok {
		c.Deadline = &at
	}
	var err error
	if c.Limited, err = s.Desk.AtLimit(ctx, c.SessionID); err != nil {
		s.Log.WarnContext(ctx, "web: a card without its round limit", "id", c.ID, "error", err)
	}
	open, err := s.Desk.Pending(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "web: a card without those alike", "id", c.ID, "error", err)
	}
	for _, other := range open {
		if other.ID != c.ID && len(c.Alike) < maxAlike && groupOf(&other.Set) == c.group {
			c.Alike = append(c.Alike, sibling{other.ID, c.lang.Asker(other.Asker), slices.Contains(also, other.ID)})
		}
	}
}

// Fields is the form of a record that is open.
func (c card) Fields() []field { return c.fields() }

// Own is what the human had filled in of a record that ended meanwhile, and was
// not sent.
func (c card) Own() []question.Response {
	given := c.dialogue.Answers()
	if len(given) == 0 {
		return nil
	}
	return c.Set.Shown(given)
}

// Note is the word to the agent beside all answers, and Why what was typed as the reason
// to dismiss, or as what there is to discuss.
func (c card) Note() string { return c.dialogue.Note() }
func (c card) Why() string  { return c.dialogue.Reason() }

// Progress says how many of the questions that are asked have an answer, where there are
// several.
func (c card) Progress() string {
	steps := c.dialogue.Steps()
	open := slices.DeleteFunc(slices.Clone(steps), func(x dialogue.Step) bool { return !x.Answer.Empty() })
	if len(steps) < 2 {
		return ""
	}
	return c.lang.T("%[1]d of %[2]d answered", len(steps)-len(open), len(steps))
}

// Elsewhere names the other surfaces that show the card's record. They are its
// asker's: with that they have gone, whatever was kept. The inbox is none: to
// leave a question to it is to show it nowhere.
func (c card) Elsewhere() (names []string) {
	for _, x := range c.ShownOn {
		if c.Attended && x.Why == "" && x.Surface != surfaceName && x.Surface != ui.Elsewhere().Name() {
			names = append(names, x.Surface)
		}
	}
	return names
}

// maxAlike is how many alike questions one card offers to answer with it.
const maxAlike = 10

// sibling is another card with the same questions.
type sibling struct {
	ID      string
	Asker   string
	Checked bool
}

// groupOf is the same for sets with the same questions and options.
func groupOf(set *question.Set) string {
	data, err := json.Marshal(set.Questions)
	if err != nil {
		return "" // cannot be: it came from JSON
	}
	return string(data)
}
