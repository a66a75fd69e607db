package elicit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// describe writes what the form says above and below its fields: first what was
// wrong, then the question with its details, then what else the user must know.
func (c *conversation) describe(f *form, q *shownQuestion) {
	notice, context := c.notice, strings.Join(c.context(q), " · ")
	c.notice = ""
	body, whole := c.body(q.Question.Question, "")
	if anyCut(f.entries) || !whole && !f.line {
		context = join(" · ", words.T("in full: mcp-askuser inbox"), context)
	}
	if c.kept != "" {
		notice = join("\n", notice, offer(c.kept))
	}
	switch {
	case f.line:
		options, below := f.rows(), wrap(context)
		if c.Rows > 0 {
			text := height(wrap(join("\n", question.Block(q.Text), question.Block(q.Description))))
			options = cutRows(options, c.Rows-min(leastText, text)-height(join("\n", notice, below)))
		}
		below = join("\n", options, below)
		body, _ = c.body(q.Question.Question, join("\n", notice, below))
		f.message = join("\n", notice, body, below)
	case c.Rows == 0:
		f.message = join("\n", notice, wrap(question.Block(q.Text)), question.Block(q.Description), wrap(context))
	default:
		// The rest is in the description of the field, and so is what was
		// wrong if it would hide details.
		if height(join("\n", notice, body)) > c.Rows {
			context, notice = join(" · ", strings.TrimSuffix(notice, "."), context), ""
		}
		f.message = join("\n", notice, body)
		f.description = ansi.Truncate(context, maxAside, "…")
	}
}

// body is the question with its details in rows that the client does not cut, and
// whether the form shows all of them beside what else it says. Where not, what is
// shown begins with one row of the question and the details.
func (s Style) body(q *question.Question, beside string) (body string, whole bool) {
	text, details := wrap(question.Block(q.Text)), wrap(question.Block(q.Description))
	body = join("\n", text, details)
	room := s.Rows - height(beside)
	if s.Rows == 0 || height(body) <= room {
		return body, true
	}
	if height(text) > 1 && details != "" {
		body = join("\n", ansi.Truncate(question.Line(q.Text), rowWidth, "…"), details, text)
	}
	if s.Line { // the client would cut how to answer
		body = cutRows(body, max(leastText, room))
	}
	return body, false
}

// leastText is how many rows of the question and its details are shown at least.
const leastText = 4

// cutRows cuts a text to so many rows, at least one, the last of which says where the others
// are.
func cutRows(text string, most int) string {
	rows, most := strings.Split(text, "\n"), max(most, 1)
	if len(rows) <= most {
		return text
	}
	more := words.T("… (%d more rows: mcp-askuser inbox)", len(rows)-most+1)
	return join("\n", strings.Join(rows[:most-1], "\n"), more)
}

// height is how many rows a text has.
func height(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

func wrap(s string) string { return ansi.Wrap(s, rowWidth, "") }

// Cuts reports whether a client's form would not show all of the set: previews it
// never does.
func (s Style) Cuts(set *question.Set) bool {
	for _, q := range answer.New(desk.Record{Set: *set}, answer.Options{}).All() {
		t, beside := &shownQuestion{Question: q}, ""
		if s.line(t) {
			var x form
			t.asLine(&x)
			beside = x.rows() + "\n" // and a row of context
		}
		if _, whole := s.body(q.Question, beside); !whole {
			return true
		}
		if t.hasPreview() || anyCut(t.entries(t.rows(false), false)) {
			return true
		}
	}
	return false
}

func shorten(s string, n int) string { return question.Shorten(question.Line(s), n) }

// fits reports whether rowText cuts nothing of a text.
func fits(s string, n int) bool { return rowText(s, n) == rowText(s, len(s)) }

// rowText is a text as a row has it: one host puts what ends in an ellipsis,
// and what holds several blanks in a row, into quotation marks.
func rowText(s string, n int) string {
	s = strings.Join(strings.Fields(question.Line(s)), " ")
	if cut := question.Shorten(s, n); strings.HasSuffix(cut, "…") {
		return strings.TrimRight(question.Cut(s, n-3), " .…") + "..."
	}
	return s
}
