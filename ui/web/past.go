package web

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// maxPast is how many records the history shows at most.
const maxPast = 100

// past is what was asked before: in one session, or at all.
type past struct {
	Session string // empty: all sessions
	Search  string
	Rounds  []round
	More    bool // there are more than are shown
}

// round is a record of the history.
type round struct {
	Asker     string
	Directory string
	Session   string
	Number    int
	Fate      string
	At        moment
	Reason    string
	Note      string
	Turns     []taken
}

// taken is a question with what was answered.
type taken struct {
	Header  string
	Text    string
	Several bool
	Options []takenOption
	Words   string // free text
	Timeout bool   // the default, taken by the timeout
	Open    bool   // left open
}

type takenOption struct {
	Label  string
	Chosen bool
}

// history shows what was asked before, latest first. With the parameter session
// it is that of one session, open rounds included; search looks for words.
func (s *Server) history(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	h := past{Session: query.Get("session"), Search: strings.TrimSpace(query.Get("search"))}
	now := s.now()
	for rec, err := range s.before(r.Context(), h) {
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if len(h.Rounds) == maxPast {
			h.More = true
			break
		}
		at := rec.CreatedAt
		if rec.Outcome != nil {
			at = rec.Outcome.At
		}
		h.Rounds = append(h.Rounds, roundOf(&rec, moment{at, ago(now.Sub(at))}))
	}
	name := "history"
	if r.Header.Get(headerScript) != "" {
		name = "past"
	}
	s.piece(w, r, http.StatusOK, name, h)
}

// before returns the records of a history, latest first.
func (s *Server) before(ctx context.Context, h past) iter.Seq2[desk.Record, error] {
	if h.Session == "" {
		return s.desk.History(ctx, desk.Query{Search: h.Search, Limit: maxPast + 1})
	}
	return func(yield func(desk.Record, error) bool) {
		records, err := s.desk.Session(ctx, h.Session)
		if err != nil {
			yield(desk.Record{}, err)
			return
		}
		for _, rec := range slices.Backward(records) {
			if mentions(&rec, h.Search) && !yield(rec, nil) {
				return
			}
		}
	}
}

func roundOf(rec *desk.Record, at moment) round {
	x := round{
		Asker:     asker(rec.Asker),
		Directory: question.Line(rec.Asker.Directory),
		Session:   rec.SessionID,
		Number:    rec.Round,
		Fate:      fate(rec.Outcome),
		At:        at,
		Reason:    reason(rec.Outcome),
	}
	var reply question.Reply
	if rec.Outcome != nil && rec.Outcome.Reply != nil {
		reply = *rec.Outcome.Reply
	}
	x.Note = question.Block(reply.Note)
	x.Turns = turnsTaken(rec, reply)
	return x
}

// turnsTaken returns the questions that a reply brings up, with its answers.
func turnsTaken(rec *desk.Record, reply question.Reply) []taken {
	var out []taken
	for _, q := range rec.Shown(reply.Answers) {
		a := reply.Answer(q.ID)
		t := taken{
			Header:  question.Line(q.Header),
			Text:    question.Block(q.Text),
			Several: q.Several(),
			Open:    a == nil && len(reply.Answers) > 0,
		}
		if a == nil {
			a = &question.Answer{}
		}
		for _, o := range q.Options {
			t.Options = append(t.Options, takenOption{question.Line(o.Label), slices.Contains(a.Selected, o.ID)})
		}
		t.Words = question.Block(a.Custom)
		t.Timeout = a.By == question.ByTimeout
		out = append(out, t)
	}
	return out
}

// mentions reports whether a record holds all of the words.
func mentions(rec *desk.Record, words string) bool {
	var b strings.Builder
	for _, q := range rec.All() {
		b.WriteString(q.Header + " " + q.Text + " ")
		for _, o := range q.Options {
			b.WriteString(o.Label + " ")
		}
	}
	if rec.Outcome != nil && rec.Outcome.Reply != nil {
		b.WriteString(rec.Outcome.Reply.Reason + " " + rec.Outcome.Reply.Note + " ")
		for _, a := range rec.Outcome.Reply.Answers {
			b.WriteString(a.Custom + " ")
		}
	}
	text := strings.ToLower(b.String())
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
