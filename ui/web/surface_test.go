package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

var errTest = errors.New("the record has ended")

// tab is a browser's tab: it opens the address it is given, follows it to the
// page and, if live, keeps an event stream open.
type tab struct {
	t      *testing.T
	client *http.Client
	opened atomic.Int32
	live   bool
	stream chan *http.Response
}

func newTab(t *testing.T, live bool) *tab {
	tb := &tab{t: t, client: &http.Client{Transport: &http.Transport{}, Jar: jar{}, Timeout: patient}, live: live, stream: make(chan *http.Response, 4)}
	t.Cleanup(tb.client.CloseIdleConnections)
	return tb
}

// jar keeps cookies by host and port; one server is all that a tab visits.
type jar map[string][]*http.Cookie

func (j jar) SetCookies(u *url.URL, c []*http.Cookie) { j[u.Host] = append(j[u.Host], c...) }
func (j jar) Cookies(u *url.URL) []*http.Cookie       { return j[u.Host] }

func (tb *tab) open(address string) error {
	tb.opened.Add(1)
	go func() {
		resp, err := tb.client.Get(address)
		if err != nil {
			tb.t.Error(err)
			return
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Request.URL.RawQuery != "" {
			tb.t.Errorf("opened %s: %s", resp.Request.URL, resp.Status)
		}
		if !tb.live {
			return
		}
		events, err := tb.client.Get(strings.TrimSuffix(resp.Request.URL.String(), "/") + "/api/events")
		if err != nil {
			tb.t.Error(err)
			return
		}
		tb.stream <- events
	}()
	return nil
}

func newSurface(t *testing.T, change func(*SurfaceOptions)) (*Surface, *desk.Desk) {
	t.Helper()
	checkLeaks(t)
	d := newDesk(t)
	o := SurfaceOptions{
		Options: Options{Desk: d},
		Desktop: func() error { return nil },
		Open:    func(string) error { t.Error("opened a browser"); return nil },
	}
	change(&o)
	s := NewSurface(o)
	t.Cleanup(s.Close)
	return s, d
}

// show shows a record until end is called, and returns what Show returned.
func show(s ui.Surface, rec desk.Record) (end func() error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	result := make(chan error, 1)
	go func() { result <- s.Show(ctx, rec, nil) }()
	return func() error {
		cancel(errTest)
		return <-result
	}
}

// The first question opens the browser; further ones use the open page.
func TestSurfaceOpensOnce(t *testing.T) {
	tb := newTab(t, true)
	s, _ := newSurface(t, func(o *SurfaceOptions) { o.Open = tb.open })
	var _ ui.Surface = s
	first := show(s, desk.Record{ID: "1"})
	stream := <-tb.stream
	second, third := show(s, desk.Record{ID: "2"}), show(s, desk.Record{ID: "3"})
	for _, end := range []func() error{second, third, first} {
		if err := end(); !errors.Is(err, errTest) {
			t.Errorf("Show ended with %v", err)
		}
	}
	if n := tb.opened.Load(); n != 1 {
		t.Errorf("opened %d browsers", n)
	}
	stream.Body.Close()
}

// Where the browser shows nothing, nobody was reached.
func TestSurfaceUnreached(t *testing.T) {
	tests := map[string]struct {
		change func(*SurfaceOptions)
		why    string
	}{
		"remote shell": {func(o *SurfaceOptions) { o.Desktop = func() error { return ui.ErrRemote } }, "remote shell"},
		"no browser":   {func(o *SurfaceOptions) { o.Open = func(string) error { return errors.New("none installed") } }, "none installed"},
		"nobody came":  {func(o *SurfaceOptions) { o.Open = func(string) error { return nil } }, "nobody opened"},
		"no listener":  {func(o *SurfaceOptions) { o.Port = -1 }, "could not be started"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, _ := newSurface(t, tt.change)
			s.wait = 20 * time.Millisecond
			err := s.Show(t.Context(), desk.Record{ID: "1"}, nil)
			if !errors.Is(err, ui.ErrUnavailable) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, want unavailable: %s", err, tt.why)
			}
		})
	}
}

// Over ssh nothing is opened; the user is told the address instead. A user who does not come at
// once was not reached: the model tells the address too, and the page stays for a later visit.
func TestSurfaceTells(t *testing.T) {
	for _, comes := range []bool{true, false} {
		told := make(chan string, 1)
		s, _ := newSurface(t, func(o *SurfaceOptions) {
			o.Desktop = func() error { return ui.ErrRemote }
		})
		s.wait, s.tellWait = time.Hour, time.Millisecond
		if comes {
			s.tellWait = patient
		}
		ctx, end := context.WithCancelCause(t.Context())
		left := make(chan error, 1)
		go func() {
			left <- s.Telling(func(address string) { told <- address }).Show(ctx, desk.Record{ID: "1"}, nil)
		}()
		address := <-told
		if !comes {
			if err := <-left; !errors.Is(err, ui.ErrUnavailable) || !strings.Contains(err.Error(), "nobody opened the page") {
				t.Errorf("Show returned %v", err)
			}
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Jar: jar{}, Timeout: patient}
		resp, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("the address told: %s", resp.Status)
		}
		end(errTest)
		if comes {
			if err := <-left; !errors.Is(err, errTest) {
				t.Errorf("Show ended with %v", err)
			}
		}
	}
}

// A page of another process is an open page: no other is opened.
func TestSurfaceUsesOpenPage(t *testing.T) {
	s, d := newSurface(t, func(*SurfaceOptions) {})
	release, err := d.Announce(t.Context(), surfaceName)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := show(s, desk.Record{ID: "1"})(); !errors.Is(err, errTest) {
		t.Errorf("Show ended with %v", err)
	}
}

// A client's user may take a while to open the address; then it opens the page at the
// question, once.
func TestOpenedByClient(t *testing.T) {
	const id = "01M80SEXAAAAAAAAAAAAAAAAAA"
	var later atomic.Int64
	s, _ := newSurface(t, func(o *SurfaceOptions) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	first, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	late, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		address string
		after   time.Duration
		want    int
	}{
		{first, consentTime - time.Minute, http.StatusOK},
		{first, consentTime - time.Minute, http.StatusUnauthorized},
		{late, consentTime, http.StatusUnauthorized},
	} {
		later.Store(int64(tt.after))
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Jar: jar{}, Timeout: patient}
		resp, err := client.Get(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want || resp.Request.URL.Query().Get("id") != id {
			t.Errorf("after %s: %s at %s, want %d", tt.after, resp.Status, resp.Request.URL, tt.want)
		}
	}
}
