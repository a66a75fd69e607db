package form

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// session are the records of a session whose third round is open.
func session() []desk.Record {
	at := time.Date(2026, 11, 21, 9, 14, 0, 0, time.UTC)
	first, second, third := record(features()), record(database(), name()), record(deploy())
	first.ID, second.ID, third.ID = "01H", "01I", "01J"
	first.Round, second.Round, third.Round = 1, 2, 3
	first.State, second.State = desk.Dismissed, desk.Answered
	first.Outcome = &desk.Outcome{Status: desk.Dismissed, Surface: "web", At: at,
		Reply: &question.Reply{Dismissed: true, Reason: "too early to say"}}
	second.Outcome = &desk.Outcome{Status: desk.Answered, Surface: "inbox", At: at.Add(10 * time.Minute),
		Reply: &question.Reply{Note: "not before Monday", Answers: []question.Answer{told("db", "", "sqlite"), told("name", "orders")}}}
	return []desk.Record{first, second, third}
}

func third() desk.Record { return session()[2] }

func before() []desk.Record {
	s := session()
	return []desk.Record{s[1], s[0]}
}

// TestRoundsBefore: the earlier rounds are those before the record, the latest first.
func TestRoundsBefore(t *testing.T) {
	d := desktest.Open(t, t.TempDir())
	var asked []desk.Record
	for _, q := range []question.Question{features(), database(), deploy(), name()} {
		rec, err := desktest.Ask(t.Context(), d, question.Set{Questions: []question.Question{q}}, "session", desk.Asker{})
		fatal.If(t, err)
		asked = append(asked, rec)
	}
	rounds := Backing{d, asked[2]}.Options(t.Context()).Rounds()
	if len(rounds) != 2 || rounds[0].ID != asked[1].ID || rounds[1].ID != asked[0].ID {
		t.Errorf("before round %d: %+v", asked[2].Round, rounds)
	}
}

// TestLateRounds: earlier rounds that were slow to be read do not hide what has the keyboard by then.
func TestLateRounds(t *testing.T) {
	r := fresh(t, 80, 24, third(), withRounds(before)).show()
	_, read := r.f.Update(termtest.Keys("alt+h")[0])
	r.keys("ctrl+x").run(read)
	if r.keys("why"); !strings.Contains(r.screen(), "┃ why") {
		t.Errorf("the screen:\n%s", r.screen())
	}
}

// TestEarlierRounds: alt+h looks at the earlier rounds and back, also where letters are text.
// A first round has none.
func TestEarlierRounds(t *testing.T) {
	rec := third()
	r := fresh(t, 100, 24, rec, withRounds(before)).show()
	if !strings.Contains(r.screen(), "alt+h earlier questions") {
		t.Errorf("the key is not shown:\n%s", r.screen())
	}
	rec.Questions = []question.Question{name()}
	r = fresh(t, 100, 24, rec, withRounds(before)).show().keys("hh")
	for _, key := range []string{"esc", "alt+h"} {
		r.keys("alt+h")
		if got := r.screen(); !strings.Contains(got, "Earlier questions") || !strings.Contains(got, "(•) SQLite") {
			t.Errorf("the rounds are not shown:\n%s", got)
		}
		if got := r.keys(key).screen(); strings.Contains(got, "Earlier questions") {
			t.Errorf("%s does not go back:\n%s", key, got)
		}
	}
	if r.keys("enter"); r.last().Answers[0].Custom != "hh" {
		t.Errorf("answered %+v after a look back", r.last())
	}

	rec.Round = 1
	r = fresh(t, 80, 24, rec, withRounds(before)).show().keys("alt+h")
	if strings.Contains(r.screen(), "arlier questions") {
		t.Errorf("a first round has no earlier ones:\n%s", r.screen())
	}
}

// Tab shows the last option also where the previews of all are long.
func TestReadAllPreviews(t *testing.T) {
	q := twenty()
	for i := range q.Options {
		q.Options[i].Preview = strings.Repeat("image: postgres:18\n", 500)
	}
	q.Options[19].Preview = ""
	r := open(t, 80, 24, q).keys("tab", "end")
	if last := q.Options[19].Label; !strings.Contains(r.screen(), last) {
		t.Errorf("without %s:\n%s", last, r.screen())
	}
}

