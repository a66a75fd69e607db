package web

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// maxPast is how many records the history shows at most.
const maxPast = 100

// past is what was asked before: in one session, or at all.
type past struct {
	Session string // empty: all sessions
	Search  string
	Records []pastRecord
	More    bool // there are more than are shown
}

// pastRecord is a record of the history.
type pastRecord struct {
	Asker     string
	Directory string
	Session   string
	Round     int
	Outcome   string
	At        moment
	Reason    string
	Note      string
	Answers   []pastAnswer
}

// pastAnswer is a question with what was answered.
type pastAnswer struct {
	Header  string
	Text    string
	Options []pastOption
	Custom  string // free text
	Timeout bool   // the default, taken by the timeout
	Open    bool   // left open
}

type pastOption struct {
	Label  string
	Chosen bool
}

// history shows what was asked before, latest first. With the parameter session
// it is that of one session, open rounds included; search looks for words.
func (s *Server) history(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	h := past{Session: query.Get("session"), Search: strings.TrimSpace(query.Get("search"))}
	p := s.painter(r)
	for rec, err := range s.before(r.Context(), h) {
		if err != nil {
			return err
		}
		if len(h.Records) == maxPast {
			h.More = true
			break
		}
		h.Records = append(h.Records, p.past(&rec))
	}
	name := "history"
	if r.Header.Get(headerScript) != "" {
		name = "past"
	}
	return fragment(w, http.StatusOK, name, h)
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

// past returns a record as the history shows it.
func (p *painter) past(rec *desk.Record) pastRecord {
	x := pastRecord{
		Asker:     words.Asker(rec.Asker),
		Directory: question.Line(rec.Asker.Directory),
		Session:   rec.SessionID,
		Round:     rec.Round,
		Outcome:   words.Outcome(rec.Outcome),
		At:        p.moment(rec.CreatedAt),
		Reason:    words.Reason(rec.Outcome),
		Answers:   answersOf(rec.Asked()),
	}
	if rec.Outcome != nil {
		x.At = p.moment(rec.Outcome.At)
	}
	if reply := rec.Reply(); reply != nil {
		x.Note = question.Block(reply.Note)
	}
	return x
}

// answersOf returns the questions that were asked, with what was answered. Of a
// set without any answer none counts as left open.
func answersOf(asked []question.Response) []pastAnswer {
	some := slices.ContainsFunc(asked, func(x question.Response) bool { return x.Answer != nil })
	var out []pastAnswer
	for _, x := range asked {
		a := pastAnswer{
			Header:  question.Line(x.Header),
			Text:    question.Block(x.Question.Text),
			Timeout: x.By() == question.ByTimeout,
			Open:    some && x.Answer == nil,
		}
		chosen := question.Answer{}
		if x.Answer != nil {
			chosen = *x.Answer
		}
		for _, o := range x.Options {
			a.Options = append(a.Options, pastOption{question.Line(o.Label), slices.Contains(chosen.Selected, o.ID)})
		}
		a.Custom = question.Block(chosen.Custom)
		out = append(out, a)
	}
	return out
}

// mentions reports whether a record holds all of the words, in any case.
func mentions(rec *desk.Record, search string) bool {
	var texts []string
	for _, x := range rec.Responses() {
		texts = append(texts, x.Header, x.Question.Text)
		for _, o := range x.Options {
			texts = append(texts, o.Label)
		}
		if x.Answer != nil {
			texts = append(texts, x.Answer.Custom)
		}
	}
	if reply := rec.Reply(); reply != nil {
		texts = append(texts, reply.Reason, reply.Note)
	}
	all := strings.ToLower(strings.Join(texts, " "))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(search)), func(word string) bool { return !strings.Contains(all, word) })
}
