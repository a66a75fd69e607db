package web

import (
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/ui/words"
)

// html returns the page.
func (x *layout) html(l words.Language) g.Node {
	view, title, count := "list", "mcp-askuser", l.T("No questions")
	if x.Chosen {
		view = "one"
	}
	if x.Count > 0 {
		title = fmt.Sprintf("(%d) %s", x.Count, title)
		count = l.N(x.Count, "%d question waits", "%d questions wait")
	}
	head := g.Group{
		h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1, viewport-fit=cover")),
		h.Meta(h.Name("theme-color"), h.Content("#ffffff"), g.Attr("media", "(prefers-color-scheme: light)")),
		h.Meta(h.Name("theme-color"), h.Content("#16181f"), g.Attr("media", "(prefers-color-scheme: dark)")),
		h.Link(h.Rel("canonical"), h.Href(x.Address)),
		h.Link(h.Rel("manifest"), h.Href("/assets/manifest.webmanifest")),
		h.Script(h.Src("/assets/page.js?"+edition()), h.Defer()),
	}
	return webPage(l, title, head, h.Data("view", view), sayings(l),
		h.Header(h.Class("bar"),
			h.A(h.Class("brand"), h.Href("/"), icon("26"), g.Text(" mcp-askuser")),
			h.H1(h.ID("count"), h.TabIndex("-1"), h.Aria("live", "polite"), g.Text(count)),
			h.P(h.Class("tools"),
				h.A(h.Class("button"), h.Href("/history"), say(l, "History")),
				h.Button(h.Type("button"), h.ID("help"), h.PopoverTarget("keys"), h.Aria("label", l.T("Keys")),
					h.Aria("keyshortcuts", "?"), h.Kbd(g.Text("?"))),
			),
			h.P(h.ID("trouble"), h.Role("alert"), g.Attr("hidden")),
			g.If(x.ByAgent, h.P(h.Class("remark"),
				say(l, "An agent started this page: what is answered here counts as a program's answer."))),
		),
		h.Main(h.Class("panes"), x.list(l), h.Div(h.ID("pane"), x.pane(l))),
		h.Div(h.ID("news"), h.Role("status"), g.Map(x.Notices, notice.html)),
		keyHelp(l),
	)
}

// sayings are the texts that the script shows.
func sayings(l words.Language) g.Node {
	return g.Group{
		h.Data("early", l.T("This has only just come here. Do it once more if you mean it.")),
		h.Data("unsent", l.T("Not sent. %s")),
		h.Data("unsigned", l.T("Your passkey did not sign the answer. Try again.")),
		h.Data("unreached", l.T("The server cannot be reached. Nothing is lost: try again.")),
		h.Data("ended", l.T("Your visit has ended. Run “mcp-askuser web --open” in a terminal; "+
			"what you filled in is kept, and this page goes on by itself.")),
		h.Data("failed", l.T("The server has failed. What is shown may be out of date.")),
		h.Data("lost", l.T("The connection is lost. What is shown may be out of date; what you fill in is kept.")),
	}
}

// list returns the list of open records.
func (x *layout) list(l words.Language) g.Node {
	return h.Nav(h.Aria("label", l.T("Questions that wait")),
		h.Form(h.Role("search"), h.ID("filter"), h.Action("/"), h.Method("get"), g.If(!x.Filters(), g.Attr("hidden")),
			hidden("list", ""),
			h.Input(h.Type("search"), h.Name("filter"), h.Value(x.Filter), h.AutoComplete("off"),
				h.Aria("label", l.T("Filter the questions")), h.Aria("keyshortcuts", "/"),
				h.Placeholder(l.T("Filter"))),
			h.Kbd(h.Aria("hidden", "true"), g.Text("/")),
		),
		h.Ol(h.ID("list"), g.Map(x.Entries, func(e entry) g.Node { return e.html(l, e.ID == x.ID) })),
		h.Div(h.ID("more"),
			g.If(x.Filter != "" && len(x.Entries) == 0, h.P(say(l, "No question fits."))),
			g.If(x.Rest > 0, h.P(g.Text(l.N(x.Rest, "%d more waits; the filter finds it.",
				"%d more wait; the filter finds them.")))),
		),
		h.P(h.Class("promise"), say(l, "Nothing is sent before you press Send."),
			h.NoScript(space, say(l, "Scripts are off: reload the page to see what is new."))),
	)
}

