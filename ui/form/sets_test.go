package form

import (
	"strconv"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/question/questiontest"
)

// The samples of all rooms.
var (
	database     = questiontest.Database
	features     = questiontest.Features
	name         = questiontest.Name
	chinese      = questiontest.Chinese
	longQuestion = questiontest.Long
)

// deploy declares no.
func deploy() question.Question {
	q := questiontest.Deploy()
	q.Options[1].Default = true
	return q
}

func noDefault(q question.Question) question.Question {
	for i := range q.Options {
		q.Options[i].Default = false
	}
	return q
}

func withFollowUp() question.Question {
	q := database()
	q.Options[0].FollowUps = []question.Question{{
		ID: "version", Header: "Version", Text: "Which version of PostgreSQL?", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "17", Label: "17"}, {ID: "18", Label: "18"}},
	}}
	return q
}

// twenty has as many options as a user can be expected to go through; the twelfth is in
// Chinese.
func twenty() question.Question {
	q := database()
	q.ID, q.Header, q.Text, q.Options = "region", "Region", "In which region shall the shop run?", nil
	for i := range 20 {
		q.Options = append(q.Options, question.Option{ID: "r" + strconv.Itoa(i+1), Label: "Region " + string(rune('A'+i)), Description: strconv.Itoa(10*i+10) + " ms from the users"})
	}
	q.Options[11].Label, q.Options[11].Description = "华东一区（上海）", "离用户最近，需要备案"
	return q
}

// longestQuestion is one that does not fit on 80x24.
func longestQuestion() question.Question {
	q := longQuestion()
	q.Description = strings.TrimSpace(strings.Repeat("The orders of three years are at stake. ", 25))
	return q
}

func withPreview() question.Question {
	q := database()
	q.Options[0].Preview = "services:\n  db:\n    image: postgres:18\n    volumes:\n      - data:/var/lib/postgresql/data\n" +
		"    environment:\n\tPOSTGRES_DB: orders\n    ports:\n      - \"5432:5432\"\n    healthcheck:\n      test: pg_isready\n"
	q.Options[1].Preview = "orders.db"
	return q
}
