package elicit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/question"
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

// form is one elicitation: a question, or the text of its "Other".
type form struct {
	message string
	fields  []field
}

// field is one property of the form: a list, a text where it has no entries, or
// a line.
type field struct {
	key, title, description string
	several                 bool
	entries                 []entry
	line                    bool // the entries are in the message, and a text names them, see line.go
	custom                  bool // of a line: it takes the human's own words
}

// entry is one row of a list.
type entry struct {
	Value string `json:"const"` // what the client sends for it
	Title string `json:"title"` // what the human sees
	means said
	word  string // names the row in a line
}

// form builds the form of the question that is due.
func (d *dialogue) form(q *turn) *form {
	x := field{key: short(q.ID, maxWord), title: cmp.Or(cell(q.Header, maxWord), words.T("Your answer"))}
	fields := []field{x}
	switch x := &fields[0]; {
	case d.Line:
		*x = q.line(x.key)
	case d.half != nil:
		x.key, x.title = x.key+"_other", words.T("Your own answer")
	case q.Type == question.Text && q.Required && !q.offersDefault() && !d.Typed:
	case q.Several() && !d.Arrays:
		fields = q.switches(x.key)
	default:
		x.several, x.entries = q.Several(), q.entries()
	}
	if d.Typed {
		for _, x := range fields {
			for i := range x.entries {
				x.entries[i].Title = bullet + x.entries[i].Title
			}
		}
	}
	f := &form{fields: fields}
	d.describe(f, q)
	return f
}

// bullet begins the rows of a client whose list is searched by typing: no sentence
// has it.
const bullet = "• "

// entries are the rows of the question's list, in order: what can be chosen,
// leaving it open, writing an answer, going back.
func (q *turn) entries() []entry {
	out := q.options()
	if q.offersDefault() {
		out = list(out, q.Default, words.T("proposed"), said{text: q.Default})
	}
	if !q.Required {
		out = list(out, words.T("(leave open)"), "", said{open: true})
	}
	return q.back(q.other(out))
}

// switches is a choice of several for clients without arrays: one list an
// option. The keys sort in the order of the fields, as some hosts sort them.
func (q *turn) switches(key string) []field {
	rows := q.other(q.options())
	fields := make([]field, len(rows))
	for i, row := range rows {
		entries := []entry{{Value: "no", Title: words.T("No")}, {Value: "yes", Title: words.T("Yes"), means: row.means}}
		fields[i] = field{key: fmt.Sprintf("%s_%03d", key, i+1), title: row.Title, entries: q.back(entries)}
	}
	return fields
}

// options are the rows of the question's options. Of a choice of one, the first
// row is what a careless Enter takes: it is the declared default, or else the
// refusal.
func (q *turn) options() []entry {
	options := slices.Clone(q.Options)
	if !q.Several() {
		slices.SortStableFunc(options, func(a, b question.Option) int { return rank(a) - rank(b) })
	}
	return rows(options)
}

func rows(options []question.Option) (out []entry) {
	for _, o := range options {
		out = list(out, o.Label, o.Description, said{selected: []string{o.ID}})
	}
	return out
}

func rank(o question.Option) int {
	switch {
	case o.Default:
		return 0
	case o.ID == question.NoID, question.YesOrNo(o.Label) == question.NoID:
		return 1
	}
	return 2
}

func (q *turn) other(to []entry) []entry {
	o := question.Option{Label: words.T("Other...")}
	switch {
	case q.Type == question.Text:
		o.Label = words.T("Write an answer...")
	case !q.AllowCustom:
		return to
	case q.Other != nil:
		o = *q.Other
	}
	return list(to, o.Label, o.Description, said{write: true})
}

func (q *turn) back(to []entry) []entry {
	if q.previous == nil {
		return to
	}
	return list(to, words.T("Back"), cell(q.previous.Text, maxWord), said{back: true})
}

// list appends a row: a label with its description beside it, unlike any other.
func list(to []entry, label, description string, means said) []entry {
	e := entry{Value: cell(label, maxLabel), means: means}
	for n := 2; slices.ContainsFunc(to, func(x entry) bool { return x.Value == e.Value }); n++ {
		e.Value = fmt.Sprintf("%s (%d)", cell(label, maxLabel), n)
	}
	e.Title = e.Value
	if description != "" {
		e.Title = cell(words.T("%[1]s: %[2]s", e.Value, description), maxTitle)
	}
	return append(to, e)
}

// offersDefault reports whether the proposed text of a Text question is a row
// of a list: one can only take what one can see whole.
func (q *turn) offersDefault() bool {
	return q.Type == question.Text && !blank(q.Default) && short(q.Default, maxLabel) == q.Default
}

