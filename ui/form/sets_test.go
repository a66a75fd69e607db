package form

import (
	"strconv"
	"strings"

	"mcp-askuser/question"
)

func database() question.Question {
	return question.Question{
		ID: "db", Header: "Database", Text: "Which database should the order service use?",
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL (Recommended)", Description: "Relational, strong consistency, already run by the team"},
			{ID: "sqlite", Label: "SQLite", Description: "One file, no server; a single writer"},
			{ID: "none", Label: "No database", Description: "Keep orders in memory"},
		},
	}
}

func features() question.Question {
	return question.Question{
		ID: "features", Header: "Features", Text: "Which features do you want in the first version?",
		Type: question.MultiChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "search", Label: "Search", Description: "Full text over products", Default: true},
			{ID: "export", Label: "Export", Description: "CSV and JSON"},
			{ID: "audit", Label: "Audit log", Description: "Who changed what"},
		},
	}
}

func name() question.Question {
	return question.Question{
		ID: "name", Header: "Name", Text: "What is the service called?",
		Type: question.Text, Required: true, Placeholder: "order-service",
	}
}

func deploy() question.Question {
	return question.Question{
		ID: "deploy", Header: "Deploy", Text: "Deploy to production now?", Type: question.Boolean, Required: true,
		Options: []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No", Default: true}},
	}
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

func chinese() question.Question {
	return question.Question{
		ID: "zh", Header: "数据库选择", Text: "订单服务应该使用哪个数据库？请根据团队的经验、一致性要求以及运维成本来选择最合适的方案。",
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL 关系型数据库（推荐）", Description: "强一致性，团队已经在生产环境中运行多年，备份与监控都已经就绪，不需要额外的学习成本。"},
			{ID: "lite", Label: "SQLite 单文件 🗄️", Description: "一个文件，没有服务器 👍🏽"},
		},
	}
}

func longDescription() question.Question {
	q := database()
	q.Options[1].Description = strings.TrimSpace(strings.Repeat("An embedded engine that keeps it all. ", 6))[:200]
	return q
}

func longQuestion() question.Question {
	q := database()
	q.Text = strings.TrimSpace(strings.Repeat("Consider the load, the team and the budget before you decide this. ", 8))[:500]
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
