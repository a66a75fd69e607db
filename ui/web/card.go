package web

import (
	"errors"
	"net/http"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/answer"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// card is a record as the page shows it. Its texts are as they came from outside: card_html.go and
// field_html.go pass each through line, lines, prose or preview.
type card struct {
	recordview.Record
	Signed  bool          // the answer is signed, so that the question must be shown whole
	Passkey bool          // with a passkey
	Attach  bool          // the answer takes files
	Alike   []desk.Record // other open records with the same questions
	also    []string      // the ids of those that are ticked
	Back    string        // what is said of a draft that was filled in; empty without one
	Faults  []fault       // why the last try was refused

	lang words.Language
	now  time.Time
	set  *answer.Set
}

// card returns the card of a record, with its draft while it is open, or with a form that
// was sent (nil for none).
func (s *Server) card(r *http.Request, x *layout, rec *desk.Record, sent *form) *card {
	ctx := r.Context()
	c := &card{Record: recordview.Of(*rec, s.languageOf(r)), lang: s.languageOf(r), now: s.Now()}
	switch {
	case sent != nil:
		c.set, c.also = sent.set, sent.values["also"]
	case rec.Outcome != nil:
		c.set = answer.New(*rec, answer.Options{})
	default:
		draft, _, err := s.Desk.Draft(ctx, rec.ID)
		if err != nil && !errors.Is(err, desk.ErrNotFound) {
			s.Log.WarnContext(ctx, "web: a card without its draft", "id", rec.ID, "error", err)
		}
		o := answer.Options{Sheet: true, Draft: draft, Memory: s.Desk.Remembered(ctx, *rec)}
		c.set = answer.New(*c.Record.Record, o)
		if c.set.Restored() {
			c.Back = c.lang.DraftBack(c.set.ByProgram())
		}
	}
	if rec.Outcome != nil {
		return c
	}
	c.Attach = rec.TakesFiles()
	c.Passkey, c.Signed = s.Desk.RequiresPasskey(rec), s.Desk.RequiresProof(rec)
	alike := x.alike[rec.ID]
	for _, other := range x.open {
		same := alike != "" && x.alike[other.ID] == alike && other.ID != rec.ID
		if same && !c.Signed && len(c.Alike) < maxDuplicates {
			c.Alike = append(c.Alike, other)
		}
	}
	return c
}

// maxDuplicates limits the records that one answer can be given to as well.
const maxDuplicates = 10

// Progress is the number of questions with an answer, where several are asked.
func (c *card) Progress() string {
	if len(c.Questions) < 2 || c.Outcome != nil {
		return ""
	}
	shown := c.set.Shown()
	done := 0
	for _, q := range shown {
		held := q.Answer()
		if !held.Empty() {
			done++
		}
	}
	return c.lang.T("%[1]d of %[2]d answered", done, len(shown))
}
