package web

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	recordview "mcp-askuser/ui/view"
)

// The largest numbers of records on the page: open ones, and in the history.
const (
	maxEntries = 100
	maxPast    = 100
)

// layout is the page: the list of open records, and beside it a card, the history, or what is
// said where neither is.
type layout struct {
	Address string // of what is in sight
	ID      string // of the record in sight
	ByAgent bool   // an agent started this page
	Chosen  bool   // on a small screen the pane is in sight, not the list
	Entries []entry
	Filter  string // words that the entries are searched for
	Count   int    // of open records, listed or not
	Rest    int    // of those that the filter fits, not listed
	Card    *card
	Past    *past
	Notices []notice

	open  []desk.Record
	alike map[string]string // what open records ask, by their ids; see desk.Record.Alike
}

// entry is a record in the list.
type entry struct {
	recordview.Record
	First bool // of its agent's
	Times int  // how many records ask the same
}

// layout returns the page with its list. Agents that wait come first.
func (s *Server) layout(r *http.Request) (*layout, error) {
	ctx, l := r.Context(), s.languageOf(r)
	open, err := s.Desk.Pending(ctx)
	if err != nil {
		return nil, err
	}
	x := &layout{
		Address: "/", ByAgent: s.byAgent, Count: len(open), Filter: strings.TrimSpace(r.URL.Query().Get("filter")),
		open: open, alike: map[string]string{},
	}
	all := make([]entry, len(open))
	for i, rec := range open {
		all[i] = entry{Record: recordview.Of(rec, l)}
		x.alike[rec.ID] = rec.Alike()
	}
	recordview.Arrange(all, func(e entry) (group string, waits bool) { return e.AskedBy(), e.Attended })
	all, times := recordview.Merge(all, func(e entry) string { return x.alike[e.ID] })
	agent := ""
	for i, e := range all {
		if !e.Fits(x.Filter) {
			continue
		}
		if len(x.Entries) == maxEntries {
			x.Rest++
			continue
		}
		e.Times, e.First = times[i], e.AskedBy() != agent
		agent = e.AskedBy()
		x.Entries = append(x.Entries, e)
	}
	away := s.Desk.Away()
	if away != nil {
		x.Notices = []notice{{l.Unread(away), true}}
	}
	return x, nil
}

// filterFrom is from how many open records on the page has a filter.
const filterFrom = 8

// Filters reports whether the page has a filter.
func (x *layout) Filters() bool { return x.Count >= filterFrom || x.Filter != "" }

// page shows the open records, and one of them: the one with the parameter id, which may have
// ended, or the first. The other parameters are what it has to tell; see notices.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	x, err := s.layout(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	id := query.Get("id")
	rec, err := s.Desk.Get(r.Context(), id)
	switch {
	case err == nil:
	case !errors.Is(err, desk.ErrNotFound) && !errors.Is(err, desk.ErrAmbiguous):
		return err
	case len(x.Entries) > 0:
		rec = *x.Entries[0].Record.Record
	}
	if rec.ID != "" {
		x.put(s.card(r, x, &rec, nil))
	}
	told := s.notices(r, query)
	x.Chosen = x.Card != nil && !query.Has("list") && (id != "" || x.Count == 1 || len(told) > 0)
	x.Notices = append(told, x.Notices...)
	if query.Has("list") {
		x.Address = "/?list"
	} else if !x.Chosen {
		x.Address = "/"
	}
	return render(w, http.StatusOK, x.html(s.languageOf(r)))
}

// put puts a card in sight.
func (x *layout) put(c *card) {
	x.Card, x.ID, x.Address, x.Chosen = c, c.ID, "/?id="+c.ID, true
}

// showCard shows the page with a form as it was filled in, and its faults.
func (s *Server) showCard(w http.ResponseWriter, r *http.Request, status int, f *form, faults ...fault) error {
	x, err := s.layout(r)
	if err != nil {
		return err
	}
	c := s.card(r, x, &f.rec, f)
	c.Faults = faults
	x.put(c)
	return render(w, status, x.html(s.languageOf(r)))
}

// past is the history: of one session, or of all.
type past struct {
	Session string // empty: all sessions
	Search  string
	Records []recordview.Record
	More    bool // there are more than are shown
}

// history shows ended records, latest first; with the parameter session all of that
// session, with search those that contain its words.
func (s *Server) history(w http.ResponseWriter, r *http.Request) error {
	x, err := s.layout(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	h := &past{Session: query.Get("session"), Search: strings.TrimSpace(query.Get("search"))}
	var records []desk.Record
	if h.Session != "" {
		records, err = s.Desk.Session(r.Context(), h.Session)
		slices.Reverse(records)
	} else {
		records, err = store.Collect(s.Desk.History(r.Context(), desk.Query{Search: h.Search, Limit: maxPast + 1}))
	}
	if err != nil {
		return err
	}
	h.Records = recordview.All(records, s.languageOf(r))
	h.More = len(h.Records) > maxPast
	h.Records = h.Records[:min(len(h.Records), maxPast)]
	x.Past, x.Address, x.Chosen = h, r.URL.RequestURI(), true
	return render(w, http.StatusOK, x.html(s.languageOf(r)))
}

// scripted reports whether the page's script sends a request, for parts of a page
// that is open.
func scripted(r *http.Request) bool { return r.Header.Get("X-Script") != "" }

// render writes a document, which is in the language of the request; nothing where it returns an
// error.
func render(w http.ResponseWriter, status int, document g.Node) error {
	var b bytes.Buffer
	err := document.Render(&b)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may have disconnected
	return nil
}

// redirect leads a browser on after a POST: a reload sends nothing again. The list keeps its filter.
func redirect(w http.ResponseWriter, r *http.Request, query url.Values) error {
	if filter := r.URL.Query().Get("filter"); filter != "" {
		query.Set("filter", filter)
	}
	http.Redirect(w, r, "/?"+query.Encode(), http.StatusSeeOther)
	return nil
}
