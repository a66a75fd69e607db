package elicit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/question"
)

// Longest texts of a field, in characters: hosts cut them at about 48 columns
// (FACTS 3).
const (
	maxTitle = 40
	maxLabel = 60
)

// form is what one elicitation asks: fields in display order, and how to read
// them back.
type form struct {
	questions []question.Shown
	fields    []field
}

// field is one property of the form.
type field struct {
	key      string
	schema   property
	required bool
	// into adds the property's value to the answer; false when it does not fit.
	into func(a *question.Answer, value any) bool
	// of is the question the field belongs to.
	of *question.Question
}

// property is the JSON schema of a field, in the order in which it is sent.
type property struct {
	Type        string    `json:"type"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Items       *property `json:"items,omitempty"`
}

func newForm(questions []question.Shown, arrays bool) *form {
	f := &form{questions: questions}
	for _, q := range questions {
		switch {
		case q.Type == question.Text:
			f.text(q.Question, "", title(q.Question), hint(q.Question), q.Required)
		case !q.Several():
			f.choice(q.Question)
		case arrays:
			f.several(q.Question)
		default:
			f.switches(q.Question)
		}
		if q.AllowCustom {
			label := "Other"
			if q.Other != nil {
				label = q.Other.Label
			}
			f.text(q.Question, "other", title(q.Question)+": "+short(label, maxTitle/2), "Your own answer instead", false)
		}
	}
	return f
}

// add appends a field. Its key is the question's id, with a suffix where the
// question has several fields.
func (f *form) add(q *question.Question, suffix string, p property, required bool, into func(*question.Answer, any) bool) {
	key := q.ID
	if suffix != "" {
		key += "_" + suffix
	}
	for f.taken(key) { // a question may have the id that this one's field would
		key += "_"
	}
	f.fields = append(f.fields, field{key: key, schema: p, required: required, into: into, of: q})
}

func (f *form) taken(key string) bool {
	return slices.ContainsFunc(f.fields, func(x field) bool { return x.key == key })
}

func (f *form) text(q *question.Question, suffix, title, description string, required bool) {
	f.add(q, suffix, property{Type: "string", Title: title, Description: description}, required,
		func(a *question.Answer, value any) bool {
			s, ok := value.(string)
			if ok && strings.TrimSpace(s) != "" {
				a.Custom = s
			}
			return ok
		})
}

// choice is a list of labels. Yes and no are such a list too: a switch that
// nobody touched would read as no.
func (f *form) choice(q *question.Question) {
	labels := labelsOf(q)
	f.add(q, "", property{Type: "string", Title: title(q), Description: line(q), Enum: labels}, q.Required && !q.AllowCustom,
		func(a *question.Answer, value any) bool {
			s, ok := value.(string)
			if !ok {
				return false
			}
			return s == "" || pick(q, labels, s, a)
		})
}

func (f *form) several(q *question.Question) {
	labels := labelsOf(q)
	f.add(q, "", property{Type: "array", Title: title(q), Description: line(q), Items: &property{Type: "string", Enum: labels}}, q.Required && !q.AllowCustom,
		func(a *question.Answer, value any) bool {
			list, ok := value.([]any)
			for _, v := range list {
				s, isText := v.(string)
				ok = ok && isText && pick(q, labels, s, a)
			}
			return ok
		})
}

func (f *form) switches(q *question.Question) {
	for i, label := range labelsOf(q) {
		id := q.Options[i].ID
		f.add(q, id, property{Type: "boolean", Title: short(label, maxTitle), Description: line(q)}, false,
			func(a *question.Answer, value any) bool {
				on, ok := value.(bool)
				if on {
					a.Selected = append(a.Selected, id)
				}
				return ok
			})
	}
}

func pick(q *question.Question, labels []string, label string, a *question.Answer) bool {
	for i := range labels {
		if labels[i] == label {
			a.Selected = append(a.Selected, q.Options[i].ID)
			return true
		}
	}
	return false
}

// labelsOf returns the labels as the form shows them, no two alike.
func labelsOf(q *question.Question) []string {
	seen := map[string]bool{}
	labels := make([]string, len(q.Options))
	for i, o := range q.Options {
		l := short(o.Label, maxLabel)
		if seen[l] {
			l = fmt.Sprintf("%s (%d)", l, i+1)
		}
		seen[l], labels[i] = true, l
	}
	return labels
}

func title(q *question.Question) string {
	if strings.TrimSpace(q.Header) != "" {
		return short(q.Header, maxTitle)
	}
	return short(q.Text, maxTitle)
}

func line(q *question.Question) string { return question.Line(q.Text) }

// hint is the description of a text field, with the text that the asker
// proposes, in words: it is not prefilled.
func hint(q *question.Question) string {
	h := line(q)
	if q.Placeholder != "" {
		h += " (for example: " + question.Line(q.Placeholder) + ")"
	}
	if q.Default != "" {
		h += " (proposed: " + question.Line(q.Default) + ")"
	}
	return h
}

func short(s string, n int) string { return question.Shorten(question.Line(s), n) }

// params is the form as it is sent.
func (f *form) params(plea string) mcp.ElicitationParams {
	schema := schema{Type: "object", Properties: make(properties, len(f.fields))}
	for i, x := range f.fields {
		schema.Properties[i] = x
		if x.required {
			schema.Required = append(schema.Required, x.key)
		}
	}
	return mcp.ElicitationParams{Message: plea + f.message(), RequestedSchema: schema}
}

// message carries what a form's fields have no room for: the whole questions,
// and every option with its description.
func (f *form) message() string {
	var b strings.Builder
	for i, q := range f.questions {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if len(f.questions) > 1 {
			fmt.Fprintf(&b, "%d. ", i+1)
		}
		if q.Header != "" {
			fmt.Fprintf(&b, "[%s] ", question.Line(q.Header))
		}
		b.WriteString(question.Block(q.Text))
		if q.Several() {
			b.WriteString(" (any number)")
		}
		if !q.Required {
			b.WriteString(" (optional)")
		}
		if q.Description != "" {
			b.WriteString("\n" + question.Block(q.Description))
		}
		if q.Type == question.Boolean && q.Options[0].Description+q.Options[1].Description == "" {
			continue
		}
		for _, o := range q.Options {
			b.WriteString("\n- " + question.Line(o.Label))
			if o.Description != "" {
				b.WriteString(": " + question.Line(o.Description))
			}
			if o.Default {
				b.WriteString(" (proposed)")
			}
			if o.Preview != "" {
				b.WriteString("\n" + indent(question.Block(o.Preview)))
			}
		}
		if q.Other != nil && q.Other.Description != "" {
			b.WriteString("\n- " + question.Line(q.Other.Label) + ": " + question.Line(q.Other.Description))
		}
	}
	return b.String()
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// errEmpty is what a host sends that shows an "allow?" dialog in place of the
// form (FACTS 3, Codex).
var errEmpty = errors.New("empty content")

// given is what one form brought for one question.
type given struct {
	answer question.Answer
	note   string // what else the human had marked
}

// read turns the content of an accept into answers, one per question of the
// form. The error says why it does not fit the form that was shown.
func (f *form) read(content any) ([]given, error) {
	values, ok := content.(map[string]any)
	if content != nil && !ok {
		return nil, errors.New("content that is no object")
	}
	if len(values) == 0 {
		return nil, errEmpty
	}
	known := false
	out := make([]given, 0, len(f.questions))
	for _, q := range f.questions {
		a := question.Answer{QuestionID: q.ID}
		for _, x := range f.fields {
			value, there := values[x.key]
			if x.of != q.Question || !there {
				continue
			}
			known = true
			if value != nil && !x.into(&a, value) {
				return nil, fmt.Errorf("content that does not fit the form at %q", x.key)
			}
		}
		g := given{answer: a}
		if marked := q.Option(first(a.Selected)); marked != nil && a.Custom != "" && !q.Several() {
			// A list may show an entry as chosen that nobody chose; what was
			// typed was surely meant. Neither is thrown away.
			g.answer.Selected = nil
			g.note = fmt.Sprintf("(In answer to %q the form also had %q marked.)", q.Text, marked.Label)
		}
		out = append(out, g)
	}
	if !known {
		return nil, errors.New("content that does not fit the form")
	}
	return out, nil
}

func first(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
