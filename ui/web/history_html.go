package web

import (
	"net/url"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/question"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// html returns the history.
func (x *past) html(l words.Language) g.Node {
	heading, search, none := l.T("History"), l.T("Search"), l.T("Nothing was asked before.")
	if x.Session != "" {
		heading, search = l.T("Earlier in this session"), l.T("Search everything")
	}
	if x.Search != "" {
		none = l.T("Nothing was found.")
	}
	return h.Section(h.Class("past"), h.TabIndex("-1"), h.Aria("labelledby", "past"),
		h.A(h.Class("back"), h.Href("/?list"), say(l, "All questions")),
		h.H2(h.ID("past"), g.Text(heading)),
		h.Form(h.Role("search"), h.Action("/history"), h.Method("get"),
			h.Label(h.For("search"), g.Text(search)),
			h.Input(h.Type("search"), h.ID("search"), h.Name("search"), h.Value(x.Search)),
			h.Button(h.Type("submit"), say(l, "Search")),
		),
		g.Map(x.Records, func(r recordview.Record) g.Node { return x.record(l, r) }),
		g.If(len(x.Records) == 0, h.P(g.Text(none))),
		g.If(x.More, h.P(say(l, "There is more: search for it."))),
	)
}

// record returns a record of the history.
func (x *past) record(l words.Language, r recordview.Record) g.Node {
	next := h.A(h.Class("button"), h.Href("/?id="+r.ID), say(l, "Answer"))
	if r.Outcome != nil {
		next = reopen(l, r)
	}
	return h.Article(h.Class("round"),
		h.H3(g.Text(r.AskedBy()), space, h.Span(h.Class("facts"),
			withText(h.Span, question.Line(r.Asker.Directory)),
			withText(h.Span, r.RoundText()),
			h.Span(g.Text(r.Ended())),
			h.Span(at(l, r.Since())),
		)),
		withText(h.P, r.LateReply(), h.Class("fault")),
		withText(h.P, r.Reason(), h.Class("text")),
		answers(l, r.ID, r.Asked()),
		noted(l, r.Note()),
		h.Div(h.Class("after"), next, g.If(x.Session == "" && r.SessionID != "",
			h.A(h.Href(sessionAddress(r.SessionID)), say(l, "The whole session")))),
	)
}

// sessionAddress is where the history of a session is.
func sessionAddress(id string) string { return "/history?session=" + url.QueryEscape(id) }

// answers returns the questions of a record with their answers.
func answers(l words.Language, record string, all []question.Response) g.Node {
	some := slices.ContainsFunc(all, func(x question.Response) bool { return x.Answer != nil })
	return h.Dl(h.Class("turns"), g.Map(all, func(x question.Response) g.Node {
		return g.Group{
			h.Dt(g.If(x.Header != "", g.Group{h.Span(h.Class("head"), line(x.Header)), space}),
				h.Span(h.Class("text"), lines(x.Question.Text))),
			h.Dd(
				g.If(len(x.Options) > 0,
					h.Ul(g.Map(x.Options, func(o question.Option) g.Node { return listed(l, x, o) }))),
				g.Iff(x.Answer != nil, func() g.Node { return given(record, x.Answer) }),
				noted(l, question.Block(x.Note)),
				g.If(x.By() == question.ByTimeout, h.P(say(l, "Taken by the timeout, as was proposed."))),
				g.If(x.State == question.StateDelegated, h.P(say(l, "(left to the agent)"))),
				g.If(x.State != question.StateDelegated && some && x.Answer == nil, h.P(say(l, "Skipped."))),
			),
		}
	}))
}

// listed returns an option in the history.
func listed(l words.Language, x question.Response, o question.Option) g.Node {
	if x.Answer == nil || !slices.Contains(x.Answer.Selected, o.ID) {
		return h.Li(line(o.Label))
	}
	return h.Li(h.Class("chosen"), line(o.Label), space, h.Span(h.Class("tag"), say(l, "chosen")))
}

// given returns the user's own words and files.
func given(record string, a *question.Answer) g.Node {
	return g.Group{
		withText(h.P, question.Block(a.Custom), h.Class("text own")),
		g.Map(a.Files, func(f question.File) g.Node {
			return h.A(h.Class("file"), h.Href(fileAddress(record, f)), h.Target("_blank"),
				g.If(f.Image(), thumbnail(record, f, "")), h.Span(g.Text(f.String())))
		}),
	}
}
