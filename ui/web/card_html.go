package web

import (
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// html returns a card: the form of an open record, or how it ended.
func (c *card) html(l words.Language) g.Node {
	class := h.Class("card")
	body := c.form
	var ended g.Node
	if c.Outcome != nil {
		class, body = h.Class("card ended"), c.ending
		ended = h.Data("notice", tooLate(l, c.Record))
	}
	return h.Article(class, h.ID("r-"+c.ID), h.Data("id", c.ID), h.TabIndex("-1"), h.Aria("labelledby", c.ID+"-who"),
		ended,
		h.Header(
			h.A(h.Class("back"), h.Href("/?list"), say(l, "All questions")),
			c.facts(l),
			g.If(c.Outcome == nil, c.remarks(l)),
		),
		body(l),
	)
}

// facts returns who asks, where, and since and until when.
func (c *card) facts(l words.Language) g.Node {
	who := h.Strong(g.Text(l.Client(c.Asker)))
	if project := words.Project(c.Asker); project != "" {
		who = elements(l, "<strong>%[1]s</strong> in %[2]s", g.Text(l.Client(c.Asker)), g.Text(project))
	}
	until := words.Mark("until %s")
	if _, taken := c.TimeoutReply(); taken {
		until = words.Mark("until %s, then what is proposed is taken")
	}
	return h.P(h.Class("facts"), h.ID(c.ID+"-who"),
		h.Span(who),
		withText(h.Span, c.RoundText()),
		withText(h.Span, question.Line(c.Asker.Directory), h.Class("where")),
		h.Span(elements(l, "asked %s", at(l, c.CreatedAt))),
		withText(h.Span, c.Progress(), h.Class("progress")),
		g.If(!c.Deadline().IsZero(), h.Span(h.Class("left"), elements(l, until, at(l, c.Deadline())))),
		g.If(c.Round > 1 && c.SessionID != "",
			h.A(h.Href(sessionAddress(c.SessionID)), say(l, "earlier questions"))),
	)
}

// remarks returns what the user should know before answering.
func (c *card) remarks(l words.Language) g.Node {
	remark := h.Class("remark")
	return g.Group{
		g.If(!c.Attended, h.P(remark, say(l, "The agent is not waiting; it will get your answer."))),
		g.If(c.Passkey, h.P(remark, say(l, "Sending signs your answer with your passkey."))),
		g.If(c.LastRound, h.Form(remark, h.Method("post"), h.Action("/lift"),
			hidden("id", c.ID),
			h.P(say(l, "This is the last round: after it the agent cannot ask again for a while.")),
			h.Button(h.Type("submit"), say(l, "Lift the limit")),
		)),
	}
}

// form returns the form of an open record.
func (c *card) form(l words.Language) g.Node {
	send := l.T("Send")
	if c.Passkey {
		send = l.T("Send with passkey")
	}
	return h.Form(h.Method("post"), h.Action("/answer"), h.ID(c.ID+"-form"), h.TabIndex("-1"), h.AutoComplete("off"),
		g.Attr("novalidate"), h.EncType("multipart/form-data"),
		g.If(c.Passkey, g.Attr("data-prove")), g.If(len(c.Faults) > 0, g.Attr("data-touched")),
		// Enter on an option presses the first button of the form that is not disabled. This one
		// does nothing, so that only Send sends.
		h.Button(h.Type("submit"), h.FormMethod("dialog"), g.Attr("hidden")),
		hidden("id", c.ID),
		g.Iff(c.Signed, func() g.Node { return g.Group{hidden("asked", c.Statement()), hidden("whole", "")} }),
		h.Div(h.Class("refused"), h.Role("alert"), g.If(len(c.Faults) > 0, g.Group{
			h.P(say(l, "Not sent yet:")),
			h.Ul(g.Map(c.Faults, func(x fault) g.Node { return h.Li(h.A(h.Href("#"+x.Field), g.Text(x.Words))) })),
		})),
		withText(h.P, c.Back, h.Class("remark"), g.Attr("data-back")),
		c.fields(l, c.Questions),
		g.If(len(c.Alike) > 0, h.FieldSet(h.Class("alike"),
			h.Legend(say(l, "The same was asked by others. Send this answer also to")),
			g.Map(c.Alike, func(other desk.Record) g.Node {
				return h.Label(h.Class("pick"),
					h.Input(h.Type("checkbox"), h.Name("also"), h.Value(other.ID),
						g.If(slices.Contains(c.also, other.ID), h.Checked())),
					h.Span(g.Text(l.Asker(other.Asker))))
			}),
		)),
		g.If(c.set.Note() != "", g.Group{
			h.Label(h.For(c.ID+"-note"), say(l, "Note to the agent, beside your answer")),
			h.Textarea(h.ID(c.ID+"-note"), h.Name("note"), h.Rows("2"), g.Text(c.set.Note())),
		}),
		g.If(c.Signed, h.NoScript(h.P(h.Class("remark"),
			say(l, "Signing needs scripts, which are off: switch them on, and reload the page.")))),
		h.Div(h.Class("ends"),
			h.Button(h.Type("submit"), h.Name("action"), h.Value("confirm"), h.Class("main"), g.Text(send)),
			opens(c.ID+"-discuss", "Alt+D", l.T("Discuss first…")),
			opens(c.ID+"-dismiss", "Alt+X", l.T("Dismiss…")),
		),
		c.panel("discuss", "topic", l.T("What do you want to discuss?"),
			l.T("What you have answered so far goes along."), l.T("Discuss first")),
		c.panel("dismiss", "reason", l.T("Reason, if you like"), l.T("The agent goes on without an answer."),
			l.T("Dismiss")),
	)
}

// opens returns the button that opens a panel.
func opens(panel, key, label string) g.Node {
	return h.Button(h.Type("button"), h.Class("plain"), h.PopoverTarget(panel), h.Aria("keyshortcuts", key),
		g.Text(label))
}

// panel returns what opens for an end without an answer: a text, and the button that ends.
func (c *card) panel(action, name, label, remark, button string) g.Node {
	id := c.ID + "-" + name
	return h.Div(h.Class("panel "+action), h.ID(c.ID+"-"+action), h.Popover(),
		h.Label(h.For(id), g.Text(label)),
		h.Textarea(h.ID(id), h.Name(name), h.Rows("2"), h.AutoFocus(), g.Text(c.set.Reason())),
		h.P(h.Class("small"), g.Text(remark)),
		h.Button(h.Type("submit"), h.Name("action"), h.Value(action), g.Text(button)),
	)
}

// ending returns how a record ended, and what the user had filled in.
func (c *card) ending(l words.Language) g.Node {
	var own []question.Response
	if given := c.set.Answers(); len(given) > 0 {
		own = c.Set.Shown(given)
	}
	return h.Section(h.Class("ending"),
		h.P(h.Class("outcome"), h.Strong(say(l, "Already %s", c.Ended())), space, clock(l, c.Outcome.At)),
		withText(h.P, c.LateReply(), h.Class("fault")),
		withText(h.P, c.Reason(), h.Class("text")),
		g.Iff(c.Reply() != nil, func() g.Node {
			return g.Group{answers(l, c.ID, c.Asked()), noted(l, c.Note())}
		}),
		g.If(len(own) > 0 || c.set.Reason() != "", h.H2(say(l, "What you had chosen, which was not sent"))),
		g.If(len(own) > 0, answers(l, c.ID, own)),
		withText(h.P, question.Block(c.set.Reason()), h.Class("text")),
		h.Div(h.Class("after"), reopen(l, c.Record), h.A(h.Class("button"), h.Href("/"), say(l, "Put away"))),
	)
}

// noted returns a note of the user; nil where there is none.
func noted(l words.Language, note string) g.Node {
	return g.If(note != "", h.P(h.Class("text"), elements(l, "<strong>Note:</strong> %s", g.Text(note))))
}

// reopen returns the button that asks an ended record again, nil where that is not possible.
func reopen(l words.Language, r recordview.Record) g.Node {
	return g.If(r.Reopens(), h.Form(h.Class("again"), h.Method("post"), h.Action("/reopen"),
		hidden("id", r.ID), h.Button(h.Type("submit"), say(l, "Reopen"))))
}
