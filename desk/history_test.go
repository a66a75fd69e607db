package desk_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// past returns the ids of a query, and the error that ends it.
func past(t *testing.T, d *desk.Desk, q desk.Query) (ids []string, err error) {
	t.Helper()
	for rec, err := range d.History(t.Context(), q) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, rec.ID)
	}
	return ids, nil
}

// The past is read in either order, and a search finds what the user wrote and read, as they
// would spell it.
func TestHistory(t *testing.T) {
	d := open(t, storeDir(t))
	noted := says("<b>ÄRGER</b> & mehr")
	noted.Note, noted.Answers[0].Note = "as discussed\non Monday", "mind the licence"
	r := request("Which database?")
	r.Asker.Directory, r.Session = "/srv/Shop", "wednesday"
	rec, attendance := submit(t, d, r)
	must(d.Reply(t.Context(), rec.ID, noted, byPage))
	collected(t, d, rec, attendance)
	dismissed := ask(t, d)
	must(d.Reply(t.Context(), dismissed.ID, question.Reply{Dismissed: true, Reason: "wrong team"}, byPage))
	withdrawn := ask(t, d)
	must(d.Close(t.Context(), withdrawn.ID, desk.Outcome{Status: desk.Cancelled, Reason: "the client went away"}))
	ask(t, d) // still open
	all := []string{withdrawn.ID, dismissed.ID, rec.ID}
	for _, tc := range []struct {
		query desk.Query
		want  []string
	}{
		{desk.Query{}, all},
		{desk.Query{Limit: 2, Ascend: true}, []string{dismissed.ID, withdrawn.ID}},
		{desk.Query{Since: time.Now().Add(time.Hour)}, nil},
		{desk.Query{Search: "postgre"}, all}, // an option of each
		{desk.Query{Search: "<B>ärger</b> &"}, []string{rec.ID}},
		{desk.Query{Search: "discussed on  MONDAY"}, []string{rec.ID}},
		{desk.Query{Search: "licence"}, []string{rec.ID}},
		{desk.Query{Search: "/srv/shop"}, []string{rec.ID}},
		{desk.Query{Search: "Wednesday"}, []string{rec.ID}},
		{desk.Query{Search: "wrong team"}, []string{dismissed.ID}},
		{desk.Query{Search: "Went Away"}, []string{withdrawn.ID}},
		{desk.Query{Search: dismissed.ID[12:]}, nil}, // what an id has is by chance
		{desk.Query{Search: "status"}, nil},          // the form of the document is no content
	} {
		got, err := past(t, d, tc.query)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %v, %v, want %v", tc.query, got, err, tc.want)
		}
	}
}

// A past that cannot be read whole is an error, never a shorter one. A damaged record is left
// out and counted.
func TestHistoryFails(t *testing.T) {
	dir := storeDir(t)
	d, s := faulty(t, dir, desk.Options{})
	var ids []string
	for range 3 {
		rec := ask(t, d)
		must(d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled}))
		ids = append(ids, rec.ID)
	}
	broken := errors.New("too many open files")
	for after := range 3 {
		s.FailRows(after, broken)
		got, err := past(t, d, desk.Query{})
		if !errors.Is(err, broken) || len(got) != after {
			t.Errorf("after %d rows: %d records, %v", after, len(got), err)
		}
	}
	s.FailRows(0, nil)
	desktest.Overwrite(t, dir, ids[1], desktest.Outcome, func([]byte) []byte { return []byte(`{"status":`) })
	for range 2 {
		got, err := past(t, d, desk.Query{})
		if err != nil || !slices.Equal(got, []string{ids[2], ids[0]}) || d.Damaged() != 1 {
			t.Errorf("with a damaged record: %v, %v; %d are damaged", got, err, d.Damaged())
		}
	}
}

// decided asks a set, has the human answer and archives it.
func decided(t testing.TB, d *desk.Desk, s question.Set, by desk.Asker, answers ...question.Answer) desk.Record {
	t.Helper()
	rec := put(t, d, s, "", by)
	must(d.Reply(t.Context(), rec.ID, question.Reply{Answers: answers}, byPage))
	fatal.If(t, d.Delivered(t.Context(), rec.ID))
	return rec
}

func chose(id string) question.Answer {
	return question.Answer{QuestionID: "q1", Selected: []string{id}}
}

