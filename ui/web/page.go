package web

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// pages returns the templates of the page, each to be executed on its own. They
// are read when the first page is shown: most runs of the program show none.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"plural":  words.Count,
		"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":   func(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04") },
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
// without a script, the parameters sent and late say what became of it.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	var notices []notice
	for _, id := range slices.Concat(query["sent"], query["late"]) {
		if rec, err := s.desk.Get(r.Context(), id); err == nil && rec.Outcome != nil {
			notices = append(notices, noticeOf(&rec, slices.Contains(query["late"], id)))
		}
	}
	return s.writePage(w, r, http.StatusOK, nil, layout{Notices: notices, From: query.Get("from")})
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
	p, all := s.painter(r), groupsOf(open)
	for i := range shown {
		if instead == nil || instead.ID != shown[i].ID {
			print("card", s.card(r.Context(), p, all, &shown[i]))
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

func (s *Server) painter(r *http.Request) *painter {
	return &painter{md: newMarkdown(), now: s.now(), csrf: s.csrf(r)}
}

// card returns the card of an open record, with the draft of its answer.
func (s *Server) card(ctx context.Context, p *painter, all groups, rec *desk.Record) card {
	draft, _, err := s.draft(ctx, rec.ID)
	if err != nil {
		s.log.WarnContext(ctx, "leaving out a draft", "id", rec.ID, "error", err)
	}
	c := p.card(rec, fill(&rec.Set, draft))
	c.Back = len(draft.Answers) > 0 || draft.Note != ""
	s.addCircumstances(ctx, p, &c, all, rec, nil)
	return c
}

// addCircumstances tells a card what changes while it is open.
func (s *Server) addCircumstances(ctx context.Context, p *painter, c *card, all groups, rec *desk.Record, also []string) {
	if at, ok := s.desk.Deadline(ctx, *rec); ok {
		left, _ := words.Left(at.Sub(p.now))
		c.Deadline, c.Proposals = &moment{at, left}, rec.OnTimeout == desk.OnTimeoutDefault
	}
	atLimit, err := s.desk.AtLimit(ctx, rec.SessionID)
	if err != nil {
		s.log.WarnContext(ctx, "web: a card without its round limit", "id", rec.ID, "error", err)
	}
	c.Limited = atLimit
	c.Attended = rec.Attended
	for _, x := range rec.ShownOn {
		if x.Why == "" && x.Surface != surfaceName {
			c.Elsewhere = append(c.Elsewhere, words.Place(x.Surface))
		}
	}
	all.join(c, also)
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
	p, all := s.painter(r), groupsOf(open)
	var cards []card
	for _, id := range r.URL.Query()["id"] {
		rec, err := s.desk.Get(r.Context(), id)
		switch {
		case errors.Is(err, desk.ErrNotFound):
		case err != nil:
			return err
		case rec.Outcome == nil:
			cards = append(cards, s.card(r.Context(), p, all, &rec))
		default:
			cards = append(cards, p.ended(&rec, nil))
		}
	}
	return fragment(w, http.StatusOK, "cards", cards)
}

// ended returns the card of a record that has ended, with what the human had
// filled in meanwhile.
func (p *painter) ended(rec *desk.Record, own url.Values) card {
	c := p.card(rec, nil)
	o := rec.Outcome
	c.Ended = &ending{Outcome: words.Outcome(o), At: p.moment(o.At), Reason: words.Reason(o)}
	if o.Reply != nil {
		c.Ended.Answers = answersOf(rec.Asked())
	}
	if own, _ := filledIn(&rec.Set, own); len(own.Answers) > 0 {
		c.Ended.Own = answersOf(rec.Set.Asked(&own))
	}
	return c
}
