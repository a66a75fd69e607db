package web

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

//go:embed templates/*.html
var templates embed.FS

// assets are the scripts, styles and icons, the same for every client.
//
//go:embed assets
var assets embed.FS

// pages are the templates in each language. They are parsed for the first page: most
// runs of the program show none.
var pages = func() map[words.Language]func() *template.Template { //nolint:gochecknoglobals // caches
	out := map[words.Language]func() *template.Template{}
	for _, l := range words.Languages() {
		out[l] = sync.OnceValue(func() *template.Template {
			return template.Must(template.New("").Funcs(functions(l)).ParseFS(templates, "templates/*.html"))
		})
	}
	return out
}()

// literal is the type of texts in templates: no value has it.
type literal string

// functions are the functions of the templates in a language. The texts of t and n are
// HTML; their arguments are escaped unless they are HTML from a function here.
func functions(l words.Language) template.FuncMap {
	md := newMarkdown()
	filled := func(args []any) []any {
		for i, a := range args {
			switch a.(type) {
			case int, template.HTML:
			default:
				args[i] = template.HTMLEscaper(a)
			}
		}
		return args
	}
	clock := func(t time.Time) string { return t.Local().Format(l.T("2 Jan 2006, 15:04")) }
	stamp := func(t time.Time, kind, text string) template.HTML {
		return template.HTML(fmt.Sprintf(`<time datetime="%s" %s>%s</time>`, t.UTC().Format(time.RFC3339), kind, template.HTMLEscapeString(text))) //nolint:gosec // escaped here
	}
	left := func(d time.Duration) string {
		text, _ := l.Left(d)
		return text
	}
	return template.FuncMap{
		"lang": func() string { return string(l) },
		"t": func(text literal, args ...any) template.HTML {
			return template.HTML(l.T(string(text), filled(args)...)) //nolint:gosec // a text of ours
		},
		"n": func(n int, one, many literal, args ...any) template.HTML {
			return template.HTML(l.N(n, string(one), string(many), filled(args)...)) //nolint:gosec // as above
		},

		"json": func(v any) (string, error) {
			data, err := json.Marshal(v)
			return string(data), err
		},

		"line":    question.Line,
		"lines":   question.Block,
		"prose":   func(text string) template.HTML { return prose(md, text) },
		"preview": func(text string) template.HTML { return preview(md, text) },
		"short":   func(preview string) bool { return strings.Count(preview, "\n") < 12 },

		"client":  l.Client,
		"project": words.Project,
		"surface": l.Surface,

		// Times, as elements; the script renews those with ago and left.
		"clock": func(t time.Time) template.HTML { return stamp(t, "", clock(t)) },
		"ago":   func(t, now time.Time) template.HTML { return stamp(t, "data-ago", l.Ago(now.Sub(t))) },
		"past":  func(t, now time.Time) template.HTML { return stamp(t, `title="`+clock(t)+`"`, l.Ago(now.Sub(t))) },
		"left":  func(t, now time.Time) template.HTML { return stamp(t, "data-left", left(t.Sub(now))) },
		"ages": func() []string {
			return []string{l.Ago(0), l.Ago(time.Minute), l.Ago(time.Hour), l.Ago(48 * time.Hour)}
		},
		"lefts": func() []string { return []string{left(0), left(time.Second), left(time.Hour), left(2 * time.Hour)} },

		"most":  func() int { return question.MaxFileSize },
		"types": func() string { return strings.Join(question.FileTypes(), ",") },
		"of":    func(id string, all []question.Response) any { return responses{id, all} },

		"chosen": func(a *question.Answer, option string) bool { return a != nil && slices.Contains(a.Selected, option) },
		"answered": func(xs []question.Response) bool {
			return slices.ContainsFunc(xs, func(x question.Response) bool { return x.Answer != nil })
		},
		"collected": func(q *question.Question) string {
			return cmp.Or(strings.Join(q.Words(q.Collected), ", "), l.T("nothing"))
		},
	}
}

// responses are those of a record.
type responses struct {
	ID  string
	All []question.Response
}

func (s *Server) routesPage(mux *http.ServeMux) {
	mux.HandleFunc("/", s.handle(func(http.ResponseWriter, *http.Request) error { return errNoPage }))
	mux.HandleFunc("GET /{$}", s.handle(s.page))
	mux.HandleFunc("POST /answer", s.handle(s.send))
	mux.HandleFunc("POST /draft", s.handle(s.postDraft))
	mux.HandleFunc("POST /recall", s.handle(s.postRecall))
	mux.HandleFunc("POST /attach", s.handle(s.postRecall))
	mux.HandleFunc("GET /files/{id}/{key}", s.handle(s.getFile))
	mux.HandleFunc("POST /lift", s.handle(s.postLift))
	mux.HandleFunc("POST /reopen", s.handle(s.postReopen))
	mux.HandleFunc("GET /history", s.handle(s.history))
	mux.HandleFunc("GET /keys", s.handle(func(w http.ResponseWriter, r *http.Request) error { return s.render(w, r, http.StatusOK, "help", nil) }))
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	if s.AddPasskey != nil {
		mux.HandleFunc("GET /passkey", s.handle(s.getPasskey))
		mux.HandleFunc("POST /passkey", s.handle(s.postPasskey))
	}
}

// The largest numbers of open and last answered records on the page, and of
// records in the history.
const (
	maxEntries = 100
	maxLast    = 5
	maxPast    = 100
)

