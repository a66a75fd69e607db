package elicit

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// reading is what the user said in one form.
type reading struct {
	rows      []int // of the choices
	text      string
	back      bool   // wants the previous question again
	dismissed bool   // closed the form
	early     bool   // accepted before that counts
	slip      string // why nothing of it counts, for the user
	kept      string // with slip: a text that would be an answer behind the sign
}

// choose adds the row of an entry.
func (s *reading) choose(e entry) {
	switch {
	case e.row == goBack:
		s.back = true
	case e.row != idle && !slices.Contains(s.rows, e.row):
		s.rows = append(s.rows, e.row)
	}
}

// Slips, as the form says them when it is shown again.
func notOffered() string { return words.T("That was nothing this form takes: please try again.") }

// again says why the question does not take an answer.
func again(fault error) string {
	found, _ := errors.AsType[question.Violations](fault)
	return words.T("Please answer again: %s.", question.Line(found[0].In(words.T)))
}

func missing(what string) string { return words.T("Still missing: %s.", shorten(what, maxWord)) }

// read reads the content of an accept.
func (f *form) read(content any) reading {
	values, _ := content.(map[string]any)
	got := f.readValue(values[f.key])
	switch {
	case got.slip != "":
	case len(values) > 1:
		return reading{slip: words.T("That belongs to another form: please answer this one.")}
	case len(got.rows) > 1 && slices.Contains(got.rows, f.asks.Choice(answer.LeaveOpen)):
		return reading{slip: words.T("An answer cannot be skipped too: please choose one or the other.")}
	}
	return got
}

func (f *form) readValue(value any) (got reading) {
	chosen, isList := value.([]any)
	switch {
	case value == nil, value == "", isList && len(chosen) == 0:
		return reading{slip: missing(f.title)}
	case f.line:
		return f.readLine(value)
	case len(f.entries) == 0:
		return f.readText(value)
	case isList != f.several:
		return reading{slip: notOffered()}
	case !isList:
		chosen = []any{value}
	}
	for _, v := range chosen {
		i := slices.IndexFunc(f.entries, func(e entry) bool { return v == any(e.Value) })
		switch own := f.readText(v); {
		case i >= 0:
			got.choose(f.entries[i])
		case !f.ownWords || got.text != "":
			return reading{slip: notOffered()}
		case own.slip != "":
			return own
		default:
			got.text = own.text
		}
	}
	if f.ownWords && len(got.rows) == 0 && got.text == "" && !got.back {
		return reading{slip: missing(f.title)}
	}
	return got
}

func (f *form) readText(value any) reading {
	text, isText := value.(string)
	switch {
	case !isText:
		return reading{slip: notOffered()}
	case blank(text):
		return reading{slip: missing(f.title)}
	}
	return reading{text: text}
}

// blank reports whether nothing of a text can be seen.
func blank(s string) bool {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point) ||
			r == '\u2800' // the empty Braille pattern
	}) == ""
}