// A question that the user has answered in the project before says so, also where another agent
// asks it, or gives its options other names; any other question does not.
func TestRemembered(t *testing.T) {
	choice := func(text string, options ...string) question.Question {
		q := question.Question{ID: "now", Text: text, Type: question.SingleChoice, AllowCustom: true}
		for i, label := range options {
			q.Options = append(q.Options, question.Option{ID: fmt.Sprint("o", i), Label: label})
		}
		return q
	}
	same := choice("Which database?", "PostgreSQL", "SQLite")
	noText := same
	noText.AllowCustom = false
	several := same
	several.Type = question.MultiChoice
	brought := same
	brought.Collected = &question.Answer{QuestionID: "now", Selected: []string{"o0"}}
	for _, tc := range []struct {
		name   string
		before question.Answer
		now    question.Question
		by     desk.Asker
		want   string // option id, text
	}{
		{"the same", chose("lite"), same, asker, "o1 SQLite"},
		{"by another client", chose("lite"), same, desk.Asker{Client: "other", Directory: "/home/u/project/", Via: "shell"}, "o1 SQLite"},
		{"in other letters", chose("lite"), choice("  which\tDATABASE? ", "postgresql", "sqlite"), asker, "o1 sqlite"},
		{"another one recommended, in another order", chose("pg"), choice("Which database?", "SQLite (Recommended)", "PostgreSQL"), asker, "o1 PostgreSQL"},
		{"in the human's words", question.Answer{QuestionID: "q1", Custom: "DuckDB"}, same, asker, " DuckDB"},
		{"which it takes no more", question.Answer{QuestionID: "q1", Custom: "DuckDB"}, noText, asker, ""},
		{"in another project", chose("lite"), same, desk.Asker{Client: "test-agent", Directory: "/home/u/other"}, ""},
		{"in no project", chose("lite"), same, desk.Asker{Client: "test-agent"}, ""},
		{"another question", chose("lite"), choice("Which database, then?", "PostgreSQL", "SQLite"), asker, ""},
		{"one option more", chose("lite"), choice("Which database?", "PostgreSQL", "SQLite", "MongoDB"), asker, "o1 SQLite"},
		{"without that option", chose("lite"), choice("Which database?", "PostgreSQL", "MongoDB"), asker, ""},
		{"of another type", chose("lite"), several, asker, ""},
		{"whose answer was brought along", chose("lite"), brought, asker, ""},
		{"whose options read alike", chose("lite"), choice("Which database?", "SQLite", "sqlite"), asker, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := open(t, storeDir(t))
			before := decided(t, d, set(), asker, tc.before)
			rec := put(t, d, question.Set{Questions: []question.Question{tc.now}}, "", tc.by)
			got := d.Remembered(t.Context(), rec)
			m, there := got["now"]
			if there != (tc.want != "") || len(got) > 1 {
				t.Fatalf("remembered %+v", got)
			}
			if !there {
				return
			}
			a := m.Answer
			if text := strings.Join(a.Selected, ",") + " " + strings.Join(m.Words, ","); text != tc.want || a.QuestionID != "now" || a.By != "" || a.Note != "" {
				t.Errorf("remembered %+v, %q", a, m.Words)
			}
			if m.Record != before.ID || m.Asker != asker || m.At.IsZero() {
				t.Errorf("of %s by %+v", m.Record, m.Asker)
			}
			if _, err := rec.Check(question.Reply{Answers: []question.Answer{a}}); err != nil {
				t.Errorf("it cannot be taken over: %v", err)
			}
		})
	}
}

// Only what the user said themselves, for all to see, is remembered.
func TestNotRemembered(t *testing.T) {
	secret := question.Set{Questions: []question.Question{{ID: "q1", Text: "API key?", Type: question.Text}}}
	permission := asker
	permission.Via = desk.ViaPermission
	postgres := question.Reply{Answers: []question.Answer{chose("pg")}}
	timeout := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"pg"}, By: question.ByTimeout}}}
	discussion := question.Reply{Answers: postgres.Answers, Discuss: true}
	note := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Note: "later"}}}
	for name, tc := range map[string]struct {
		set   question.Set
		by    desk.Asker
		reply question.Reply
		from  desk.Evidence
	}{
		"by a program":        {set(), asker, postgres, desk.Evidence{Surface: "shell", How: desk.HowCommand}},
		"by the timeout":      {withDefault(), asker, timeout, desk.Evidence{Surface: "timeout", How: desk.HowTimeout}},
		"before a discussion": {set(), asker, discussion, byPage},
		"a note alone":        {set(), asker, note, byPage},
		"a secret":            {secret, asker, says("hunter2"), byPage},
		"a confirmation":      {confirmation("mcp").Set, asker, yes, byPage},
		"a permission":        {set(), permission, postgres, byPage},
	} {
		d := open(t, storeDir(t))
		rec, attendance := submit(t, d, desk.Request{Set: tc.set, Asker: tc.by, OnTimeout: desk.OnTimeoutDefault})
		must(d.Reply(t.Context(), rec.ID, tc.reply, tc.from))
		collected(t, d, rec, attendance)
		got := d.Remembered(t.Context(), put(t, d, tc.set, "", asker))
		if len(got) > 0 {
			t.Errorf("%s: remembered %+v", name, got)
		}
	}
}

// The last answer counts; one of later than the question is passed over.
func TestRememberedIsTheLast(t *testing.T) {
	now := time.Now()
	d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	for _, id := range []string{"lite", "pg", "lite"} {
		decided(t, d, set(), asker, chose(id))
	}
	rec := put(t, d, set(), "", asker)
	decided(t, d, set(), asker, chose("pg"))
	got := d.Remembered(t.Context(), rec)["q1"]
	if !slices.Equal(got.Words, []string{"SQLite"}) {
		t.Errorf("remembered %q", got.Words)
	}
}

// A store that fails costs the memory and nothing else; the log says so.
func TestRememberedFailing(t *testing.T) {
	var log strings.Builder
	d, s := faulty(t, storeDir(t), desk.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	decided(t, d, set(), asker, chose("pg"))
	rec := put(t, d, set(), "", asker)
	s.FailRows(0, errors.New("disk on fire"))
	if got := d.Remembered(t.Context(), rec); len(got) > 0 || !strings.Contains(log.String(), "disk on fire") {
		t.Errorf("remembered %+v and logged %q", got, log.String())
	}
}

// withDefault is a set that declares PostgreSQL as its default.
func withDefault() question.Set {
	s := set()
	s.Questions[0].Options[0].Default = true
	return s
}
