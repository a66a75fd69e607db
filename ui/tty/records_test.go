package tty

import (
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/question/questiontest"
)

// sample returns one of the records that tests show, by name.
func sample(name string) desk.Record {
	return desk.Record{
		ID: "01J0000000000000000000000A", Round: 1, State: desk.Pending, CreatedAt: time.Unix(1_800_000_000, 0),
		Asker: desk.Asker{Client: "claude-code", Version: "2.1.329", Directory: "/home/user/shop", Via: "mcp"},
		Set:   question.Set{Questions: questions(name)},
	}
}

func questions(name string) []question.Question {
	database := question.Question{
		ID: "database", Header: "Database", Text: "Which database should the shop use?", Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL", Description: "Relational, runs as a service of its own"},
			{ID: "sqlite", Label: "SQLite", Description: "One file, nothing to run"},
			{ID: "none", Label: "None"},
		},
	}
	features := question.Question{
		ID: "features", Header: "Features", Text: "Which features come first?", Type: question.MultiChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "auth", Label: "Sign-in", Default: true},
			{ID: "log", Label: "Logging"},
			{ID: "mail", Label: "Mail", Default: true},
		},
	}
	title := question.Question{ID: "name", Header: "Name", Text: "What is the project called?", Type: question.Text, Required: true, Default: "shop", Placeholder: "corner-shop"}
	confirm := question.Question{
		ID: "sure", Header: "Confirm", Text: "Delete 14 files under build/?", Type: question.Boolean, Required: true,
		Options: []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}},
	}
	switch name {
	case "single":
		return []question.Question{database}
	case "multi":
		return []question.Question{features}
	case "text":
		return []question.Question{title}
	case "boolean":
		return []question.Question{confirm}
	case "followup":
		database.Options[0].FollowUps = []question.Question{{
			ID: "version", Header: "Version", Text: "Which version of PostgreSQL?", Type: question.SingleChoice, Required: true,
			Options: []question.Option{{ID: "16", Label: "Sixteen"}, {ID: "17", Label: "Seventeen", Default: true}},
		}}
		return []question.Question{database}
	case "review":
		title.Required, title.Default = false, ""
		return []question.Question{database, features, title}
	case "chinese":
		q := questiontest.Chinese()
		q.Text = strings.Repeat(q.Text, 3)
		return []question.Question{q}
	}
	panic("no such sample: " + name)
}

func answered(as ...question.Answer) []question.Reply { return []question.Reply{reply(as...)} }

func reply(as ...question.Answer) question.Reply {
	for i := range as {
		as[i].By = question.ByUser
	}
	return question.Reply{Answers: as}
}

func option(id string, selected ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: selected}
}

func ownWords(id, text string, selected ...string) question.Answer {
	return question.Answer{QuestionID: id, Custom: text, Selected: selected}
}
