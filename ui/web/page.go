package web

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// pages returns the templates of the page, each to be executed on its own. They
// are read when the first page is shown: most runs of the program show none.
var pages = sync.OnceValue(func() *template.Template {
	md := newMarkdown()
	return template.Must(template.New("").Funcs(template.FuncMap{
		"line":    question.Line,
		"lines":   question.Block,
		"prose":   func(text string) template.HTML { return prose(md, text) },
		"preview": func(text string) template.HTML { return preview(md, text) },
		"short":   func(preview string) bool { return strings.Count(preview, "\n") < 12 },

		"client":  words.Client,
		"project": words.Project,
		"asker":   words.Asker,
		"outcome": words.Outcome,
		"reason":  words.Reason,
		"place":   words.Place,
		"plural":  words.Count,

		"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":   func(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04") },
		"ago":     func(t, now time.Time) string { return words.Ago(now.Sub(t)) },
		"left": func(t, now time.Time) string {
			text, _ := words.Left(t.Sub(now))
			return text
		},

		"chosen": func(a *question.Answer, option string) bool { return a != nil && slices.Contains(a.Selected, option) },
		"answered": func(xs []question.Response) bool {
			return slices.ContainsFunc(xs, func(x question.Response) bool { return x.Answer != nil })
		},
		"collected": func(q *question.Question) string {
			return cmp.Or(strings.Join(q.Words(q.Collected), ", "), "nothing")
		},
	}).ParseFS(templates, "templates/*.html"))
})

func (s *Server) routesPage(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.handle(s.page))
	mux.HandleFunc("POST /answer", s.handle(s.confirm))
	mux.HandleFunc("POST /draft", s.handle(s.keepDraft))
	mux.HandleFunc("POST /lift", s.handle(s.liftLimit))
	mux.HandleFunc("GET /history", s.handle(s.history))
	mux.HandleFunc("GET /fragments/open", s.handle(s.openIDs))
	mux.HandleFunc("GET /fragments/cards", s.handle(s.cards))
	mux.HandleFunc("GET /favicon.svg", favicon)
	mux.Handle("GET /assets/", http.FileServerFS(assets))
}

// maxCards is how many cards the page shows at a time. Browsers look through
// every form of a page for what they might fill in, again and again while it
// loads: a thousand forms take Chromium 13 s, a hundred 0.2 s.
const maxCards = 100

// layout is the page around the cards.
type layout struct {
	Count   int // what waits, shown or not
	Notices []notice
	From    string // the id of the first record to show; empty: the oldest
	Most    int    // cards at a time
	Rest    int    // what waits after those shown
	Next    string // the first of these
}

// notice is one sentence about something that just happened.
type notice struct {
	ID    string // of the record
	Words string
	Late  bool // somebody else was first
}

// page shows everything that waits, oldest first. After a form was sent
// without a script, parameters say what became of it.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	return s.writePage(w, r, http.StatusOK, nil, layout{Notices: s.notices(r.Context(), query), From: query.Get("from")})
}

// writePage writes the page, with one card as it is given instead of as it
// would be.
func (s *Server) writePage(w http.ResponseWriter, r *http.Request, status int, instead *card, x layout) error {
	open, err := s.desk.Pending(r.Context())
	if err != nil {
		return err
	}
	shown := x.cut(open)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	print := func(name string, data any) { // until one fails: the browser is gone
		if err == nil {
			err = pages().ExecuteTemplate(w, name, data)
		}
	}
	print("head", x)
	_ = http.NewResponseController(w).Flush() // a browser fetches style and script meanwhile
	if instead != nil {
		print("card", instead)
	}
	all := groupsOf(open)
	for i := range shown {
		if instead == nil || instead.ID != shown[i].ID {
			print("card", s.card(r, all, &shown[i]))
		}
	}
	print("foot", x)
	if err != nil {
		s.log.DebugContext(r.Context(), "web: the page was not taken whole", "error", err)
	}
	return nil
}

// cut returns the records to show, and notes what is left of those open.
func (x *layout) cut(open []desk.Record) []desk.Record {
	x.Count, x.Most = len(open), maxCards
	first := slices.IndexFunc(open, func(rec desk.Record) bool { return rec.ID >= x.From })
	if first < 0 {
		return nil
	}
	shown := open[first:min(len(open), first+maxCards)]
	if end := first + len(shown); end < len(open) {
		x.Rest, x.Next = len(open)-end, open[end].ID
	}
	return shown
}

// card returns the card of an open record, with the draft of its answer.
func (s *Server) card(r *http.Request, all groups, rec *desk.Record) card {
	draft, _, err := s.draft(r.Context(), rec.ID)
	if err != nil {
		s.log.WarnContext(r.Context(), "leaving out a draft", "id", rec.ID, "error", err)
	}
	c := newCard(rec, fill(&rec.Set, draft), s.now(), s.csrf(r))
	c.Back = len(draft.Answers) > 0 || draft.Note != ""
	s.addCircumstances(r.Context(), &c, all, nil)
	return c
}

// addCircumstances tells a card what changes while it is open; also are those
// alike that the human has ticked already.
func (s *Server) addCircumstances(ctx context.Context, c *card, all groups, also []string) {
	if at, ok := s.desk.Deadline(ctx, *c.Record); ok {
		c.Deadline = &at
	}
	var err error
	if c.Limited, err = s.desk.AtLimit(ctx, c.SessionID); err != nil {
		s.log.WarnContext(ctx, "web: a card without its round limit", "id", c.ID, "error", err)
	}
	c.Alike = all.beside(c.Record, c.Group, also)
}

// openIDs lists the ids of what waits. The script compares after it was cut
// off from the events.
func (s *Server) openIDs(w http.ResponseWriter, r *http.Request) error {
	open, err := s.desk.Pending(r.Context())
	if err != nil {
		return err
	}
	ids := make([]string, len(open))
	for i := range open {
		ids[i] = open[i].ID
	}
	write(w, http.StatusOK, ids)
	return nil
}

// cards are the cards with the ids asked for, ended ones too.
func (s *Server) cards(w http.ResponseWriter, r *http.Request) error {
	open, err := s.desk.Pending(r.Context())
	if err != nil {
		return err
	}
	all := groupsOf(open)
	var cards []card
	for _, id := range r.URL.Query()["id"] {
		rec, err := s.desk.Get(r.Context(), id)
		switch {
		case errors.Is(err, desk.ErrNotFound):
		case err != nil:
			return err
		case rec.Outcome == nil:
			cards = append(cards, s.card(r, all, &rec))
		default:
			cards = append(cards, newCard(&rec, nil, s.now(), ""))
		}
	}
	return fragment(w, http.StatusOK, "cards", cards)
}
