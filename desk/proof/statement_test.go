package proof

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

// statement is a statement about one question of a type, with an answer.
func statement(t question.Type) Statement {
	q := question.Question{ID: "q1", Text: "Deploy <3f2a1c> & go?", Header: "Deploy", Description: "commit 3f2a1c\nto production", Type: t, Required: true}
	a := question.Answer{QuestionID: "q1", By: question.ByUser, Note: "soon"}
	switch t {
	case question.Text:
		q.Placeholder, a.Custom = "a name", "生产环境 \u2028 é"
	case question.Boolean:
		q.Options, a.Selected = question.YesAndNo(), []string{question.YesID}
	case question.SingleChoice, question.MultiChoice:
		q.Options = []question.Option{
			{ID: "a", Label: "A", Description: "one", Preview: "x\ty"},
			{ID: "b", Label: "B", FollowUps: []question.Question{{ID: "q2", Text: "Why?", Type: question.Text}}},
		}
		a.Selected = []string{"b"}
	}
	return Statement{
		ID: "01JD6Z0000000000000000000A", Questions: []question.Question{q}, Reply: question.Reply{Answers: []question.Answer{a}},
		Asker: Asker{Client: "claude-code", Directory: "/home/ada/shop", Session: "s1"}, At: at("2026-11-23T12:00:00.123456789+01:00"),
	}
}

// TestStatement: what is signed never changes, whatever the version of the program.
func TestStatement(t *testing.T) {
	for _, kind := range question.Types() {
		data, err := statement(question.Type(kind)).JSON()
		fatal.If(t, err)
		golden.Check(t, "statement-"+kind+".json", string(data)+"\n")
	}
}

// FuzzStatement: two different records never give one statement, and a record gives one
// statement however often it was stored.
func FuzzStatement(f *testing.F) {
	f.Add("a", "b", "c", "d", "e", "f", "g", "h", int64(0), true)
	f.Add(`","reply":{`, "\u2028", "<", "\\", "1e1", "10", "é", "e\u0301", int64(1), false)
	f.Fuzz(func(t *testing.T, id, client, session, text, description, label, custom, note string, at int64, required bool) {
		make := func(id, client, session, text, description, label, custom, note string, at int64, required bool) Statement {
			return Statement{
				ID: id, Asker: Asker{Client: client, Directory: session, Agent: client, Session: session}, At: time.Unix(0, at),
				Questions: []question.Question{{ID: "q1", Text: text, Description: description, Type: question.SingleChoice, Required: required,
					Options: []question.Option{{ID: "a", Label: label, Description: note}}}},
				Reply: question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: custom, Note: note}}},
			}
		}
		s := make(id, client, session, text, description, label, custom, note, at, required)
		data, err := s.JSON()
		if err != nil {
			t.Skip() // no JSON: a year that it cannot hold
		}
		var stored Statement
		if err := json.Unmarshal(data, &stored); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if again, err := stored.JSON(); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("stored and read it is %s, %v; not %s", again, err, data)
		}
		texts := []string{id, client, session, text, description, label, custom, note}
		for i := range texts { // moves a text's last character to the next text
			if texts[i] == "" {
				continue
			}
			moved := append([]string{}, texts...)
			moved[i] = texts[i][:len(texts[i])-1]
			moved[(i+1)%len(moved)] += texts[i][len(texts[i])-1:]
			other := make(moved[0], moved[1], moved[2], moved[3], moved[4], moved[5], moved[6], moved[7], at, required)
			got, err := other.JSON()
			fatal.If(t, err)
			var back Statement
			fatal.If(t, json.Unmarshal(got, &back))
			if bytes.Equal(got, data) && !reflect.DeepEqual(back, stored) {
				t.Fatalf("%q and %q give one statement", texts, moved)
			}
		}
		for _, other := range []Statement{
			make(id, client, session, text, description, label, custom, note, at+1, required),
			make(id, client, session, text, description, label, custom, note, at, !required),
			make(id+"x", client, session, text, description, label, custom, note, at, required),
			make(id, client, session, text+" ", description, label, custom, note, at, required),
			make(id, client, session, text, description, label, custom+"x", note, at, required),
		} {
			if got, err := other.JSON(); err != nil || bytes.Equal(got, data) {
				t.Fatalf("%+v and %+v give one statement, %v", other, s, err)
			}
		}
	})
}
