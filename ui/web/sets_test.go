package web

import (
	"context"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

func single(id string) question.Question {
	return question.Question{
		ID: id, Text: "Which database (" + id + ")?", Header: "Database", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite, embedded"}},
	}
}

func several(id string) question.Question {
	q := single(id)
	q.Text, q.Type = "Which features ("+id+")?", question.MultiChoice
	q.Options = append(q.Options, question.Option{ID: "my", Label: "MySQL"})
	return q
}

func text(id string) question.Question {
	return question.Question{ID: id, Text: "Which port (" + id + ")?", Type: question.Text, Required: true}
}

func boolean(id string) question.Question {
	return question.Question{
		ID: id, Text: "Go on (" + id + ")?", Type: question.Boolean, Required: true, Options: question.YesAndNo(),
	}
}

// ask puts a set on the desk for a session, in the name of a client that waits
// for the answer.
func (g *rig) ask(session string, questions ...question.Question) desk.Record {
	g.t.Helper()
	return g.submit(desk.Request{
		Set: question.Set{Questions: questions}, Session: session,
		Asker: desk.Asker{Client: "test-agent", Version: "1.2", Directory: "/home/u/project", Via: "mcp"},
	})
}

func (g *rig) submit(r desk.Request) desk.Record {
	g.t.Helper()
	rec, attendance, err := g.desk.Submit(context.Background(), r)
	fatal.If(g.t, err)
	g.t.Cleanup(attendance.Release)
	return rec
}

// mirror asks a host's own question.
func (g *rig) mirror(questions ...question.Question) desk.Record {
	g.t.Helper()
	set := question.Set{Questions: questions}
	rec, attendance, err := g.desk.Mirror(g.t.Context(),
		desk.Request{Set: set, Asker: desk.Asker{Client: "claude-code"}})
	fatal.If(g.t, err)
	g.t.Cleanup(attendance.Release)
	return rec
}

func (g *rig) record(id string) desk.Record {
	g.t.Helper()
	rec, err := g.desk.Get(context.Background(), id)
	fatal.If(g.t, err)
	return rec
}

// pending fails the test unless the record is still open: nothing was
// recorded.
func (g *rig) pending(id string) {
	g.t.Helper()
	if rec := g.record(id); rec.Outcome != nil {
		g.t.Errorf("%s was recorded as %s", id, rec.State)
	}
}

// reply returns what was recorded.
func (g *rig) reply(id string) *question.Reply {
	g.t.Helper()
	rec := g.record(id)
	if rec.Outcome == nil || rec.Outcome.Reply == nil {
		g.t.Fatalf("%s is %s, without a reply", id, rec.State)
	}
	if rec.Outcome.Surface != "web" {
		g.t.Errorf("surface is %q", rec.Outcome.Surface)
	}
	return rec.Outcome.Reply
}

// answersTo are the answers recorded, with their givers: "db=pg user".
func (g *rig) answersTo(id string) string {
	g.t.Helper()
	var out []string
	for _, a := range g.reply(id).Answers {
		out = append(out, a.QuestionID+"="+strings.Join(a.Selected, "+")+a.Custom+" "+string(a.By))
	}
	return strings.Join(out, ", ")
}