// describe writes what the form says above and below its fields: first what was
// wrong, then the question with its details, then what else the human must know.
func (d *dialogue) describe(f *form, q *turn) {
	plea, context := d.plea, strings.Join(d.context(q), " · ")
	d.plea = ""
	switch {
	case d.Line:
		below := join("\n", f.fields[0].rows(), wrap(context))
		body, _ := d.body(q, join("\n", plea, below))
		f.message = join("\n", plea, body, below)
	case d.Rows == 0:
		f.message = join("\n", plea, wrap(question.Block(q.Text)), question.Block(q.Description), wrap(context))
	default:
		// The rest stands in the description of the first field, and so does what was
		// wrong if it would hide details.
		body, whole := d.body(q, "")
		if !whole {
			context = join(" · ", words.T("in full: mcp-askuser inbox"), context)
		}
		if height(join("\n", plea, body)) > d.Rows {
			context, plea = join(" · ", strings.TrimSuffix(plea, "."), context), ""
		}
		f.message = join("\n", plea, body)
		f.fields[0].description = ansi.Truncate(context, maxAside, "…")
	}
}

// body is the question with its details in rows that the client does not cut, and
// whether the form shows all of them beside what else it says. Where not, what is
// shown begins with one row of the question and the details.
func (d *dialogue) body(q *turn, beside string) (body string, whole bool) {
	text, details := wrap(question.Block(q.Text)), wrap(question.Block(q.Description))
	body = join("\n", text, details)
	room := d.Rows - height(beside)
	if d.Rows == 0 || height(body) <= room {
		return body, true
	}
	if height(text) > 1 && details != "" {
		body = join("\n", ansi.Truncate(question.Line(q.Text), rowWidth, "…"), details, text)
	}
	if d.Line { // the client would cut how to answer
		rows := strings.Split(body, "\n")
		shown := max(3, room-1)
		if shown < len(rows) {
			body = join("\n", strings.Join(rows[:shown], "\n"), words.T("… (%d more rows: mcp-askuser inbox)", len(rows)-shown))
		}
	}
	return body, false
}

// height is how many rows a text has.
func height(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

func wrap(s string) string { return ansi.Wrap(s, rowWidth, "") }

func join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), sep)
}

func (d *dialogue) context(q *turn) (out []string) {
	add := func(when bool, text string) {
		if when {
			out = append(out, text)
		}
	}
	say := func(a question.Answer) string { return short(strings.Join(q.Words(&a), ", "), maxWord) }
	proposed, before := say(question.Answer{Selected: q.Defaults(), Custom: q.Default}), say(d.before[q.ID])
	add(q.of > 1, words.T("%[1]d of %[2]d", q.place, q.of))
	add(d.rec.Round > 1, words.T("round %d", d.rec.Round))
	add(!q.Required, words.T("optional"))
	add(q.Several(), words.T("any number"))
	add(proposed != "", words.T("proposed: %s", proposed))
	add(q.Placeholder != "", words.T("for example: %s", short(q.Placeholder, maxWord)))
	add(d.half != nil, words.T("in your own words; a blank leads back"))
	add(before != "", words.T("you said: %s", before))
	add(slices.ContainsFunc(q.Options, func(o question.Option) bool { return o.Preview != "" }), words.T("previews: mcp-askuser inbox"))
	add(true, words.T("asked by %s", words.Local.Asker(d.rec.Asker)))
	return out
}

// Cuts reports whether a client's form would not show all of the set: previews it
// never does.
func (s Style) Cuts(set *question.Set) bool {
	d := dialogue{Style: s}
	for _, q := range set.All() {
		t, beside := &turn{Question: q, place: 1, of: len(set.Questions)}, ""
		if s.Line {
			x := t.line("")
			beside = x.rows() + "\n" // and a row of context
		}
		if _, whole := d.body(t, beside); !whole {
			return true
		}
		for _, o := range q.Options {
			e := list(nil, o.Label, o.Description, said{})[0]
			width := ansi.StringWidth(e.Title)
			if s.Typed {
				width += ansi.StringWidth(bullet)
			}
			if o.Preview != "" || strings.HasSuffix(e.Title, "...") && !strings.HasSuffix(o.Description, "...") ||
				s.Columns > 0 && width > s.Columns {
				return true
			}
		}
	}
	return false
}

func short(s string, n int) string { return question.Shorten(question.Line(s), n) }

// cell is a text as it stands in a row: one host puts what ends in an ellipsis,
// and what holds several blanks in a row, into quotation marks.
func cell(s string, n int) string {
	s = strings.Join(strings.Fields(question.Line(s)), " ")
	if cut := question.Shorten(s, n); strings.HasSuffix(cut, "…") {
		return strings.TrimRight(question.Cut(s, n-3), " .…") + "..."
	}
	return s
}

// params is the form as it is sent. JSON sorts the properties by key, which is
// the order of the fields.
func (f *form) params() mcp.ElicitationParams {
	properties, required := map[string]any{}, []string{}
	for _, x := range f.fields {
		properties[x.key] = x.schema()
		required = append(required, x.key)
	}
	return mcp.ElicitationParams{Message: f.message, RequestedSchema: map[string]any{
		"type": "object", "properties": properties, "required": required,
	}}
}

func (x *field) schema() map[string]any {
	s := map[string]any{"type": "string", "title": x.title}
	if x.description != "" {
		s["description"] = x.description
	}
	switch {
	case x.line:
	case x.several:
		s["type"], s["items"] = "array", map[string]any{"anyOf": x.entries}
	case len(x.entries) > 0:
		s["oneOf"] = x.entries
	}
	return s
}
