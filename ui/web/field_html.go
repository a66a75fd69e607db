package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/components"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// fields returns questions, but for those that the asker has the answer to. Of these the follow-ups
// are asked that the answer calls for.
func (c *card) fields(l words.Language, qs []question.Question) (out g.Group) {
	for _, q := range qs {
		asked := c.set.Question(q.ID)
		if asked != nil {
			out = append(out, c.field(asked).html(l))
			continue
		}
		for _, o := range q.Options {
			if slices.Contains(q.Collected.Selected, o.ID) {
				out = append(out, c.fields(l, o.FollowUps))
			}
		}
	}
	return out
}

// html returns the fields of a question, with those of its follow-ups.
func (f *field) html(l words.Language) g.Node {
	radio := f.input() == "radio"
	invalid := g.If(f.Fault != "", h.Aria("invalid", "true"))
	var described g.Node
	switch {
	case f.Fault != "":
		described = h.Aria("describedby", f.Key+"-fault")
	case f.Description != "":
		described = h.Aria("describedby", f.Key+"-about")
	}
	entry, before := f.words, ""
	if f.Chooses() {
		entry = f.options
	}
	if f.Memory != nil {
		before = l.Remembered(*f.Memory, f.card.now)
	}
	return h.FieldSet(components.Classes{"field": true, "boolean": f.Confirms()}, h.ID(f.Key), h.TabIndex("-1"),
		g.If(radio, g.Group{h.Role("radiogroup"), g.If(f.Required, h.Aria("required", "true")), invalid}),
		described,
		f.legend(l),
		f.description(),
		g.If(before != "", h.P(h.Class("before"), g.Text(before), space,
			h.Button(h.Type("submit"), h.FormAction("/recall"), h.Name("recall"), h.Value(strconv.Itoa(f.At)),
				say(l, "Use again"), space, h.Kbd(h.Aria("hidden", "true"), g.Text("Alt r"))))),
		withText(h.P, f.Fault, h.Class("fault"), h.ID(f.Key+"-fault")),
		entry(l),
		g.If(!f.Confirms(), h.Label(h.Class("pick decide"),
			f.control(cmp.Or(f.input(), "checkbox"), fieldChosen, toAgent, f.Delegated,
				h.Aria("keyshortcuts", "Alt+Y")),
			h.Span(h.Class("open"), say(l, "Let the agent decide")))),
		f.more(l),
	)
}

// control returns a radio button or checkbox of the question.
func (f *field) control(kind, name, value string, checked bool, attributes ...g.Node) g.Node {
	return h.Input(h.Type(kind), h.Name(named(name, f.At)), h.Value(value), g.If(checked, h.Checked()),
		g.Group(attributes))
}

func (f *field) legend(l words.Language) g.Node {
	text, number := h.H3, ""
	if f.Depth == 0 {
		text = h.H2
	}
	if n := len(f.card.Questions); f.Depth == 0 && n > 1 {
		place := slices.IndexFunc(f.card.Questions, func(q question.Question) bool { return q.ID == f.ID })
		number = l.T("%[1]d of %[2]d", place+1, n)
	}
	return h.Legend(h.ID(f.Key+"-legend"),
		g.If(number != "" || f.Header != "" || !f.Required, h.Span(h.Class("above"),
			withText(h.Span, number, h.Class("number")),
			withText(h.Span, question.Line(f.Header), h.Class("head")),
			g.If(!f.Required, h.Span(h.Class("need"), say(l, "optional"))),
		)),
		text(h.Class("text"), lines(f.Question.Text)),
	)
}

// description returns what the asker says to the question. What is signed is shown word for word.
func (f *field) description() g.Node {
	id := h.ID(f.Key + "-about")
	switch {
	case f.Description == "":
		return nil
	case f.card.Signed:
		return h.Div(h.Class("about text"), id, lines(f.Description))
	}
	return h.Div(h.Class("about"), id, prose(f.Description))
}

// more returns the note to the answer, and its files.
func (f *field) more(l words.Language) g.Node {
	add, note := say(l, "Add a note"), l.T("Note to the agent, beside your answer")
	if f.card.Attach {
		add = say(l, "Add a note or files")
	}
	return h.Details(h.Class("more"), g.If(f.Note != "" || len(f.Files) > 0, g.Attr("open")),
		h.Summary(h.Aria("keyshortcuts", "Alt+N"), add),
		h.Textarea(h.Name(named(fieldNote, f.At)), h.Rows("2"), h.Aria("label", note), h.Placeholder(note),
			g.Text(f.Note)),
		g.If(f.card.Attach || len(f.Files) > 0, f.files(l)),
	)
}

