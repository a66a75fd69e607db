package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/answer"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// card is a record as the page shows it. Its texts are as they came from outside: the
// templates pass each through line, lines, prose or preview.
type card struct {
	recordview.Record
	lang  words.Language
	Now   time.Time
	Began string // when the user got it, in ms of Unix time

	Deadline *time.Time
	Signed   bool // the answer is signed, so that the question must be shown whole
	Passkey  bool // with a passkey
	Attach   bool // the answer takes files
	Limited  bool // after this round the session may not ask for a while
	Alike    []duplicate
	Back     bool    // a draft was filled in
	Draft    int64   // which draft is kept, for the script; it takes a newer one
	Faults   []fault // why the last try was refused

	set   *answer.Set
	form  url.Values          // that was sent; nil for none
	found question.Violations // in it, by the questions that they are about
}

// card returns the card of a record, with its draft while it is open, or with a form that
// was sent (nil for none). Open are the records among which to look for the same questions.
func (s *Server) card(r *http.Request, rec *desk.Record, open []desk.Record, form url.Values) *card {
	ctx, now, l := r.Context(), s.Now(), s.languageOf(r)
	c := &card{
		Record: recordview.Of(*rec, l), lang: l, Now: now, form: form,
		Began: cmp.Or(form.Get("shown"), strconv.FormatInt(now.UnixMilli(), 10)),
	}
	o := s.optionsOf(form)
	if rec.Outcome == nil {
		draft, at, err := s.draft(ctx, rec.ID)
		if err != nil {
			s.Log.WarnContext(ctx, "web: a card without its draft", "id", rec.ID, "error", err)
		}
		if form == nil {
			o.Draft = draft
		}
		c.Attach = rec.TakesFiles()
		c.Draft, o.Memory = at.UnixMicro(), s.Desk.Remembered(ctx, *rec)
		if at, ok := s.Desk.Deadline(ctx, *rec); ok {
			c.Deadline = &at
		}
		if c.Limited, err = s.Desk.AtLimit(ctx, rec.SessionID); err != nil {
			s.Log.WarnContext(ctx, "web: a card without its round limit", "id", rec.ID, "error", err)
		}
		c.Passkey = s.Desk.RequiresPasskey(rec)
		c.Signed = s.Desk.RequiresProof(rec)
		if !c.Signed { // a signature counts for one record
			c.addDuplicates(rec, open, form["also"])
		}
	}
	c.set = answer.New(*c.Record.Record, o)
	c.Back = form == nil && c.set.Restored()
	if form != nil {
		c.found = fill(c.set, form)
	}
	return c
}

// addDuplicates adds the open records with the same questions; ticked are those that the
// user has chosen already.
func (c *card) addDuplicates(rec *desk.Record, open []desk.Record, ticked []string) {
	alike := rec.Alike()
	for _, other := range open {
		if alike != "" && other.ID != rec.ID && len(c.Alike) < maxDuplicates && other.Alike() == alike {
			c.Alike = append(c.Alike, duplicate{other.ID, c.lang.Asker(other.Asker), slices.Contains(ticked, other.ID)})
		}
	}
}

// Own is what the user filled in and did not send of a record that has ended.
func (c *card) Own() []question.Response {
	if given := c.set.Answers(); len(given) > 0 {
		return c.Set.Shown(given)
	}
	return nil
}

// Note is the note on the whole, and Why the reason of a dismissal or topic of a
// discussion that is being written.
func (c *card) Note() string { return c.set.Note() }
func (c *card) Why() string  { return c.set.Reason() }

// Typed reports whether the form that was sent has words for a way to end the card, by the name of
// its field; Way returns these, or those of a draft, which does not say for which way they are.
func (c *card) Typed(name string) bool { return c.form.Get(name) != "" }

func (c *card) Way(name string) string {
	if c.form != nil {
		return lineBreaks(c.form.Get(name))
	}
	return c.Why()
}

// Progress is the number of questions with an answer, where several are asked.
func (c *card) Progress() string {
	shown := c.set.Shown()
	if len(shown) < 2 {
		return ""
	}
	done := 0
	for _, q := range shown {
		held := q.Answer()
		if !held.Empty() {
			done++
		}
	}
	return c.lang.T("%[1]d of %[2]d answered", done, len(shown))
}

// Elsewhere names the other surfaces that show the record, while its asker waits. The
// inbox is no such surface: a record without any is listed there.
func (c *card) Elsewhere() (names []string) {
	for _, x := range c.ShownOn {
		if c.Attended && x.Why == "" && x.Surface != surfaceName && x.Surface != ui.Elsewhere().Name() {
			names = append(names, x.Surface)
		}
	}
	return names
}

// maxDuplicates limits the records that one answer can be given to as well.
const maxDuplicates = 10

// duplicate is another record with the same questions.
type duplicate struct {
	ID      string
	Asker   string
	Checked bool
}
