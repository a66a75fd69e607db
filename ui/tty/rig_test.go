package tty

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
)

// stroke is what is typed after a pause.
type stroke struct {
	after time.Duration
	keys  string
}

// slowly types one line a second.
func slowly(lines string) []stroke {
	var out []stroke
	for line := range strings.SplitAfterSeq(lines, "\n") {
		out = append(out, stroke{time.Second, line})
	}
	return out
}

// hands are a keyboard on which these strokes are typed, and which is then gone.
type hands struct {
	strokes []stroke

	mu      sync.Mutex
	changed *sync.Cond
	unread  string
	lines   bool // only whole lines are delivered
	gone    bool
	ended   bool // by interrupt
	stop    chan struct{}
}

// play types the strokes, each at its time, read or not.
func (h *hands) play() {
	for _, s := range append(slices.Clip(h.strokes), stroke{after: time.Second}) { // an Enter takes a moment to count
		select {
		case <-time.After(s.after): // of a bubble's own time
		case <-h.stop:
			return
		}
		h.change(func() { h.unread += s.keys })
	}
	h.change(func() { h.gone = true })
}

func (h *hands) change(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
	h.changed.Broadcast()
}

func (h *hands) Read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		ready := h.unread
		if h.lines {
			ready = ready[:strings.IndexByte(ready, '\n')+1]
		}
		switch {
		case h.ended:
			return 0, os.ErrDeadlineExceeded
		case h.lines && strings.HasPrefix(h.unread, endOfInput): // Ctrl+D in an empty line
			h.unread = ""
			return 0, io.EOF
		case ready != "":
			n := copy(p, ready)
			h.unread = h.unread[n:]
			return n, nil
		case h.gone:
			return 0, io.EOF
		}
		h.changed.Wait()
	}
}

func (h *hands) deliverLines(on bool) error {
	h.change(func() { h.unread, h.lines = "", on })
	return nil
}

func (h *hands) interrupt() {
	close(h.stop)
	h.change(func() { h.ended = true })
}

func (h *hands) size() (int, int) { return 80, 24 }

func (h *hands) foreground() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.gone
}

// converse asks rec in lines, with these strokes typed, and returns what was written.
func converse(ctx context.Context, strokes []stroke, rec form.Backing, origin gate.Origin, commit ui.Commit) (string, error) {
	var out bytes.Buffer
	err := conversationOn(&out, strokes, rec, origin, commit).run(ctx)
	return out.String(), err
}

func conversationOn(out io.Writer, strokes []stroke, rec form.Backing, origin gate.Origin, commit ui.Commit) *conversation {
	in := &hands{strokes: strokes, stop: make(chan struct{})}
	in.changed = sync.NewCond(&in.mu)
	go in.play()
	return &conversation{
		printer: &printer{w: out, width: func() int { return defaultWidth }},
		in:      &input{keyboard: in}, desk: rec, commit: commit, appeared: origin == gate.Appeared,
	}
}

// typing asks rec while these strokes are typed, and returns what was written,
// what was committed and what the form returned. fail decides about each try to
// commit.
func typing(t *testing.T, rec desk.Record, origin gate.Origin, strokes []stroke, fail func(try int) error) (out string, replies []question.Reply, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		try := 0
		out, err = converse(t.Context(), strokes, form.Backing{Rec: rec}, origin, func(r question.Reply) error {
			try++
			if err := fail(try); err != nil {
				return err
			}
			if r.Took <= 0 {
				t.Error("the reply does not say how long it took")
			}
			r.Took = 0
			replies = append(replies, r)
			return nil
		})
	})
	return out, replies, err
}

// ask is typing, a line a second, in a form that the user opened.
func ask(t *testing.T, rec desk.Record, lines string, fail func(try int) error) (string, []question.Reply, error) {
	t.Helper()
	return typing(t, rec, gate.Opened, slowly(lines), fail)
}

func always(err error) func(int) error { return func(int) error { return err } }
