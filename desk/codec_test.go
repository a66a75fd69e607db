package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

const someID = "01KB3C4D5E6F7G8H9JAKBMCNDP"

// What a row may ask, and how it may have ended.
var (
	asks = []string{
		`{"id":"` + someID + `","round":1,"asker":{"client":"c","via":"mcp"},"state":"pending","created_at":"2026-11-03T09:00:00.123456789Z","questions":[{"question_id":"q1","question":"Which?","type":"text","required":true}]}`,
		`{"id":"` + someID + `","state":"pending","questions":[{"type":"text",` +
			`"options":[{"follow_ups":[{"options":[{}]}]}]}],"metadata":{"a":[1,null,{}]}}`,
	}
	ends = []string{
		`{"id":"x","status":"dismissed","reply":{"dismissed":true,"reason":"later"},"surface":"tty","at":"2026-11-03T09:00:00Z"}`,
		`{"status":"timeout","reason":"nobody came"}`,
	}
	bad = []string{
		`{"id":"another","state":"pending"}`, `{"id":"` + someID + `","outcome":{"status":"pending"}}`,
		`{"id":"` + someID + `","questions":[{"question_id":"q1","question":"How much?","type":"slider"}]}`,
		`{"status":"answered"}`, `{"status":"pending"}`, `{"status":"dismissed","reply":{}}`, `{"status":"snoozed"}`,
		`{"id":`, `[]`, `null`, `"x"`, "\x00",
	}
)

func rowOf(ask, end string) store.Row {
	row := store.Row{ID: someID, Asked: []byte(ask)}
	if end != "" {
		row.Outcome = []byte(end)
	}
	return row
}

func TestDecode(t *testing.T) {
	d := New(nil, Options{})
	for _, ask := range asks {
		for _, end := range append([]string{""}, ends...) {
			rec, err := d.decode(t.Context(), rowOf(ask, end), ProveNone)
			if err != nil || (rec.Outcome == nil) != (end == "") {
				t.Errorf("%s, %s: %v", ask, end, err)
			}
		}
	}
	for _, text := range bad {
		_, err := d.decode(t.Context(), rowOf(text, ""), ProveNone)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("asked %q: %v", text, err)
		}
		_, err = d.decode(t.Context(), rowOf(asks[0], text), ProveNone)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("ended %q: %v", text, err)
		}
	}
}

// FuzzDecode: whatever lies in the store is refused, or is a record on which everything that
// is done with records works, whose reply fits, and which is the same after having been
// written and read again.
func FuzzDecode(f *testing.F) {
	for _, ask := range append(asks, bad...) {
		for _, end := range append(ends, bad...) {
			f.Add([]byte(ask), []byte(end))
		}
	}
	d := New(nil, Options{})
	f.Fuzz(func(t *testing.T, ask, end []byte) {
		for _, row := range []store.Row{rowOf(string(ask), ""), rowOf(string(ask), string(end))} {
			rec, err := d.decode(t.Context(), row, ProveNone)
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Error(err)
				}
				continue
			}
			if ended := rec.Outcome != nil; ended != (rec.State != Pending) || ended == (row.Outcome == nil) {
				t.Errorf("state %q, outcome %+v", rec.State, rec.Outcome)
			}
			var answers []question.Answer
			r := rec.Reply()
			if r != nil {
				answers = r.Answers
				_, err = rec.Check(*r)
				if err != nil {
					t.Errorf("%s, and its reply is none: %v", rec.State, err)
				}
			}
			rec.Shown(answers)
			if rec.Outcome != nil {
				_ = (&ClosedError{ID: rec.ID, Outcome: *rec.Outcome}).Error()
			}
			again, err := rec.row("")
			if err != nil {
				t.Fatalf("cannot be written again: %v", err)
			}
			second, err := decodeRow(again)
			if err != nil {
				t.Fatalf("cannot be read again: %v", err)
			}
			first, _ := json.Marshal(rec)
			if twice, err := json.Marshal(second); err != nil || !bytes.Equal(first, twice) {
				t.Errorf("another after a round trip: %v\n%s\n%s", err, first, twice)
			}
		}
	})
}
