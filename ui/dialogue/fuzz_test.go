package dialogue

import (
	"errors"
	"reflect"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// FuzzActs does random acts. No panic; a reply is valid or its faults are reported; it
// holds nothing that was not confirmed; a draft brings back what it was made of.
func FuzzActs(f *testing.F) {
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
		layout := Layout(next(3))
		rec := record(nested(), optional(one()), several(), proposing(text(), "shop"), yesNo())
		d := New(rec, Options{Layout: layout, Bare: next(2) == 1, Memory: map[string]desk.Memory{
			"db": {Answer: answered("db", "DuckDB")}, "feat": {Answer: answered("feat", "", "a")}, "name": {Answer: answered("name", "y")},
		}})
		ids := []string{"q0", "q1", "q2", "q3", "db", "feat", "name", "ok", "nobody"}
		for len(in) > 0 {
			acts := []func() Act{
				func() Act { return Choose{next(8) - 1} }, func() Act { return Unchoose{next(8) - 1} }, func() Act { return Text{texts[next(len(texts))]} },
				func() Act {
					return Fill{Rows: []int{next(8) - 1, next(8) - 1}[:next(3)], Text: texts[next(len(texts))]}
				},
				func() Act { return Skip{} }, func() Act { return Accept{} }, func() Act { return Recall{} }, func() Act { return Touch{} },
				func() Act { return Note{texts[next(len(texts))]} },
				func() Act { return Reason{texts[next(len(texts))]} }, func() Act { return Back{} }, func() Act { return Next{} },
				func() Act { return Goto{ids[next(len(ids))]} }, func() Act { return Review{} },
				func() Act { return Dismiss{texts[next(len(texts))]} }, func() Act { return Discuss{texts[next(len(texts))]} },
			}
			a, was := acts[next(len(acts))](), d.Clone()
			change, err := d.Act(a)
			if id := ids[next(len(ids))]; layout == Sheet && err == nil {
				change, err = d.ActOn(id, a)
			}
			if err != nil && (change.Draft || change.Ready) {
				t.Fatalf("%T was refused (%v) and changed something: %+v", a, err, change)
			}
			if change.Ready != (err == nil && change.Ready) || !reflect.DeepEqual(was.Record(), d.Record()) {
				t.Fatalf("%T: %+v, %v", a, change, err)
			}
			checkReply(t, d, change.Ready && layout != Sheet)
			checkDraft(t, d, layout)
		}
	})
}

// checkReply checks what the dialogue would send now.
func checkReply(t *testing.T, d *Dialogue, ready bool) {
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
		s := d.Step(a.QuestionID)
		if s.Place == 0 || !a.Empty() && d.options.Layout != Sheet && !d.steps[d.find(s.ID)].settled() {
			t.Fatalf("sent without being confirmed: %+v of %+v", a, s)
		}
	}
}

// checkDraft checks that a draft brings back what it was made of.
func checkDraft(t *testing.T, d *Dialogue, layout Layout) {
	t.Helper()
	draft := d.Draft()
	for _, a := range draft.Answers {
		if s := d.Step(a.QuestionID); len(a.Selected) > 1 && !s.Several() {
			return // which Next refuses
		}
	}
	again := New(d.Record(), Options{Layout: layout, Draft: draft})
	if got := again.Draft(); !sameDraft(got, draft) {
		t.Fatalf("kept %+v, brought back %+v", draft, got)
	}
}
