package inbox

import (
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
		},
	}
}

func features() question.Question {
	return question.Question{
		ID: "features", Header: "Features", Text: "Which features do you want in the first version?",
		Type: question.MultiChoice, Required: true,
		Options: []question.Option{{ID: "search", Label: "Search"}, {ID: "export", Label: "Export"}, {ID: "audit", Label: "Audit log"}},
	}
}

func name() question.Question {
	return question.Question{ID: "name", Header: "Name", Text: "What is the service called?", Type: question.Text, Required: true}
}

func deploy() question.Question {
	return question.Question{
		ID: "deploy", Header: "Deploy", Text: "Deploy to production now?", Type: question.Boolean, Required: true,
		Options: []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}},
	}
}

func chinese() question.Question {
	return question.Question{
		ID: "zh", Header: "数据库选择", Text: "订单服务应该使用哪个数据库？请根据团队的经验、一致性要求以及运维成本来选择最合适的方案。",
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL 关系型数据库（推荐）", Description: "强一致性，团队已经在生产环境中运行多年，备份与监控都已经就绪。"},
			{ID: "lite", Label: "SQLite 单文件 🗄️", Description: "一个文件，没有服务器 👍🏽"},
		},
	}
}

func long() question.Question {
	q := name()
	q.Text = strings.TrimSpace(strings.Repeat("Consider the load, the team and the budget before you decide this. ", 8))
	return q
}

func taken(q question.Question, ids ...string) question.Answer {
	return question.Answer{QuestionID: q.ID, Selected: ids, By: question.ByUser}
}

func answerText(id, text string) question.Answer {
	return question.Answer{QuestionID: id, Custom: text, By: question.ByUser}
}
