package tty

import (
	"context"
	"os"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// session is the one that every record on a test's desk belongs to.
const session = "session"

// deskOn returns a desk on which the second round of a session is the last.
func deskOn(s store.Store, now func() time.Time) *desk.Desk {
	return desk.New(s, desk.Options{Now: now, MaxRounds: 2, Pause: 1 << 62})
}

// programDesk is the desk of the program on the terminal: the one in TTY_DESK,
// or none.
func programDesk() *desk.Desk {
	dir := os.Getenv("TTY_DESK")
	if dir == "" {
		return nil
	}
	return deskOn(local.Open(dir), nil)
}

// fromDesk returns the record that the program shows.
func fromDesk(ctx context.Context, d *desk.Desk) desk.Record {
	rec, err := d.Get(ctx, os.Getenv("TTY_RECORD"))
	if err != nil {
		panic(err)
	}
	return rec
}

// asked is a record on a desk of its own, and this process waits for it.
type asked struct {
	t   *testing.T
	dir string
	desk.Record
	*desk.Desk
	attendance *desk.Attendance
}

// put asks a sample, of which timeout is the time to answer; 0 is for ever.
func put(t *testing.T, name string, timeout time.Duration) *asked {
	t.Helper()
	return putIn(t, t.TempDir(), name, timeout)
}

func putIn(t *testing.T, dir, name string, timeout time.Duration) *asked {
	t.Helper()
	d := deskOn(desktest.Store(t, dir), nil)
	rec, attendance, err := d.Submit(t.Context(), desk.Request{
		Set: question.Set{Questions: questions(name)}, Session: session, Asker: sample(name).Asker, Timeout: timeout,
	})
	fatal.If(t, err)
	t.Cleanup(attendance.Release)
	return &asked{t, dir, rec, d, attendance}
}

// putSecond asks a sample in the second round of its session. In the first
// another was answered, in the year 2023.
func putSecond(t *testing.T, name, first string, reply question.Reply) *asked {
	t.Helper()
	dir := t.TempDir()
	past := deskOn(desktest.Store(t, dir), func() time.Time { return time.Unix(1_700_000_000, 0) })
	rec, err := desktest.Ask(t.Context(), past, question.Set{Questions: questions(first)}, session, sample(first).Asker)
	fatal.If(t, err)
	if _, err := past.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := past.Delivered(t.Context(), rec.ID); err != nil { // or the same question is answered by it
		t.Fatal(err)
	}
	return putIn(t, dir, name, 0)
}

// env is how the program finds the record.
func (a *asked) env(more ...string) []string {
	return append([]string{"TTY_DESK=" + a.dir, "TTY_RECORD=" + a.ID, "TZ=UTC"}, more...)
}

// keep puts a draft where the program finds it.
func (a *asked) keep(r question.Reply) {
	a.t.Helper()
	fatal.If(a.t, a.SaveDraft(a.t.Context(), a.ID, r))
}

// awaitDraft waits until the draft is this text and nothing else.
func (a *asked) awaitDraft(text string) {
	a.t.Helper()
	if !waittest.Until(termtest.Deadline, func() bool {
		r, _, err := a.Draft(a.t.Context(), a.ID)
		return err == nil && len(r.Answers) == 1 && r.Answers[0].Custom == text
	}) {
		a.t.Fatalf("the draft never was %q", text)
	}
}
