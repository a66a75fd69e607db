package web

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
)

// maxPast is how many records the history shows at most.
const maxPast = 100

// past is what was asked before: in one session, or at all.
type past struct {
	Session string // empty: all sessions
	Search  string
	Now     time.Time
	Records []desk.Record
	More    bool // there are more than are shown
}

// history shows what was asked before, latest first. With the parameter session
// it is that of one session, open rounds included; search looks for words.
func (s *Server) history(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	h := past{Session: query.Get("session"), Search: strings.TrimSpace(query.Get("search")), Now: s.now()}
	for rec, err := range s.before(r.Context(), h) {
		if err != nil {
			return err
		}
		if len(h.Records) == maxPast {
			h.More = true
			break
		}
		h.Records = append(h.Records, rec)
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
