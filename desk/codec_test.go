package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mcp-askuser/question"
)

// pathless is a store whose documents are no files.
type pathless struct{ Store }

func (pathless) Path(Kind, string) string { return "" }

const someID = "01KB3C4D5E6F7G8H9JAKBMCNDP"

var documents = []string{
	`{"id":"` + someID + `","round":1,"asker":{"client":"c","via":"mcp"},"state":"pending","created_at":"2026-11-03T09:00:00.123456789Z","questions":[{"question_id":"q1","question":"Which?","type":"text","required":true}]}`,
	`{"id":"` + someID + `","state":"answered","created_at":"2026-11-03T09:00:00Z","questions":null,"outcome":{"id":"x","status":"answered","reply":{"answers":[{"question_id":"q1","custom":"yes"}]},"at":"2026-11-03T09:00:00Z"}}`,
	`{"id":"` + someID + `","state":"timeout","outcome":{"status":"timeout","reason":"nobody came"}}`,
	`{"id":"` + someID + `","state":"answered","outcome":{"status":"answered"}}`,
	`{"id":"` + someID + `","state":"answered"}`,
	`{"id":"` + someID + `","state":"pending","outcome":{"status":"pending"}}`,
	`{"id":"` + someID + `","state":"dismissed","outcome":{"status":"dismissed","reply":{}}}`,
	`{"id":"another","state":"pending"}`,
	`{"status":"dismissed","reply":{"dismissed":true,"reason":"later"},"surface":"tty","at":"2026-11-03T09:00:00Z"}`,
	`{"id":"` + someID + `","state":"pending","questions":[{"options":[{"follow_ups":[{"options":[{}]}]}]}],"metadata":{"a":[1,null,{}]}}`,
	`{"id":`, `[]`, `null`, `"x"`, ``, "\x00",
}

func TestDecode(t *testing.T) {
	d := New(pathless{}, Options{})
	asked, archived, reply := map[int]bool{0: true, 9: true}, map[int]bool{1: true, 2: true}, map[int]bool{8: true}
	for i, doc := range documents {
		if _, err := d.decodeAsked(someID, Document{Data: []byte(doc)}, Document{}); (err == nil) != asked[i] || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("asked %s: %v", doc, err)
		}
		if _, err := d.decodeArchived(someID, Document{Data: []byte(doc)}, ProveNone); (err == nil) != archived[i] || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("archived %s: %v", doc, err)
		}
		if _, err := decodeOutcome([]byte(doc)); (err == nil) != reply[i] {
			t.Errorf("reply %s: %v", doc, err)
		}
	}
}

// People read what is wrong with a document: it names nothing of Go's.
func TestDamageInWords(t *testing.T) {
	_, err := New(pathless{}, Options{}).decodeAsked(someID, Document{Data: []byte(`{"id":"` + someID + `","state":"pending","round":"one"}`)}, Document{})
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), `a JSON string does not belong at "round"`) {
		t.Error(err)
	}
}

// FuzzDecode: whatever lies in the store is refused, or is a record on which
// everything that is done with records works, whose reply fits, and which is the same after
// having been written and read again.
func FuzzDecode(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc), []byte(documents[8]))
	}
	d := New(pathless{}, Options{})
	f.Fuzz(func(t *testing.T, doc, reply []byte) {
		records := map[string]func([]byte) (Record, error){
			"asked":    func(b []byte) (Record, error) { return d.decodeAsked(someID, Document{Data: b}, Document{}) },
			"ended":    func(b []byte) (Record, error) { return d.decodeAsked(someID, Document{Data: b}, Document{Data: reply}) },
			"archived": func(b []byte) (Record, error) { return d.decodeArchived(someID, Document{Data: b}, ProveNone) },
		}
		for name, decode := range records {
			rec, err := decode(doc)
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if ended := rec.Outcome != nil; ended != (rec.State != Pending) || ended == (name == "asked") {
				t.Errorf("%s: state %q, outcome %+v", name, rec.State, rec.Outcome)
			}
			var answers []question.Answer
			if rec.Outcome != nil && rec.Outcome.Reply != nil {
				answers = rec.Outcome.Reply.Answers
			}
			rec.Shown(answers)
			if r := rec.Reply(); r != nil {
				if _, err := rec.Check(*r); err != nil {
					t.Errorf("%s: %s, and its reply is none: %v", name, rec.State, err)
				}
			}
			if rec.Outcome != nil {
				_ = (&ClosedError{ID: rec.ID, Outcome: *rec.Outcome}).Error()
			}

			data, err := json.Marshal(rec)
			if err != nil {
				t.Fatalf("%s: cannot be written again: %v", name, err)
			}
			again, err := decodeRecord(someID, data)
			if err != nil {
				t.Fatalf("%s: cannot be read again: %v", name, err)
			}
			if twice, err := json.Marshal(again); err != nil || !bytes.Equal(data, twice) {
				t.Errorf("%s: another after a round trip: %v\n%s\n%s", name, err, data, twice)
			}
		}
	})
}
