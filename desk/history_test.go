package desk_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
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
		{desk.Query{Limit: 2}, all[:2]},
		{desk.Query{Limit: 2, Ascend: true}, []string{dismissed.ID, withdrawn.ID}},
		{desk.Query{Since: time.Now().Add(time.Hour)}, nil},
		{desk.Query{Since: time.Now().Add(-time.Hour)}, all},
		{desk.Query{Search: "postgre"}, all}, // an option of each
		{desk.Query{Search: "postgre", Limit: 1}, all[:1]},
		{desk.Query{Search: "<B>ärger</b> &"}, []string{rec.ID}},
		{desk.Query{Search: "discussed on  MONDAY"}, []string{rec.ID}},
		{desk.Query{Search: "licence"}, []string{rec.ID}},
		{desk.Query{Search: "/srv/shop"}, []string{rec.ID}},
		{desk.Query{Search: "Wednesday"}, []string{rec.ID}},
		{desk.Query{Search: "wrong team"}, []string{dismissed.ID}},
		{desk.Query{Search: "Went Away"}, []string{withdrawn.ID}},
		{desk.Query{Search: strings.ToLower(dismissed.ID)}, []string{dismissed.ID}},
		{desk.Query{Search: dismissed.ID[12:]}, nil}, // what an id has in its middle is by chance
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
		for _, search := range []string{"", "which", ids[0]} {
			s.FailRows(after, broken)
			got, err := past(t, d, desk.Query{Search: search})
			whole := search == ids[0] && after > 0
			if !whole && (!errors.Is(err, broken) || len(got) != after) {
				t.Errorf("after %d rows, %q: %d records, %v", after, search, len(got), err)
			}
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
