package desk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

func TestHistory(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	var ids []string
	for i, answer := range []string{"PostgreSQL", "SQLite", "<b>ÄRGER</b> & mehr"} {
		rec := ask(t, d)
		reply(t, d, rec.ID, answer)
		if i != 1 { // one is not archived yet
			if err := d.Delivered(t.Context(), rec.ID); err != nil {
				t.Fatal(err)
			}
		}
		ids = append(ids, rec.ID)
	}
	ask(t, d) // still open
	find := func(q desk.Query) string {
		var out []string
		for rec, err := range d.History(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				if id == rec.ID {
					out = append(out, fmt.Sprint(i))
				}
			}
		}
		return strings.Join(out, " ")
	}
	for _, tc := range []struct {
		query desk.Query
		want  string
	}{
		{desk.Query{}, "2 1 0"},
		{desk.Query{Limit: 2}, "2 1"},
		{desk.Query{Search: "postgre"}, "2 1 0"}, // an option of each
		{desk.Query{Search: "sqlite"}, "2 1 0"},
		{desk.Query{Search: "ärger"}, "2"},
		{desk.Query{Search: "<B>ärger</b> &"}, "2"},
		{desk.Query{Search: "PROJECT"}, "2 1 0"},
		{desk.Query{Search: strings.ToLower(ids[1])}, "1"},
		{desk.Query{Search: ids[1][12:]}, ""}, // what an id has in its middle is by chance
		{desk.Query{Search: "status"}, ""},    // the form of the file is no content
		{desk.Query{Since: time.Now().Add(time.Hour)}, ""},
		{desk.Query{Since: time.Now().Add(-time.Hour)}, "2 1 0"},
	} {
		if got := find(tc.query); got != tc.want {
			t.Errorf("%+v: %s, want %s", tc.query, got, tc.want)
		}
	}
}

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

// A query has the last that were asked, in either order, and may be left early.
func TestHistoryInOrder(t *testing.T) {
	now := begin
	d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time { return now }})
	var ids []string
	for i := range 40 {
		now = now.Add(24 * time.Hour)
		rec := ask(t, d)
		reply(t, d, rec.ID, "x")
		if i%3 > 0 {
			collected(t, d, rec, nil)
		}
		ids = append(ids, rec.ID)
	}
	slices.Reverse(ids)
	for _, tc := range []struct {
		query desk.Query
		want  []string
	}{
		{desk.Query{}, ids},
		{desk.Query{Limit: 15}, ids[:15]},
		{desk.Query{Limit: 15, Search: "which"}, ids[:15]},
		{desk.Query{Since: now.AddDate(0, 0, -29)}, ids[:30]},
		{desk.Query{Since: now.AddDate(0, 0, -29), Limit: 7}, ids[:7]},
	} {
		got, err := past(t, d, tc.query)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %v, %v, want %v", tc.query, got, err, tc.want)
		}
		tc.query.Ascend = true
		ascending, err := past(t, d, tc.query)
		slices.Reverse(ascending)
		if err != nil || !slices.Equal(ascending, tc.want) {
			t.Errorf("%+v: %v, %v, want the same from its end", tc.query, ascending, err)
		}
	}
	n := 0
	for range d.History(t.Context(), desk.Query{}) {
		n++
		if n == 2 {
			break
		}
	}
}

// A search finds what the user wrote and read, as they would spell it.
func TestHistorySearch(t *testing.T) {
	d := open(t, storeDir(t))
	noted := says("PostgreSQL")
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
	for search, want := range map[string]string{
		"discussed on  MONDAY": rec.ID, "licence": rec.ID, "/srv/shop": rec.ID, "Wednesday": rec.ID,
		"wrong team": dismissed.ID, "Went Away": withdrawn.ID, rec.ID[:15]: "", strings.ToLower(withdrawn.ID): withdrawn.ID,
	} {
		got, err := past(t, d, desk.Query{Search: search})
		if err != nil || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%q finds %v, %v", search, got, err)
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
		for _, search := range []string{"", "which", ids[0]} {
			s.FailRows(after, broken)
			got, err := past(t, d, desk.Query{Search: search})
			whole := search == ids[0] && after > 0
			if !whole && (!errors.Is(err, broken) || len(got) != after) {
				t.Errorf("after %d rows, %q: %d records, %v", after, search, len(got), err)
			}
		}
	}
	s.FailCalls("Rows", nil)
	desktest.Overwrite(t, dir, ids[1], desktest.Outcome, func([]byte) []byte { return []byte(`{"status":`) })
	for range 2 {
		got, err := past(t, d, desk.Query{})
		if err != nil || !slices.Equal(got, []string{ids[2], ids[0]}) || d.Damaged() != 1 {
			t.Errorf("with a damaged record: %v, %v; %d are damaged", got, err, d.Damaged())
		}
	}
}
