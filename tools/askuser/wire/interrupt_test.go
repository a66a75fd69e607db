package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

const email = `[{"action_request": {"action": "send_email", "args": {"to": "a@b.example", "body": "Hi"}},
 "config": {"allow_accept": true, "allow_edit": true, "allow_respond": true, "allow_ignore": true}, "description": "An **email**"}]`

// fromProgram is a record asked with a HumanInterrupt, as it comes back from the
// store.
func fromProgram(t *testing.T, text string) desk.Record {
	t.Helper()
	call, err := DecodeAsk([]byte(text), question.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(call.Set)
	if err != nil {
		t.Fatal(err)
	}
	rec := asked()
	if err := json.Unmarshal(data, &rec.Set); err != nil {
		t.Fatal(err)
	}
	return rec
}

// What a program asks as a HumanInterrupt it gets back as a HumanResponse, and
// what another answers so is the same reply.
func TestInterrupts(t *testing.T) {
	for _, tc := range []struct{ name, asked, response string }{
		{"accept", email, `[{"type":"accept","args":{"action":"send_email","args":{"body":"Hi","to":"a@b.example"}}}]`},
		{"edit", email, `[{"type":"edit","args":{"action":"send_email","args":{"body":"Hello"}}}]`},
		{"response", email, `[{"type":"response","args":"not today"}]`},
		{"ignore", email, `[{"type":"ignore","args":null}]`},
		{"only a response", `{"action_request":{"action":"Which one?","args":{}},"config":{"allow_respond":true}}`, `[{"type":"response","args":"the first"}]`},
		{"only accept", `{"action_request":{"action":"go","args":{}},"config":{"allow_accept":true}}`, `[{"type":"accept","args":{"action":"go","args":{}}}]`},
		{"a question of ours", `{"questions":[{"question":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`, `[{"type":"response","args":"SQLite"}]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := fromProgram(t, tc.asked)
			reply, ok, err := ReadResponse(rec, []byte(tc.response))
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			checked, err := rec.Check(reply)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Format(ended(rec, desk.Outcome{Status: desk.StatusOf(checked), Reply: &checked}), Interrupts, time.Time{})
			if err != nil || got != tc.response {
				t.Errorf("%v\n got %s\nwant %s", err, got, tc.response)
			}
			back, err := json.Marshal(Interrupt(rec))
			if err != nil || !strings.Contains(string(back), `"action_request":{"action":`) {
				t.Errorf("%s, %v", back, err)
			}
		})
	}
}

// Where nobody responded there is nothing to print, and no fault of the format.
func TestNoResponse(t *testing.T) {
	for _, end := range []desk.Status{desk.Timeout, desk.Cancelled, desk.Unavailable, desk.Failed} {
		if got, err := Format(ended(fromProgram(t, email), desk.Outcome{Status: end}), Interrupts, time.Time{}); err != nil || got != "" {
			t.Errorf("%s: %q, %v", end, got, err)
		}
	}
}

func TestInterruptFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"action_request":{"args":{}},"config":{"allow_accept":true}}`: "action_request.action",
		`{"action_request":{"action":"x","args":[]},"config":{}}`:       "must allow something",
		`{"action_request":"x","config":{"allow_accept":1}}`:            "config",
	} {
		if _, err := DecodeAsk([]byte(text), question.DefaultLimits()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	rec := fromProgram(t, `{"action_request":{"action":"x","args":{}},"config":{"allow_accept":true,"allow_ignore":true}}`)
	for data, want := range map[string]string{
		`{"type":"edit","args":{"action":"x","args":{}}}`: "not allowed",
		`{"type":"response","args":""}`:                   "a text",
		`{"type":"yes","args":1}`:                         "it is accept",
	} {
		if _, ok, err := ReadResponse(rec, []byte(data)); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
	}
	for _, data := range []string{`{"Which?":"A"}`, `[]`, `[{"question_id":"q1","text":"x"}]`, `1`, ``} {
		if _, ok, _ := ReadResponse(rec, []byte(data)); ok {
			t.Errorf("%s is taken for a response", data)
		}
	}
	// What the human wrote as arguments must be an object.
	rec = fromProgram(t, email)
	reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"edit"}}, {QuestionID: "q1.edit", Custom: "later"}}}
	if got, err := Format(ended(rec, desk.Outcome{Status: desk.Answered, Reply: &reply}), Interrupts, time.Time{}); err == nil {
		t.Errorf("got %s", got)
	}
}
