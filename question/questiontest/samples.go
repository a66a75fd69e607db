// Package questiontest has the questions that the tests of several rooms ask. Nothing shipped
// imports it.
package questiontest

import (
	"strings"

	"mcp-askuser/question"
)

// Database has three options, the first of them recommended.
func Database() question.Question {
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

// Features takes several options, of which one is declared.
func Features() question.Question {
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

// Name takes a text.
func Name() question.Question {
	return question.Question{
		ID: "name", Header: "Name", Text: "What is the service called?",
		Type: question.Text, Required: true, Placeholder: "order-service",
	}
}

// Deploy takes yes or no.
func Deploy() question.Question {
	return question.Question{
		ID: "deploy", Header: "Deploy", Text: "Deploy to production now?", Type: question.Boolean, Required: true,
		Options: question.YesAndNo(),
	}
}

// Chinese is long, and so are its options.
func Chinese() question.Question {
	return question.Question{
		ID: "zh", Header: "数据库选择", Text: "订单服务应该使用哪个数据库？请根据团队的经验、一致性要求以及运维成本来选择最合适的方案。",
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL 关系型数据库（推荐）", Description: "强一致性，团队已经在生产环境中运行多年，备份与监控都已经就绪，不需要额外的学习成本。"},
			{ID: "lite", Label: "SQLite 单文件 🗄️", Description: "一个文件，没有服务器 👍🏽"},
		},
	}
}

// Long is as long as a text may be.
func Long() question.Question {
	q := Database()
	q.Text = strings.TrimSpace(strings.Repeat("Consider the load, the team and the budget before you decide this. ", 8))[:500]
	return q
}
