package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui"
)

var errTest = errors.New("the record has ended")

func newSurface(t *testing.T, change func(*SurfaceOptions)) *Surface {
	t.Helper()
	o := SurfaceOptions{
		Options: Options{Desk: newDesk(t)},
		Desktop: func() error { return nil },
		Open:    func(string) error { t.Error("opened a browser"); return nil },
	}
	change(&o)
	s := NewSurface(o)
	t.Cleanup(s.Close)
	return s
}

// visitAt opens an address in a browser that keeps cookies, and returns the page and the browser.
func visitAt(t *testing.T, address string) (*http.Response, *http.Client) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}, Jar: must(cookiejar.New(nil)), Timeout: patient}
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Get(address)
	fatal.If(t, err)
	_ = resp.Body.Close()
	return resp, client
}

// show shows a record until end is called, and returns what Show returned.
func show(s ui.Surface, id string) (end func() error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	result := make(chan error, 1)
	go func() { result <- s.Show(ctx, desk.Record{ID: id}, nil) }()
	return func() error {
		cancel(errTest)
		return <-result
	}
}

// The first question opens the browser; further ones use the open page, also one of another process.
func TestSurfaceOpensOnce(t *testing.T) {
	var opened atomic.Int32
	addresses := make(chan string, 4)
	s := newSurface(t, func(o *SurfaceOptions) {
		o.Open = func(address string) error { opened.Add(1); addresses <- address; return nil }
	})
	first := show(s, "1")
	page, client := visitAt(t, <-addresses)
	if page.StatusCode != http.StatusOK || page.Request.URL.RawQuery != "" {
		t.Errorf("opened %s: %s", page.Request.URL, page.Status)
	}
	events, err := client.Get(page.Request.URL.String() + "api/events")
	fatal.If(t, err)
	defer events.Body.Close()
	for _, end := range []func() error{show(s, "2"), show(s, "3"), first} {
		if err := end(); !errors.Is(err, errTest) {
			t.Errorf("Show ended with %v", err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("opened %d browsers", n)
	}

	s = newSurface(t, func(*SurfaceOptions) {})
	release := must(s.options.Desk.Announce(t.Context(), surfaceName))
	defer release()
	if err := show(s, "1")(); !errors.Is(err, errTest) {
		t.Errorf("beside another process Show ended with %v", err)
	}
}

// Where the browser shows nothing, the user was not reached.
func TestSurfaceUnreached(t *testing.T) {
	for why, change := range map[string]func(*SurfaceOptions){
		"remote shell": func(o *SurfaceOptions) { o.Desktop = func() error { return ui.ErrRemote } },
		"none installed": func(o *SurfaceOptions) {
			o.Open = func(string) error { return errors.New("none installed") }
		},
		"nobody opened":        func(o *SurfaceOptions) { o.Open = func(string) error { return nil } },
		"could not be started": func(o *SurfaceOptions) { o.Port = -1 },
		"cannot be told": func(o *SurfaceOptions) {
			store := newStore(t)
			o.Desk = desk.New(store, desk.Options{})
			store.Fail("Present", errors.New("the disk is full"))
		},
	} {
		s := newSurface(t, change)
		s.wait = 20 * time.Millisecond
		err := s.Show(t.Context(), desk.Record{ID: "1"}, nil)
		if !errors.Is(err, ui.ErrUnavailable) || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want unavailable: %s", err, why)
		}
	}
}

// The browser gets the address as one argument, whatever characters it has,
// and nothing of our standard streams.
func TestOpenBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	// Reading from a named pipe waits until the program has written to it.
	if err := exec.Command("mkfifo", out).Run(); err != nil {
		t.Skip("no named pipes here")
	}
	script := "#!/bin/sh\necho noise\nprintf '%s|%s|%s' \"$#\" \"$1\" \"$(readlink /proc/self/fd/0)\" > " + out + "\n"
	fatal.If(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	const address = "http://127.0.0.1:1/?token=a b&c=$(touch x);'\""
	fatal.If(t, OpenBrowser(address))
	got, err := os.ReadFile(out)
	if want := "1|" + address + "|/dev/null"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
