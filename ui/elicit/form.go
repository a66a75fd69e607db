package elicit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// Longest texts of a form, in characters, and its rows' width, in columns. One
// host cuts what is longer than a row, the others wrap.
const (
	maxTitle = 200
	maxLabel = 100
	maxWord  = 60
	rowWidth = 72
	maxAside = 68 // of a field's description, in columns
)

// form is one elicitation with one property, for a question or the text of its "Other": a
// list, a text where it has no entries, or a line.
type form struct {
	asks                    *shownQuestion // the question
	message                 string
	key, title, description string
	several                 bool
	entries                 []entry
	ownWords                bool   // the client has a row for a text, see Style.OwnWords
	line                    bool   // the entries are in the message, and a text names them, see line.go
	kept                    string // what the sign alone sends in a line
}

// entry is one row of a list.
type entry struct {
	Value string `json:"const"` // what the client sends for it
	Title string `json:"title"` // what the user sees
	row   int    // of the question's choices, or one of the two below
	word  string // names the row in a line
	cut   bool   // the title is not all of it
}

// Rows that are none of the choices; -1 is a choice that the question does not have.
const (
	goBack = -2 - iota // to the previous question
	idle               // the first row of a client where Enter sends that
)

// bullet begins the rows of a client whose list is searched by typing: no sentence
// has it.
const bullet = "• "

// form builds the form of a question.
func (c *conversation) form(q *shownQuestion) *form {
	f := &form{asks: q, key: shorten(q.ID, maxWord), title: cmp.Or(rowText(q.Header, maxWord), words.T("Your answer"))}
	switch {
	case c.line(q):
		q.asLine(f)
		f.kept = c.kept
	case q.NeedsWords():
		f.key, f.title = f.key+"_other", words.T("Your own answer")
	case !q.Chooses() && q.Required && !q.proposes() && !c.Typed && !c.OwnWords:
	default:
		rows := q.rows(false)
		f.ownWords = c.OwnWords
		if f.ownWords {
			other := q.Choice(answer.Other)
			rows = append([]int{idle}, slices.DeleteFunc(rows, func(row int) bool { return row == other })...)
		}
		f.several, f.entries = q.Several(), q.entries(rows, false)
	}
	if c.Typed && !f.line {
		for i := range f.entries {
			f.entries[i].Title = bullet + f.entries[i].Title
		}
	}
	c.describe(f, q)
	return f
}

// rows are the rows of the question's list in order: what can be chosen, leaving it
// open, writing an answer, going back. In a line, writing comes before leaving open. Of a
// choice of one in a list, the first row is what a careless Enter takes: it is the
// declared default, or else the refusal.
func (q *shownQuestion) rows(line bool) (rows []int) {
	for i, r := range q.Choices() {
		if r.Kind != answer.Proposed || q.proposes() {
			rows = append(rows, i)
		}
	}
	place := func(r answer.Choice) int {
		switch {
		case r.Kind == answer.LeaveOpen:
			return 4
		case r.Kind == answer.Other && !line:
			return 5
		case !r.Offered():
			return 3
		case line, q.Several(), r.Default:
			return 0
		case r.Kind == answer.No, question.LabelYesOrNo(r.Option.Label) == question.NoID:
			return 1
		}
		return 2
	}
	choices := q.Choices()
	slices.SortStableFunc(rows, func(a, b int) int { return place(choices[a]) - place(choices[b]) })
	if q.previous != nil {
		rows = append(rows, goBack)
	}
	return rows
}

// proposes reports whether a declared text is a row: one can only take what one can see
// whole.
func (q *shownQuestion) proposes() bool {
	return q.Choice(answer.Proposed) >= 0 && !blank(q.Default) && shorten(q.Default, maxLabel) == q.Default
}

// entries are the entries of rows: a label with its description beside it, unlike any
// other.
func (q *shownQuestion) entries(rows []int, line bool) (out []entry) {
	for _, row := range rows {
		label, description := q.label(row, line)
		e := entry{Value: rowText(label, maxLabel), row: row, cut: !fits(label, maxLabel)}
		for n := 2; slices.ContainsFunc(out, func(x entry) bool { return x.Value == e.Value }); n++ {
			e.Value = fmt.Sprintf("%s (%d)", rowText(label, maxLabel), n)
		}
		if e.Title = e.Value; description != "" {
			title := words.T("%[1]s: %[2]s", e.Value, description)
			e.Title, e.cut = rowText(title, maxTitle), e.cut || !fits(title, maxTitle)
		}
		out = append(out, e)
	}
	return out
}

// label is what a row says.
func (q *shownQuestion) label(row int, line bool) (label, description string) {
	switch row {
	case goBack:
		return words.T("Back"), rowText(q.previous.Text, maxWord)
	case idle:
		return words.T("Choose below"), ""
	}
	r := q.Choices()[row]
	switch {
	case r.Kind == answer.Proposed:
		return q.Default, words.T("proposed")
	case r.Kind == answer.LeaveOpen:
		return words.T("(skip)"), ""
	case r.Option != nil:
		return r.Option.Label, r.Option.Description
	case line:
		return words.T("your own words"), ""
	case q.Chooses():
		return words.T("Other..."), ""
	}
	return words.T("Write an answer..."), ""
}

func (q *shownQuestion) hasPreview() bool {
	return slices.ContainsFunc(q.Options, func(o question.Option) bool { return o.Preview != "" })
}

func anyCut(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.cut })
}

func join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), sep)
}

func (c *conversation) context(q *shownQuestion) (out []string) {
	add := func(when bool, text string) {
		if when {
			out = append(out, text)
		}
	}
	say := func(a question.Answer) string { return shorten(strings.Join(q.Words(&a), ", "), maxWord) }
	rec, proposed, before := c.Record(), say(q.Declared()), ""
	last := cmp.Or(q.Confirmed, c.earlier.Answer(q.ID))
	if last != nil && cmp.Or(last.By, question.ByUser) == question.ByUser {
		before = say(*last)
	}
	place, of := c.Place(q.Question)
	add(of > 1, words.T("%[1]d of %[2]d", place, of))
	round := words.Local.Round(&rec)
	add(round != "", round)
	add(!q.Required, words.T("optional"))
	add(q.Several(), words.T("any number"))
	add(proposed != "", words.T("proposed: %s", proposed))
	add(q.Placeholder != "", words.T("for example: %s", shorten(q.Placeholder, maxWord)))
	add(q.NeedsWords(), words.T("in your own words; a blank leads back"))
	add(before != "", words.T("you said: %s", before))
	add(q.hasPreview(), words.T("previews: mcp-askuser inbox"))
	add(true, words.T("asked by %s", words.Local.Asker(rec.Asker)))
	return out
}

// params is the form as it is sent.
func (f *form) params() mcp.ElicitationParams {
	field := map[string]any{"type": "string", "title": f.title}
	if f.description != "" {
		field["description"] = f.description
	}
	switch {
	case f.line:
	case f.several:
		field["type"], field["items"] = "array", map[string]any{"anyOf": f.entries}
	case len(f.entries) > 0:
		field["oneOf"] = f.entries
	}
	return mcp.ElicitationParams{Message: f.message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{f.key: field}, "required": []string{f.key},
	}}
}
