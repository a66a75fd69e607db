//go:build browser

package web

import (
	"context"
	"fmt"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The sets of the browser tests, one for each thing the page must show.

func database() question.Question {
	return question.Question{
		ID: "db", Text: "Which database should the order service use?", Header: "Database", Type: question.SingleChoice,
		Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "pg", Label: "PostgreSQL", Description: "Relational, *strong* consistency, already run by the team",
				Default: true, Preview: "CREATE TABLE orders (\n  id    bigint PRIMARY KEY,\n  total numeric(12,2)\n);",
				FollowUps: []question.Question{{
					ID: "version", Text: "Which version?", Type: question.SingleChoice, Required: true,
					Options: []question.Option{
						{ID: "17", Label: "17"},
						{ID: "18", Label: "18", FollowUps: []question.Question{{
							ID: "aio", Text: "Asynchronous I/O?", Type: question.Boolean, Required: true,
							Options: []question.Option{
								{ID: question.YesID, Label: "Yes",
									FollowUps: []question.Question{{ID: "method", Text: "Which method?",
										Type: question.Text, Required: true, Placeholder: "worker or io_uring"}}},
								{ID: question.NoID, Label: "No"},
							},
						}}},
					},
				}}},
			{ID: "lite", Label: "SQLite", Description: "One file, no server; a single writer"},
			{ID: "none", Label: "No database", Description: "Keep orders in memory, see `orders.go`"},
		},
	}
}

func features() question.Question {
	return question.Question{
		ID: "features", Text: "Which features do you want in the first version?", Header: "Features",
		Type: question.MultiChoice, Required: true, AllowCustom: true,
		Options: []question.Option{{ID: "search", Label: "Search", Default: true},
			{ID: "export", Label: "Export", Description: "CSV and JSON"}, {ID: "audit", Label: "Audit log"}},
	}
}

func serviceName() question.Question {
	return question.Question{ID: "name", Text: "What is the service called?", Header: "Name", Type: question.Text,
		Required: true, Placeholder: "short, lower case"}
}

func deploy() question.Question {
	return question.Question{
		ID: "deploy", Text: "Deploy to production now?", Type: question.Boolean, Required: true,
		Options: []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}},
	}
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

// regions has as many options as a list takes that is still usable, some of them long and in
// Chinese.
func regions() question.Question {
	q := question.Question{ID: "region", Text: "Where should the service run?", Header: "Region",
		Type: question.SingleChoice, Required: true, AllowCustom: true}
	for i, label := range []string{
		"上海（华东一区）", "London", "Stockholm", "Frankfurt", "Paris", "Milan", "Madrid", "Zürich", "Tokyo",
		"北京（华北二区），与现有的订单数据库在同一个可用区，延迟最低，但价格也最高，并且需要提前两周申请配额",
		"Seoul", "Singapore", "Sydney", "Mumbai", "São Paulo", "Montréal", "Virginia", "Ohio", "深圳", "Cape Town",
	} {
		o := question.Option{ID: fmt.Sprint("r", i+1), Label: label, Default: i == 4}
		if i%9 == 0 {
			o.Description = "距离大多数用户最近；价格比其他地区高百分之十二，适合对延迟敏感的服务"
		}
		q.Options = append(q.Options, o)
	}
	return q
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
	if err := g.desk.SaveDraft(context.Background(), id, question.Reply{Answers: answers}); err != nil {
		g.t.Fatal(err)
	}
}

// chinese are long questions in Chinese.
func chinese() []question.Question {
	return []question.Question{{
		ID: "缓存", Text: "订单服务在高峰期需要缓存热门商品的库存数据。考虑到一致性要求和运维成本，您希望采用哪一种缓存方案？", Header: "缓存方案",
		Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{
			{ID: "redis", Label: "Redis 集群", Description: "读写性能高，支持过期时间；需要另外维护三个节点", Default: true,
				Preview: "```yaml\n# 缓存\ncache:\n  driver: \"redis\"\n  nodes: 3\n```",
				FollowUps: []question.Question{{ID: "版本", Text: "使用哪个版本？", Type: question.SingleChoice, Required: true,
					Options: []question.Option{{ID: "7", Label: "7.4"},
						{ID: "8", Label: "8.0", Description: "许可证已恢复为 AGPL"}}}}},
			{ID: "local", Label: "进程内缓存", Description: "没有网络开销，但各实例之间的数据可能短暂不一致"},
			{ID: "none", Label: "暂时不用缓存"},
		},
	}, {ID: "端口", Text: "服务监听哪个端口？", Type: question.Text, Placeholder: "例如 6379"}}
}
