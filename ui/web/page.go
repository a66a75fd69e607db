package web

import (
	"bytes"
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
	"mcp-askuser/question"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// pages returns the templates of the page, each to be executed on its own. They
// are read when the first page is shown: most runs of the program show none.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"plural":  plural,
		"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":   func(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04") },
	}).ParseFS(templates, "templates/*.html"))
})

func (s *Server) routesPage(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("POST /answer", s.confirm)
	mux.HandleFunc("POST /draft", s.keepDraft)
	mux.HandleFunc("POST /lift", s.liftLimit)
	mux.HandleFunc("GET /history", s.history)
	mux.HandleFunc("GET /fragments/open", s.openIDs)
	mux.HandleFunc("GET /fragments/cards", s.cards)
	mux.HandleFunc("GET /favicon.svg", favicon)
	mux.Handle("GET /assets/", http.FileServerFS(assets))
}

// maxCards is how many cards the page shows at a time. Browsers look through
// every form of a page for what they might fill in, again and again while it
// loads: a thousand forms take Chromium 13 s, a hundred 0.2 s.
const maxCards = 100

// sheet is the page around the cards.
type sheet struct {
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
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var notices []notice
	for _, id := range slices.Concat(query["sent"], query["late"]) {
		if rec, err := s.desk.Get(r.Context(), id); err == nil && rec.Outcome != nil {
			notices = append(notices, noticeOf(&rec, slices.Contains(query["late"], id)))
		}
	}
	s.show(w, r, http.StatusOK, nil, sheet{Notices: notices, From: query.Get("from")})
}

// show writes the page, with one card as it is given instead of as it would be.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, instead *card, x sheet) {
	open, err := s.openRecords(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	shown := x.cut(open)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	out := &paper{w: w}
	out.print("head", x)
	_ = http.NewResponseController(w).Flush() // a browser fetches style and script meanwhile
	if instead != nil {
		out.print("card", instead)
	}
	p, all := s.painter(r), groupsOf(open)
	for i := range shown {
		if instead == nil || instead.ID != shown[i].ID {
			out.print("card", s.card(r.Context(), p, all, &shown[i]))
		}
	}
	out.print("foot", x)
	if out.err != nil {
		s.log.DebugContext(r.Context(), "web: the page was not taken whole", "error", out.err)
	}
}

// cut returns the records to show, and notes what is left of those open.
func (x *sheet) cut(open []desk.Record) []desk.Record {
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

// paper writes templates until one fails.
type paper struct {
	w   http.ResponseWriter
	err error
}

func (p *paper) print(name string, data any) {
	if p.err == nil {
		p.err = pages().ExecuteTemplate(p.w, name, data)
	}
}

func (s *Server) painter(r *http.Request) *painter {
	return &painter{md: newMarkdown(), now: s.now(), csrf: s.csrf(r)}
}

// card returns the card of an open record, with the draft of its answer.
func (s *Server) card(ctx context.Context, p *painter, all groups, rec *desk.Record) card {
	draft, _, err := s.desk.Draft(ctx, rec.ID)
	if err != nil && !errors.Is(err, desk.ErrNotFound) {
		s.log.WarnContext(ctx, "leaving out a draft", "id", rec.ID, "error", err)
	}
	c := p.card(rec, fill(&rec.Set, draft))
	c.Back = len(draft.Answers) > 0 || draft.Note != ""
	s.situate(ctx, p, &c, all, rec, nil)
	return c
}

// situate tells a card what changes while it is open.
func (s *Server) situate(ctx context.Context, p *painter, c *card, all groups, rec *desk.Record, also []string) {
	if at, ok := s.desk.Deadline(ctx, *rec); ok {
		c.Deadline = &moment{at, left(at.Sub(p.now))}
		c.Proposals = rec.OnTimeout == "default"
	}
	atLimit, err := s.desk.AtLimit(ctx, rec.SessionID)
	if err != nil {
		s.log.WarnContext(ctx, "web: a card without its round limit", "id", rec.ID, "error", err)
	}
	c.Limited = atLimit
	c.Attended = rec.Attended
	for _, x := range rec.ShownOn {
		if x.Why == "" && x.Surface != surfaceName {
			c.Elsewhere = append(c.Elsewhere, where(x.Surface))
		}
	}
	all.join(c, also)
}

// openIDs lists the ids of what waits. The script compares after it was cut
// off from the events.
func (s *Server) openIDs(w http.ResponseWriter, r *http.Request) {
	open, err := s.openRecords(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ids := make([]string, len(open))
	for i := range open {
		ids[i] = open[i].ID
	}
	write(w, http.StatusOK, ids)
}

// cards are the cards with the ids asked for, ended ones too.
func (s *Server) cards(w http.ResponseWriter, r *http.Request) {
	open, err := s.openRecords(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p, all := s.painter(r), groupsOf(open)
	var b bytes.Buffer
	for _, id := range r.URL.Query()["id"] {
		rec, err := s.desk.Get(r.Context(), id)
		if errors.Is(err, desk.ErrNotFound) {
			continue
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		var c card
		if rec.Outcome == nil {
			c = s.card(r.Context(), p, all, &rec)
		} else {
			c = p.ended(&rec, nil)
		}
		if err := pages().ExecuteTemplate(&b, "card", c); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the browser may be gone
}

// ended returns the card of a record that has ended, with what the human had
// filled in meanwhile.
func (p *painter) ended(rec *desk.Record, own url.Values) card {
	c := p.card(rec, nil)
	o := rec.Outcome
	c.Ended = &ending{Fate: fate(o), At: p.moment(o.At), Reason: reason(o)}
	if o.Reply != nil {
		c.Ended.Turns = turnsTaken(rec, *o.Reply)
	}
	if r, _ := filledIn(&rec.Set, own); len(r.Answers) > 0 {
		c.Ended.Own = turnsTaken(rec, question.Reply{Answers: r.Answers})
	}
	return c
}
