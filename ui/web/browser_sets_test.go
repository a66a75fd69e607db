//go:build browser

package web

import (
	"context"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/question/questiontest"
)

// The samples of all rooms.
var (
	features    = questiontest.Features
	serviceName = questiontest.Name
	deploy      = questiontest.Deploy
)

// database has previews, and follow-ups three deep.
func database() question.Question {
	q := questiontest.Database()
	pg := &q.Options[0]
	pg.Label, pg.Default = "PostgreSQL", true
	pg.Description = "Relational, *strong* consistency, already run by the team"
	pg.Preview = "CREATE TABLE orders (\n  id    bigint PRIMARY KEY,\n  total numeric(12,2)\n);"
	method := question.Question{ID: "method", Text: "Which method?", Type: question.Text, Required: true,
		Placeholder: "worker or io_uring"}
	aio := deploy()
	aio.ID, aio.Header, aio.Text = "aio", "", "Asynchronous I/O?"
	aio.Options[0].FollowUps = []question.Question{method}
	pg.FollowUps = []question.Question{{
		ID: "version", Text: "Which version?", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "17", Label: "17"},
			{ID: "18", Label: "18", FollowUps: []question.Question{aio}}},
	}}
	return q
}

func optional() question.Question {
	q := deploy()
	q.ID, q.Text, q.Required = "mail", "Tell the team by mail?", false
	return q
}

func proposal() question.Question {
	return question.Question{ID: "branch", Text: "Which branch?", Type: question.Text, Required: true,
		Default: "feature/orders"}
}

// put asks in the name of a client, which waits for the answer.
func (g *rig) put(client, directory, session string, questions ...question.Question) desk.Record {
	g.t.Helper()
	return g.submit(desk.Request{
		Set: question.Set{Questions: questions}, Session: session,
		Asker: desk.Asker{Client: client, Directory: directory, Via: "mcp"},
	})
}

// answeredElsewhere replies on another surface.
func (g *rig) answeredElsewhere(id, surface string, answers ...question.Answer) {
	g.t.Helper()
	evidence := desk.Evidence{Surface: surface, How: desk.HowPage}
	if _, err := g.desk.Reply(context.Background(), id, question.Reply{Answers: answers}, evidence); err != nil {
		g.t.Fatal(err)
	}
}

// draft keeps answers that are not sent.
func (g *rig) draft(id string, answers ...question.Answer) {
	g.t.Helper()
	fatal.If(g.t, g.desk.SaveDraft(context.Background(), id, question.Reply{Answers: answers}))
}