// layout is the page: the list of open records, and one card or none.
type layout struct {
	ID      string // of the record in sight
	ByAgent bool   // an agent started this page
	Chosen  bool   // on a small screen the question is in sight, not the list
	Entries []entry
	Filter  string // words that the entries are searched for
	Fit     int    // entries that have them
	Count   int    // of open records, listed or not
	Rest    int    // of that, not listed
	Last    string // the id of the latest open record
	Card    *card
	Past    []recordview.Record // the last answers, where no card is shown
	Notices []notice
	Now     time.Time
}

// entry is a record in the list.
type entry struct {
	recordview.Record
	Agent    string // that asked; the heading of its entries
	First    bool   // of its agent's in sight
	Hidden   bool   // the filter does not fit it
	Times    int    // how many records ask the same
	Deadline *time.Time
}

// notice is a sentence about something that has just happened.
type notice struct {
	Words string
	Kind  string // late: another answer was first, or this one is not sent
}

// page shows the open records, those of agents that wait first, and one of them: the one
// with the parameter id, which may have ended, or the first. The others are the ends of a result.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	x, err := s.layout(r, query.Get("id"), nil)
	if err != nil {
		return err
	}
	x.Notices = s.notices(r, s.results(r.Context(), query))
	x.Chosen = !query.Has("list") && (query.Has("id") || x.Count == 1)
	return s.render(w, r, http.StatusOK, "page", &x)
}

// layout returns the page with the card of a record, in which a form that was sent is
// filled in (nil for none). Without such a record it is the card of the first in the list.
func (s *Server) layout(r *http.Request, id string, form url.Values) (x layout, err error) {
	ctx, l := r.Context(), s.languageOf(r)
	open, err := s.Desk.Pending(ctx)
	if err != nil {
		return x, err
	}
	filter := strings.TrimSpace(r.URL.Query().Get("filter"))
	x = layout{ID: id, ByAgent: s.byAgent, Count: len(open), Filter: filter, Now: s.Now()}
	if len(open) > 0 {
		x.Last = open[len(open)-1].ID
	}
	s.list(ctx, &x, open, l)
	rec, err := s.Desk.Get(ctx, id)
	switch {
	case err == nil:
	case !errors.Is(err, desk.ErrNotFound) && !errors.Is(err, desk.ErrAmbiguous):
		return x, err
	case len(open) == 0:
		last, err := s.past(r, desk.Query{Limit: 4 * maxLast})
		last = slices.DeleteFunc(last, func(rec recordview.Record) bool { return rec.State != desk.Answered })
		x.Past = last[:min(len(last), maxLast)]
		return x, err
	default:
		rec = open[slices.IndexFunc(open, func(rec desk.Record) bool { return rec.ID == x.Entries[0].ID })]
	}
	x.Card, x.ID = s.card(r, &rec, open, form), rec.ID
	return x, nil
}

// list fills in the entries: the first of all open records, and those after them that the
// filter fits. The others of the first are hidden: the script announces what is new.
func (s *Server) list(ctx context.Context, x *layout, open []desk.Record, l words.Language) {
	all := make([]entry, len(open))
	for i, rec := range open {
		shown := recordview.Of(rec, l)
		all[i] = entry{Record: shown, Agent: shown.AskedBy()}
	}
	recordview.Arrange(all, func(e entry) (group string, waits bool) { return e.Agent, e.Attended })
	all, times := recordview.Merge(all, func(e entry) string { return e.Alike() })
	agent := ""
	for i, e := range all {
		e.Times = times[i]
		e.Hidden = !e.Fits(x.Filter)
		if i >= maxEntries && (x.Filter == "" || e.Hidden || x.Fit >= maxEntries) {
			x.Rest++
			continue
		}
		if at, ok := s.Desk.Deadline(ctx, *e.Record.Record); ok {
			e.Deadline = &at
		}
		if !e.Hidden {
			e.First = e.Agent != agent || x.Fit == 0
			agent = e.Agent
			x.Fit++
		}
		x.Entries = append(x.Entries, e)
	}
}

// past returns records of the history.
func (s *Server) past(r *http.Request, q desk.Query) (out []recordview.Record, err error) {
	for rec, err := range s.Desk.History(r.Context(), q) {
		if err != nil {
			return out, err
		}
		out = append(out, recordview.Of(rec, s.languageOf(r)))
	}
	return out, nil
}

// pastPage is the history: of one session, or of all.
type pastPage struct {
	Session string // empty: all sessions
	Search  string
	Now     time.Time
	Records []recordview.Record
	More    bool // there are more than are shown
}

// history shows ended records, latest first; with the parameter session all of that
// session, with search those that contain its words.
func (s *Server) history(w http.ResponseWriter, r *http.Request) (err error) {
	query := r.URL.Query()
	h := pastPage{Session: query.Get("session"), Search: strings.TrimSpace(query.Get("search")), Now: s.Now()}
	if h.Session != "" {
		var session []desk.Record
		session, err = s.Desk.Session(r.Context(), h.Session)
		slices.Reverse(session)
		h.Records = recordview.All(session, s.languageOf(r))
	} else {
		h.Records, err = s.past(r, desk.Query{Search: h.Search, Limit: maxPast + 1})
	}
	if err != nil {
		return err
	}
	if h.More = len(h.Records) > maxPast; h.More {
		h.Records = h.Records[:maxPast]
	}
	return s.render(w, r, http.StatusOK, "history", h)
}

// filterFrom is from how many open records on the page has a filter.
const filterFrom = 8

// Filters reports whether the page has a filter.
func (x *layout) Filters() bool { return x.Count >= filterFrom || x.Filter != "" }

// scripted reports whether the page's script sends a request, for parts of a page
// that is open.
func scripted(r *http.Request) bool { return r.Header.Get("X-Script") != "" }

// render writes one template; nothing where it returns an error.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages[s.languageOf(r)]().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may have disconnected
	return nil
}
