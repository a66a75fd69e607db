package answer

import (
	"errors"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// FuzzSet does random acts. No panic; a reply is valid or its faults are reported; it
// holds nothing that was not confirmed; a draft brings back what it was made of.
func FuzzSet(f *testing.F) {
	f.Add([]byte{0, 0, 12, 0, 12})
	f.Add([]byte("\x01\x00\x02\x0c\x0d\x0c\x0e\x03\x0f\x10\x11\x12"))
	f.Add([]byte{2, 3, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	texts := []string{"", " ", "x", "DuckDB", "a\nb", "\x1b[2J", "是"}
	f.Fuzz(func(t *testing.T, in []byte) {
		in = in[:min(len(in), 100)] // acts enough
		next := func(n int) int {
			if len(in) == 0 {
				return 0
			}
			b := int(in[0])
			in = in[1:]
			return b % n
		}
		sheet := next(3) == 2
		rec := record(nested(), optional(one()), several(), proposing(text(), "shop"), yesNo())
		d := New(rec, Options{Sheet: sheet, MustTouch: next(2) == 1, Memory: map[string]desk.Memory{
			"db": {Answer: answered("db", "DuckDB")}, "feat": {Answer: answered("feat", "", "a")}, "name": {Answer: answered("name", "y")},
		}})
		ids := []string{"q0", "q1", "q2", "q3", "db", "feat", "name", "ok", "nobody"}
		for len(in) > 0 {
			q, ready, err := d.Current(), false, error(nil)
			if sheet {
				q = d.All()[next(len(d.All()))]
			}
			words := texts[next(len(texts))]
			act := next(13)
			was := said(d.Draft())
			switch {
			case act == 0:
				d.WriteReason(words)
			case act == 1:
				d.WriteNote(words)
			case act == 2 && !sheet:
				err = d.Back()
			case act == 3 && !sheet:
				ready, err = d.Next()
			case act == 4 && !sheet:
				err = d.Goto(ids[next(len(ids))])
			case act == 5 && !sheet:
				d.Review()
			case q == nil:
			case act == 6:
				err = q.Choose(next(8) - 1)
			case act == 7:
				err = q.Unchoose(next(8) - 1)
			case act == 8:
				err = q.Type(words)
			case act == 9:
				err = q.Put([]int{next(8) - 1, next(8) - 1}[:next(3)], words)
			case act == 10:
				err = q.Skip()
			case act == 11:
				err = q.Accept()
			default:
				err = q.Recall()
			}
			if err != nil && (ready || said(d.Draft()) != was) {
				t.Fatalf("act %d was refused (%v) and changed %q to %q", act, err, was, said(d.Draft()))
			}
			checkReply(t, d, ready)
			checkDraft(t, d, sheet)
		}
	})
}

// checkReply checks what would be sent now.
func checkReply(t *testing.T, d *Set, ready bool) {
	t.Helper()
	r, err := d.Reply()
	switch {
	case err != nil && !errors.As(err, new(question.Violations)):
		t.Fatalf("reply: %v", err)
	case err != nil && ready:
		t.Fatalf("said to be ready, but %v", err)
	case err != nil:
		return
	}
	rec := d.Record()
	if _, err := rec.Check(r); err != nil {
		t.Fatalf("reply %+v: %v", r, err)
	}
	for _, a := range r.Answers {
		q := d.Question(a.QuestionID)
		if place, _ := d.Place(q); place == 0 || !a.Empty() && !d.options.Sheet && !q.settled() {
			t.Fatalf("sent without being confirmed: %+v of %+v", a, q)
		}
	}
}

// checkDraft checks that a draft brings back what it was made of.
func checkDraft(t *testing.T, d *Set, sheet bool) {
	t.Helper()
	draft := d.Draft()
	for _, a := range draft.Answers {
		if len(a.Selected) > 1 && !d.Question(a.QuestionID).Several() {
			return // which Next refuses
		}
	}
	again := New(d.Record(), Options{Sheet: sheet, Draft: draft})
	if got := again.Draft(); said(got) != said(draft) {
		t.Fatalf("kept %+v, brought back %+v", draft, got)
	}
}