func (e entry) html(l words.Language, current bool) g.Node {
	return h.Li(h.Data("id", e.ID), g.If(e.First, h.Class("first")),
		h.H2(g.Text(e.AskedBy())),
		h.A(h.Href("/?id="+e.ID), g.If(current, h.Aria("current", "true")),
			h.Span(h.Class("subject"),
				g.If(e.Times > 1, g.Group{h.B(g.Text("×" + strconv.Itoa(e.Times))), space}),
				g.Text(e.Subject()),
			),
			space,
			h.Span(h.Class("facts"),
				h.Span(at(l, e.CreatedAt)),
				g.If(!e.Attended, h.Span(say(l, "agent not waiting"))),
				g.If(!e.Deadline().IsZero(), h.Span(elements(l, "until %s", at(l, e.Deadline())))),
			),
		),
	)
}

// pane returns what is beside the list.
func (x *layout) pane(l words.Language) g.Node {
	switch {
	case x.Past != nil:
		return x.Past.html(l)
	case x.Card != nil:
		return x.Card.html(l)
	}
	heading := say(l, "Nothing waits for you")
	if x.Count > 0 {
		heading = say(l, "Pick a question")
	}
	return h.Section(h.ID("none"), h.TabIndex("-1"),
		icon("56"),
		h.H2(heading),
		h.P(elements(l, "Questions from your agents appear here<noscript> when you reload the page</noscript>. "+
			"What you answer goes back to the agent that asked.")),
		h.H3(say(l, "Connect an agent")),
		h.Pre(h.TabIndex("0"), h.Role("region"), h.Aria("label", l.T("The command that connects an agent")),
			h.Code(g.Text("mcp-askuser install"))),
		h.P(elements(l, "Try it with <code>mcp-askuser demo</code> in a terminal.")),
	)
}

func (n notice) html() g.Node {
	class := "notice"
	if n.Late {
		class += " late"
	}
	return h.P(h.Class(class), g.Text(n.Words))
}

// keyHelp returns the list of keys that the script has.
func keyHelp(l words.Language) g.Node {
	row := func(what g.Node, caps ...string) g.Node {
		var keys g.Group
		for i, c := range caps {
			keys = append(keys, g.If(i > 0, space), h.Kbd(g.Text(c)))
		}
		return g.Group{h.Dt(keys), h.Dd(what)}
	}
	return h.Div(h.ID("keys"), h.Popover(),
		h.H2(say(l, "Keys")),
		h.Dl(
			h.Dt(h.Kbd(g.Text("1")), space, h.Kbd(g.Text("2")), g.Text(" …")),
			h.Dd(elements(l, "choose an option by its number; <kbd>y</kbd> and <kbd>n</kbd> where it is yes or no")),
			row(say(l, "your own answer"), "0"),
			row(say(l, "goes to the next question, and sends after the last"), "Enter"),
			row(say(l, "sends from a text field"), "Ctrl", "Enter"),
			row(elements(l, "dismiss the question; <kbd>Enter</kbd> confirms it"), "Alt", "x"),
			row(say(l, "discuss it first"), "Alt", "d"),
			row(say(l, "note to the answer, and files"), "Alt", "n"),
			row(say(l, "let the agent decide"), "Alt", "y"),
			row(say(l, "use your earlier answer again; reopen an ended question"), "Alt", "r"),
			row(say(l, "next and previous question"), "j", "k"),
			row(elements(l, "filter the questions, from eight on; <kbd>Enter</kbd> goes to the first"), "/"),
			row(say(l, "back: from a text field to the question, from there to the list"), "Esc"),
			row(say(l, "this list"), "?"),
		),
	)
}
