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
	Shown string // since when the human has it

	Deadline *time.Time
	Limited  bool // after this round the session may not ask for a while

	Memory map[string]desk.Memory // earlier answers in this project, by question id
	Fields []field
	Alike  []sibling
	Filled question.Reply // a draft, or what was sent and refused
	Back   bool           // it is a draft
	Draft  int64          // which draft is kept, for the script; see keepTyped
	Faults []fault        // why the last try was refused
}

// newCard returns rec as a card with a reply filled in, which may be empty;
// shown is since when the human has the form, if that is known.
func (s *Server) newCard(r *http.Request, rec *desk.Record, filled question.Reply, shown string) card {
	now, l := s.Now(), s.languageOf(r)
	c := card{Record: recordview.Of(*rec, l), lang: l, Now: now, CSRF: s.csrf(r), Shown: cmp.Or(shown, strconv.FormatInt(now.UnixMilli(), 10)), group: groupOf(&rec.Set), Filled: filled}
	if rec.Outcome == nil {
		c.Memory = s.Desk.Remembered(r.Context(), *rec)
		c.Fields = c.fields(&filled, nil)
	}
	return c
}

// card returns the card of a record, with the draft of its answer while it is
// open.
func (s *Server) card(r *http.Request, rec *desk.Record) card {
	if rec.Outcome != nil {
		return s.newCard(r, rec, question.Reply{}, "")
	}
	draft, at, err := s.draft(r.Context(), rec.ID)
	if err != nil {
		s.Log.WarnContext(r.Context(), "leaving out a draft", "id", rec.ID, "error", err)
	}
	c := s.newCard(r, rec, draft, "")
	c.Draft = at.UnixMicro()
	c.Back = len(draft.Answers) > 0 || draft.Note != "" || draft.Reason != ""
	s.addCircumstances(r.Context(), &c, nil)
	return c
}

// filledCard returns the card of a record with what a form holds, and what is
// wrong with it.
func (s *Server) filledCard(r *http.Request, rec *desk.Record, form url.Values, found question.Violations) card {
	filled, _ := filledIn(&rec.Set, form)
	c := s.newCard(r, rec, filled, form.Get("shown"))
	if rec.Outcome == nil {
		if _, at, err := s.draft(r.Context(), rec.ID); err == nil {
			c.Draft = at.UnixMicro()
		}
		c.showFaults(&filled, found)
		s.addCircumstances(r.Context(), &c, form["also"])
	}
	return c
}

// addCircumstances tells a card what changes while it is open; also are those
// alike that the human has ticked already.
func (s *Server) addCircumstances(ctx context.Context, c *card, also []string) {
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

// Own is what the human had filled in of a record that ended meanwhile, and was
// not sent.
func (c card) Own() []question.Response {
	if len(c.Filled.Answers) == 0 {
		return nil
	}
	return c.Set.Asked(&c.Filled)
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
