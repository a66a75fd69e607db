package proof_test

import (
	"testing"
	"time"

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
