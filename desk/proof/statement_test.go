package proof_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

// statementOf is a statement about one question of a type, with an answer.
func statementOf(t question.Type) proof.Statement {
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
	return proof.Statement{
		ID: "01JD6Z0000000000000000000A", Questions: []question.Question{q}, Reply: question.Reply{Answers: []question.Answer{a}},
		Asker: proof.Asker{Client: "claude-code", Directory: "/home/ada/shop", Session: "s1"},
		At:    time.Date(2026, 11, 23, 12, 0, 0, 123456789, time.FixedZone("", 3600)),
	}
}

// TestStatement: what is signed never changes, whatever the version of the program.
func TestStatement(t *testing.T) {
	for _, kind := range question.Types() {
		data, err := statementOf(question.Type(kind)).JSON()
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
		statement := func(texts []string, at int64, required bool) []byte {
			s := proof.Statement{
				ID: texts[0], At: time.Unix(0, at),
				Asker: proof.Asker{Client: texts[1], Directory: texts[2], Agent: texts[1], Session: texts[2]},
				Questions: []question.Question{{
					ID: "q1", Text: texts[3], Description: texts[4], Type: question.SingleChoice, Required: required,
					Options: []question.Option{{ID: "a", Label: texts[5], Description: texts[7]}},
				}},
				Reply: question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: texts[6], Note: texts[7]}}},
			}
			data, err := s.JSON()
			fatal.If(t, err)
			return data
		}
		texts := []string{id, client, session, text, description, label, custom, note}
		if slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) }) {
			t.Skip() // JSON writes one character for different bytes
		}
		data := statement(texts, at, required)
		var stored proof.Statement
		fatal.If(t, json.Unmarshal(data, &stored))
		again, err := stored.JSON()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("stored and read it is %s, %v; not %s", again, err, data)
		}
		others := [][]byte{statement(texts, at+1, required), statement(texts, at, !required)}
		for i := range texts { // one text is longer, or its last character is the first of the next
			longer, moved := slices.Clone(texts), slices.Clone(texts)
			longer[i] += "x"
			others = append(others, statement(longer, at, required))
			last, size := utf8.DecodeLastRuneInString(texts[i])
			if size > 0 {
				next := (i + 1) % len(moved)
				moved[i], moved[next] = moved[i][:len(moved[i])-size], string(last)+moved[next]
				others = append(others, statement(moved, at, required))
			}
		}
		for _, other := range others {
			if bytes.Equal(other, data) {
				t.Fatalf("two records give the statement %s", data)
			}
		}
	})
}