func (f *field) files(l words.Language) g.Node {
	return h.Div(h.Class("files"), h.ID(f.Key+"-files"),
		g.If(f.card.Attach, g.Group{
			h.Label(h.Class("attach"), h.Span(say(l, "Attach files")), space,
				h.Input(h.Type("file"), h.Name(named(fieldUpload, f.At)), h.Multiple(),
					h.Accept(strings.Join(question.FileTypes(), ",")))),
			h.NoScript(h.Button(h.Type("submit"), h.FormAction("/attach"), say(l, "Attach"))),
		}),
		g.Map(f.Files, func(file question.File) g.Node {
			value, _ := json.Marshal(file)
			return h.Div(h.Class("file"),
				g.If(file.Image(), h.A(h.Href(fileAddress(f.card.ID, file)), h.Target("_blank"),
					thumbnail(f.card.ID, file, l.T("Open the image")))),
				h.Label(h.Class("pick"), f.control("checkbox", fieldFile, string(value), true),
					h.Span(g.Text(file.String()))),
			)
		}),
	)
}

func thumbnail(record string, file question.File, alt string) g.Node {
	return h.Img(h.Src(fileAddress(record, file)), h.Alt(alt), h.Loading("lazy"))
}

func fileAddress(record string, file question.File) string {
	return "/files/" + record + "/" + file.Key()
}

// words returns the text area of a question, and the proposal for it.
func (f *field) words(l words.Language) g.Node {
	typed, proposal := f.Typed(), f.Choice(answer.Proposed)
	proposed := proposal >= 0 && f.Choices()[proposal].Marked
	if proposed {
		typed = ""
	}
	return g.Group{
		g.If(f.Default != "", h.Label(h.Class("pick proposal"), f.control("checkbox", fieldProposal, "yes", proposed),
			h.Span(elements(l, `Take what is proposed: <span class="text proposed">%s</span>`, lines(f.Default))))),
		h.Textarea(h.Name(named(fieldText, f.At)), h.Rows("3"), h.Aria("labelledby", f.Key+"-legend"),
			g.If(f.Placeholder != "", h.Placeholder(question.Line(f.Placeholder))),
			g.If(f.Required, h.Aria("required", "true")),
			g.If(f.Fault != "", h.Aria("invalid", "true")),
			g.Text(typed)),
	}
}

// options returns the choices of a question.
func (f *field) options(l words.Language) g.Node {
	previews := slices.ContainsFunc(f.Options, func(o question.Option) bool { return o.Preview != "" })
	return h.Div(components.Classes{"options": true, "previews": previews},
		g.Map(f.Choices(), func(c answer.Choice) g.Node { return f.option(l, c) }))
}

// option returns a choice, with what it unfolds.
func (f *field) option(l words.Language, c answer.Choice) g.Node {
	var o question.Option // what the user reads
	switch {
	case c.Offered():
		o = *c.Option
	case c.Kind == answer.Other:
		o = l.Other(f.Question.Question)
		if c.Option == nil {
			o.Description = ""
		}
	case f.Several(): // without a mark it is left open
		return nil
	default:
		c.Marked = c.Marked || !f.Delegated && !f.Marks()
		return h.Div(h.Class("option"), h.Div(h.Class("row"),
			h.Label(h.Class("pick"), f.control("radio", fieldChosen, valueOf(c), c.Marked),
				h.Span(h.Class("open"), say(l, "Skip")))))
	}
	key, value := strings.ToUpper(c.Key()), valueOf(c)
	if len(key) > 1 {
		key = "" // a number of two digits
	}
	about := f.Key + "-" + value + "-about"
	return h.Div(h.Class("option"),
		h.Div(h.Class("row"),
			h.Label(h.Class("pick"),
				f.control(f.input(), fieldChosen, value, c.Marked,
					g.If(o.Description != "", h.Aria("describedby", about)),
					g.If(key != "", h.Aria("keyshortcuts", key))),
				h.Span(line(o.Label),
					g.If(o.Default, g.Group{space, h.Span(h.Class("tag"), say(l, "recommended"))})),
				withText(h.Kbd, key, h.Aria("hidden", "true")),
			),
			g.Iff(o.Description != "", func() g.Node {
				return h.Div(h.Class("about"), h.ID(about), prose(o.Description))
			}),
		),
		g.If(!c.Offered(), h.Textarea(h.Class("own"), h.Name(named(fieldText, f.At)), h.Rows("1"),
			h.Aria("label", l.T("Your own answer")), g.Text(f.Typed()))),
		g.Iff(o.Preview != "", func() g.Node {
			return h.Div(h.Class("preview"), h.TabIndex("0"), h.Role("group"),
				h.Aria("label", l.T("Preview of %s", question.Line(o.Label))), preview(o.Preview))
		}),
		g.If(c.Offered() && len(o.FollowUps) > 0, h.Div(h.Class("follow"), f.card.fields(l, o.FollowUps))),
	)
}
