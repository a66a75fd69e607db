package tty

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term/act"
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

// hands are an input in which these strokes are typed, and which then ends. The Enter
// of a line comes when its stroke does, and the rest before: as by hand, unless the
// strokes are pieces that come as they are.
type hands struct {
	strokes []stroke
	pieces  bool
	ended   func() bool // the end is the human's own word
}

// toEnter is the time that a hand takes to the Enter of a line.
const toEnter = 40 * time.Millisecond

func (h *hands) Read(p []byte) (int, error) {
	if len(h.strokes) == 0 {
		return 0, io.EOF
	}
	next := &h.strokes[0]
	keys, rest := next.keys, ""
	if text, isLine := strings.CutSuffix(keys, "\n"); !h.pieces && isLine && text != "" && !strings.Contains(text, "\n") {
		keys, rest = text, "\n"
		next.after = max(next.after-toEnter, 0)
	}
	<-time.After(next.after) // of a bubble's own time
	n := copy(p, keys)
	next.after = 0
	if n == len(keys) && rest != "" {
		next.after = toEnter
	}
	if next.keys = keys[n:] + rest; next.keys == "" {
		h.strokes = h.strokes[1:]
	}
	return n, nil
}

func (h *hands) flush()           {}
func (h *hands) interrupt()       {}
func (h *hands) foreground() bool { return h.ended != nil && h.ended() }

// converse asks rec in lines, which in types, and returns what was written.
func converse(ctx context.Context, in input, rec form.Backing, origin act.Origin, commit ui.Commit) (string, error) {
	var out bytes.Buffer
	c := &conversation{
		printer: &printer{w: &out, width: func() int { return defaultWidth }, extendTime: func() {}},
		in:      &lineReader{in: in}, desk: rec, commit: commit,
	}
	err := c.run(ctx, origin)
	return out.String(), err
}

// typing asks rec while these strokes are typed, and returns what was written,
// what was committed and what the form returned. fail decides about each try to
// commit.
func typing(t *testing.T, rec desk.Record, origin act.Origin, strokes []stroke, fail func(try int) error) (out string, replies []question.Reply, err error) {
	t.Helper()
	return handed(t, rec, origin, &hands{strokes: strokes}, fail)
}

// handed is typing with hands of one's own.
func handed(t *testing.T, rec desk.Record, origin act.Origin, in *hands, fail func(try int) error) (out string, replies []question.Reply, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		try := 0
		out, err = converse(t.Context(), in, form.Backing{Rec: rec}, origin, func(r question.Reply) error {
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

// ask is typing, a line a second, in a form that the human opened.
func ask(t *testing.T, rec desk.Record, lines string, fail func(try int) error) (string, []question.Reply, error) {
	t.Helper()
	return typing(t, rec, act.Opened, slowly(lines), fail)
}

func always(err error) func(int) error { return func(int) error { return err } }