// Tab on the review shows the end of an answer that is longer than the screen, and the note below it.
func TestReadLongAnswer(t *testing.T) {
	long := name()
	long.Default = strings.Repeat("a line\n", 40) + "the last line"
	r := open(t, 80, 24, database(), long).keys("1", "enter", "up", "enter", "ctrl+n", "soon", "enter")
	if !strings.Contains(r.screen(), "tab read all") {
		t.Errorf("the key is not shown:\n%s", r.screen())
	}
	if r.keys("tab", "end"); !strings.Contains(r.screen(), "the last line") || !strings.Contains(r.screen(), "soon") {
		t.Errorf("the screen:\n%s", r.screen())
	}
	if r.keys("esc", "enter"); len(r.sent) != 1 {
		t.Errorf("not sent:\n%s", r.screen())
	}
}

func TestLift(t *testing.T) {
	fail := errors.New("no space left on device")
	calls := 0
	r := fresh(t, 80, 24, third(), withLift(func() error { calls++; return fail })).show()
	if got := r.screen(); !strings.Contains(got, "Last round") {
		t.Fatalf("the limit is not told:\n%s", got)
	}
	if r.keys("alt+l"); !strings.Contains(r.screen(), "no space left on device") || strings.Contains(r.screen(), "is lifted") {
		t.Errorf("want the failure, got:\n%s", r.screen())
	}
	fail = nil
	if r.keys("alt+l"); !strings.Contains(r.screen(), "The limit is lifted") || strings.Contains(r.screen(), "no space left") {
		t.Errorf("want the limit lifted, got:\n%s", r.screen())
	}
	if r.keys("alt+l"); calls != 2 {
		t.Errorf("lifted %d times", calls)
	}
	if len(r.sent) > 0 || r.f.State() != Open {
		t.Errorf("sent %+v", r.sent)
	}
}

// TestNews: the form says whether the asker waits, and how many other questions do.
func TestNews(t *testing.T) {
	const away, more, one = "The agent is not waiting; it will get your answer.", "2 more wait", "1 more waits"
	r := open(t, 80, 24, database())
	for _, step := range []struct {
		news  tea.Msg
		shown string
	}{
		{nil, ""}, {Status{}, away}, {Status{Attended: true}, ""},
		{Status{Attended: true, Waiting: 1}, one}, {Status{Attended: true, Waiting: 2}, more},
		{Status{Attended: true}, ""},
	} {
		r.send(step.news)
		for _, text := range []string{away, more, one} {
			if strings.Contains(r.screen(), text) != (text == step.shown) {
				t.Errorf("%#v: want %q, and no other, in:\n%s", step.news, step.shown, r.screen())
			}
		}
	}
}

// answeredBefore is what the desk knows once the user has answered q like this.
func answeredBefore(q question.Question, a question.Answer) option {
	a.QuestionID, a.By = q.ID, ""
	return withMemory(map[string]desk.Memory{q.ID: {
		At: time.Date(1969, 11, 3, 9, 0, 0, 0, time.UTC), Asker: desk.Asker{Client: "claude-code"}, Answer: a, Words: q.Words(&a),
	}})
}

// TestCountdown: what is left is shown from the start, in minutes until the last
// one, which is counted down second by second. However often the deadline moves on, one timer waits for it.
func TestCountdown(t *testing.T) {
	r := open(t, 80, 24, database())
	for range 100 {
		r.send(Status{Deadline: r.Now().Add(3 * time.Minute), Attended: true})
	}
	if n := r.Timers(); n != 1 {
		t.Errorf("%d timers, want 1", n)
	}
	r.wait(time.Millisecond)
	shows := func(want string) {
		t.Helper()
		if !strings.Contains(r.screen(), want) {
			t.Fatalf("want %q in:\n%s", want, r.screen())
		}
	}
	for left := 3; left > 1; left-- {
		shows(fmt.Sprintf("closes in %d min", left))
		r.wait(time.Minute)
	}
	for left := 60; left > 0; left-- {
		shows(fmt.Sprintf("closes in %d s", left))
		r.wait(time.Second)
	}
	shows("time is up")
	r.send(Status{Deadline: r.Now().Add(9 * time.Hour), Attended: true})
	_, _, wait := r.f.left()
	if wait > time.Minute { // no timer runs while the machine sleeps
		t.Errorf("of nine hours it is drawn again after %v", wait)
	}
	if r.send(Status{}); strings.Contains(r.screen(), "time is up") {
		t.Errorf("the time of nobody is up:\n%s", r.screen())
	}
}
