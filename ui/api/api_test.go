package api

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

var (
	asked = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	ended = asked.Add(time.Minute)
)

// record is a question with a follow-up, beside one whose answer the caller
// brought along.
func record(o *desk.Outcome) desk.Record {
	yesNo := []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}}
	known := question.Question{ID: "k", Text: "Known?", Type: question.Boolean, Options: yesNo, Collected: &question.Answer{QuestionID: "k", Selected: []string{question.YesID}}}
	some := question.Question{ID: "s", Text: "Which?", Type: question.MultiChoice, Required: true, Options: []question.Option{
		{ID: "a", Label: "A, 1", FollowUps: []question.Question{{ID: "f", Text: "Why?", Type: question.Text}}}, {ID: "b", Label: "B"},
	}}
	rec := desk.Record{
		ID: "01JD0000000000000000000000", SessionID: "s1", Round: 2, Asker: desk.Asker{Client: "agent", Directory: "/srv/shop", Via: "mcp"},
		State: desk.Pending, CreatedAt: asked, Content: "xyz", Outcome: o,
		Set: question.Set{Questions: []question.Question{known, some}, Metadata: map[string]any{"pr": 7}},
	}
	if o != nil {
		rec.State = o.Status
	}
	return rec
}

func answered() *desk.Outcome {
	return &desk.Outcome{ID: "o", Status: desk.Answered, Surface: "inbox", At: ended, Reply: &question.Reply{Answers: []question.Answer{
		{QuestionID: "s", Selected: []string{"a", "b"}}, {QuestionID: "f", Custom: "x"},
	}}}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	fatal.If(t, err)
	return string(data)
}

// Programs get what was verified of a proof, and never the signature.
func TestProof(t *testing.T) {
	rec := record(answered())
	rec.Outcome.Proof = &question.Proof{Kind: question.PasskeyProof, Key: "k1", Name: "laptop", At: ended, Signature: []byte("s")}
	rec.Later = rec.Outcome
	if got := encode(t, NewRecord(rec)); strings.Contains(got, "proof") || strings.Contains(got, "signature") {
		t.Error("not verified, and yet:", got)
	}
	rec.Outcome.Proof.Verified = true
	const want = `"proof":{"kind":"passkey","key":"k1","name":"laptop","at":"2026-11-02T10:01:00Z","verified":true}`
	if got := encode(t, NewRecord(rec)); strings.Count(got, want) != 2 || strings.Contains(got, "signature") {
		t.Error(got)
	}
	if got := encode(t, NewEvent(desk.Event{Type: desk.Ended, Record: rec})); strings.Count(got, want) != 1 || strings.Contains(got, "signature") {
		t.Error(got)
	}
}

// What programs rely on, to the byte: in lines, where each event says its name,
// and in streams, which name it. What the caller brought along is not told as the
// user's word.
func TestEvents(t *testing.T) {
	const about = `"id":"01JD0000000000000000000000","agentId":"agent",`
	for _, tt := range []struct {
		kind    desk.EventType
		outcome *desk.Outcome
		name    string
		body    string
	}{
		{desk.Asked, nil, RequestEvent, about + `"sessionId":"s1","round":2,"questions":` + encode(t, record(nil).Questions) + `,"metadata":{"pr":7},"at":"2026-11-02T10:00:00Z"}`},
		{desk.Ended, answered(), ResponseEvent, about + `"status":"answered","answers":{"f":"x","question-1":"A, 1,B"},"surface":"inbox","by":"user","at":"2026-11-02T10:01:00Z"}`},
		{
			desk.Ended, &desk.Outcome{Status: desk.Dismissed, Surface: "web", At: ended, Reply: &question.Reply{Dismissed: true, Reason: "later"}},
			ResponseEvent, about + `"status":"dismissed","answers":{},"surface":"web","by":"user","at":"2026-11-02T10:01:00Z"}`,
		},
		{
			desk.Ended, &desk.Outcome{Status: desk.Cancelled, Reason: "gone", At: ended},
			CancelEvent, about + `"status":"cancelled","reason":"gone","at":"2026-11-02T10:01:00Z"}`,
		},
	} {
		ev := desk.Event{Type: tt.kind, Record: record(tt.outcome)}
		if got, want := encode(t, NewEvent(ev)), `{"event":"`+tt.name+`",`+tt.body; got != want {
			t.Errorf("line\n%s, want\n%s", got, want)
		}
		frame, err := Frame(NewEvent(ev))
		if want := "event: " + tt.name + "\ndata: {" + tt.body + "\n\n"; err != nil || string(frame) != want {
			t.Errorf("frame\n%s (%v), want\n%s", frame, err, want)
		}
	}
	change := encode(t, NewEvent(desk.Event{Type: desk.Touched, Record: record(nil)}))
	if !strings.HasPrefix(change, `{"event":"ask:question:change",`+about+`"at":"`) {
		t.Errorf("change %s", change)
	}
}

// A record says what was answered in words, and nothing of how the store finds
// it.
func TestRecord(t *testing.T) {
	got := encode(t, NewRecord(record(answered())))
	if !strings.HasSuffix(got, `,"answers":{"Which?":"A, 1, B","Why?":"x"}}`) || strings.Contains(got, "xyz") {
		t.Errorf("got %s", got)
	}
	if got := encode(t, NewRecords(nil)); got != "[]" {
		t.Errorf("no records are %s", got)
	}
}

func TestProblems(t *testing.T) {
	rec := record(nil)
	for _, tt := range []struct {
		err  error
		want string // empty: not the program's doing
	}{
		{desk.ErrNotFound, `{"code":"question_not_found","message":"There is no question with this id."}`},
		{desk.ErrAmbiguous, `{"code":"ambiguous_id","message":"This fits the ids of several questions."}`},
		{question.Violations{{Path: "a", Message: "b"}, {Message: "c"}}, `{"code":"invalid_answer","message":"a: b; c","violations":[{"path":"a","message":"b"},{"path":"","message":"c"}]}`},
		{&desk.ClosedError{Outcome: *answered()}, `{"code":"already_answered","message":"MESSAGE","first":{"status":"answered","surface":"inbox","at":"2026-11-02T10:01:00Z","answers":{"f":"x","question-1":"A, 1,B"}}}`},
		{&desk.ClosedError{Outcome: desk.Outcome{Status: desk.Timeout, Reason: "slow", At: ended}}, `{"code":"already_closed","message":"MESSAGE","first":{"status":"timeout","at":"2026-11-02T10:01:00Z","reason":"slow"}}`},
		{desk.ErrUnsent, `{"code":"not_sent_yet","message":"The shared desk does not answer. The answer is kept as a draft; send it again."}`},
		{errors.New("disk"), ""},
	} {
		late := Late(&rec.Set, tt.err)
		p := ProblemOf(late)
		switch want := strings.Replace(tt.want, "MESSAGE", tt.err.Error(), 1); {
		case tt.want == "" && p != nil, tt.want != "" && p == nil:
			t.Errorf("%v is %v", tt.err, p)
		case p != nil && encode(t, p) != want:
			t.Errorf("%v is\n%s, want\n%s", tt.err, encode(t, p), want)
		}
		if f := Refused(late); f.Success || f.Error.Message != tt.err.Error() {
			t.Errorf("a command says %s", encode(t, f))
		}
	}
}
