package desk_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

var (
	asker  = desk.Asker{Client: "test-agent", Version: "1.2", Directory: "/home/u/project", Via: "mcp"}
	byPage = desk.Evidence{Surface: "web", How: desk.HowPage}
	yes    = question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser}}}
)

func set() question.Set {
	return question.Set{
		Questions: []question.Question{{
			ID: "q1", Text: "Which database?", Header: "Database", Type: question.SingleChoice,
			Options:     []question.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite"}},
			AllowCustom: true,
		}},
		Metadata: map[string]any{"ticket": "A-1"},
	}
}

// says is a reply whose text tells one answerer from another.
func says(text string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: text}}}
}

func text(rec desk.Record) string { return outcomeText(rec.Outcome) }

func outcomeText(o *desk.Outcome) string {
	if o == nil || o.Reply == nil || len(o.Reply.Answers) == 0 {
		return ""
	}
	return o.Reply.Answers[0].Custom
}

// storeDir is where a test keeps its store.
func storeDir(tb testing.TB) string { return filepath.Join(tb.TempDir(), "store") }

// open returns a desk as another process would have it: it shares nothing but
// the directory.
func open(tb testing.TB, dir string) *desk.Desk {
	tb.Helper()
	return desk.New(openStore(tb, dir), desk.Options{})
}

func openStore(tb testing.TB, dir string) *local.Store {
	tb.Helper()
	return desktest.Store(tb, dir)
}

// faulty returns a desk on a new store that fails on command.
func faulty(tb testing.TB, dir string, o desk.Options) (*desk.Desk, *desktest.Faulty) {
	tb.Helper()
	s := &desktest.Faulty{Store: openStore(tb, dir)}
	return desk.New(s, o), s
}

// at is a desk in a directory at a moment.
func at(tb testing.TB, dir string, now time.Time, o desk.Options) *desk.Desk {
	tb.Helper()
	o.Now = func() time.Time { return now }
	return desk.New(openStore(tb, dir), o)
}

// after is a desk whose clock is ahead.
func after(t *testing.T, dir string, ahead time.Duration) *desk.Desk {
	return desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
}

// put asks a new question for which no asker waits.
func put(tb testing.TB, d *desk.Desk, set question.Set, session string, by desk.Asker) desk.Record {
	tb.Helper()
	return must(desktest.Ask(tb.Context(), d, set, session, by))
}

func ask(tb testing.TB, d *desk.Desk) desk.Record {
	tb.Helper()
	return put(tb, d, set(), "s1", asker)
}

func request(text string) desk.Request {
	s := set()
	s.Questions[0].Text = text
	return desk.Request{Set: s, Session: "s1", Asker: asker}
}

// confirmation asks for a yes or a no that only the user gives.
func confirmation(via string) desk.Request {
	return desk.Request{
		Session: "s", Asker: desk.Asker{Client: "agent", Directory: "/srv/shop", Via: via},
		Set: question.Set{Questions: []question.Question{{ID: "q1", Text: "Delete it?", Type: question.Boolean, Required: true, Options: question.YesAndNo()}}},
	}
}

// submit asks, and attends until the end of the test, or Release.
func submit(t *testing.T, d *desk.Desk, r desk.Request) (desk.Record, *desk.Attendance) {
	t.Helper()
	rec, attendance, err := d.Submit(t.Context(), r)
	fatal.If(t, err)
	t.Cleanup(attendance.Release)
	return rec, attendance
}

// detached asks, and attends no more.
func detached(t *testing.T, d *desk.Desk, r desk.Request) desk.Record {
	t.Helper()
	rec, attendance := submit(t, d, r)
	attendance.Release()
	return rec
}

func reply(t *testing.T, d *desk.Desk, id, text string) {
	t.Helper()
	must(d.Reply(t.Context(), id, says(text), desk.Evidence{Surface: "inbox", How: desk.HowPage}))
}

func collected(t testing.TB, d *desk.Desk, rec desk.Record, a *desk.Attendance) {
	t.Helper()
	fatal.If(t, d.Delivered(t.Context(), rec.ID))
	a.Release()
}

// deadline bounds what should end by itself.
func deadline(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeoutCause(tb.Context(), time.Minute, errors.New("the test waited in vain"))
	tb.Cleanup(cancel)
	return ctx
}

func closed(err error) bool {
	_, is := errors.AsType[*desk.ClosedError](err)
	return is
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
