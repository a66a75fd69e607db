package elicit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// Some clients send a row of a list at one key, and a text at the Enter behind a
// sentence, also keys that were meant for another program. Their forms are one text. An answer
// in it begins with [sign], which neither a sentence nor the rest of one begins
// with, and names its rows as the message does: "=yes", "=2", "=1,3", "=my own
// words". No blank is before or behind the sign, as in the end of "x = 2". All else
// is shown again, and a text is kept for the sign alone: these clients show a form empty.

// sign begins every answer in a line. It is one key on most keyboards.
const sign = "="

// asLine makes a form one text.
func (q *shownQuestion) asLine(f *form) {
	f.line, f.several, f.entries = true, q.Several(), q.entries(q.rows(true), true)
	if !q.Chooses() { // the text is the line itself
		f.entries = slices.DeleteFunc(f.entries, func(e entry) bool { return e.row == q.Choice(answer.Other) })
	}
	names := q.names()
	for i := range f.entries {
		e := &f.entries[i]
		switch {
		case e.row == goBack:
			e.word = "<"
		case q.Choices()[e.row].Offered():
			e.word = names[e.row]
		default:
			signs := map[answer.Kind]string{answer.Other: "...", answer.Proposed: "+", answer.LeaveOpen: "-"}
			e.word = signs[q.Choices()[e.row].Kind]
		}
	}
	switch {
	case q.Choice(answer.Yes) >= 0:
		f.title = words.T("Type %[1]s or %[2]s", sign+names[0], sign+names[1])
	case !q.Chooses():
		f.title = words.T("Type %s and your answer", sign)
	case q.Several():
		f.title = words.T("Type %[1]s and your choices, as in %[2]s", sign, sign+names[0]+","+names[len(names)-1])
	default:
		f.title = words.T("Type %[1]s and your choice, as in %[2]s", sign, sign+names[0])
	}
}

// names are the words that name the options: yes and no, or numbers, unless one of them
// is the label of an option.
func (q *shownQuestion) names() []string {
	if q.Choice(answer.Yes) >= 0 {
		return []string{"yes", "no"}
	}
	for _, name := range []func(i int) string{
		func(i int) string { return strconv.Itoa(i + 1) },
		func(i int) string { return string(rune('a'+i%26)) + strings.Repeat("'", i/26) },
		func(i int) string { return fmt.Sprintf("%d.", i+1) },
	} {
		names := make([]string, len(q.Options))
		for i := range names {
			names[i] = name(i)
		}
		if !slices.ContainsFunc(q.Options, func(o question.Option) bool {
			label := rowText(o.Label, maxLabel)
			return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, label) })
		}) || strings.HasSuffix(name(0), ".") {
			return names
		}
	}
	return nil
}

// rows are the rows of a line, as the message lists them.
func (f *form) rows() string {
	width := 0
	for _, e := range f.entries {
		width = max(width, len(e.word))
	}
	var out []string
	for _, e := range f.entries {
		out = append(out, fmt.Sprintf("%s%-*s  %s", sign, width, e.word, e.Title))
	}
	return wrap(strings.Join(out, "\n"))
}

// readLine reads a line.
func (f *form) readLine(value any) reading {
	got := f.readText(value)
	if got.slip != "" {
		return got
	}
	rest, ok := cutSign(got.text)
	switch named, found := f.named(rest); {
	case !ok && found:
		return reading{slip: words.T("Nothing was sent. If that is your answer, type %s", sign+question.Line(rest))}
	case !ok:
		got := reading{slip: words.T("Nothing was sent: an answer begins with %s", sign)}
		if !blank(rest) && f.asks.TakesText() && f.written(rest).slip == "" {
			got.kept = rest
		}
		return got
	case blank(rest) && f.kept != "":
		return f.written(f.kept)
	case blank(rest):
		return reading{slip: missing(words.T("your answer behind %s", sign))}
	case found:
		return named
	case f.asks.TakesText():
		return f.written(rest)
	}
	return reading{slip: notOffered()}
}

// keptRows are how many rows of a kept text are shown at most.
const keptRows = 3

// offer says how to send a text that was typed without the sign.
func offer(kept string) string {
	text := ansi.Truncate(question.Line(kept), keptRows*rowWidth, "…")
	return wrap(words.T("To send this, type %[1]s and press Enter: %[2]s", sign, text))
}

// cutSign returns what is behind the sign, and whether the line begins with it, once
// and with no blank behind it. Some input methods write a wide one.
func cutSign(line string) (rest string, ok bool) {
	const signs = sign + "＝"
	rest = strings.TrimLeft(line, signs+" ")
	before := []rune(line[:len(line)-len(rest)])
	return strings.TrimSpace(rest), len(before) == 1 && strings.ContainsRune(signs, before[0])
}

// named reads a text that names a row, or several where these can be chosen.
func (f *form) named(text string) (got reading, ok bool) {
	if e := f.row(text); e != nil {
		got.choose(*e)
		return got, true
	}
	if !f.several {
		return reading{}, false
	}
	for _, part := range parts(text) {
		e := f.row(part)
		if e == nil {
			return reading{}, false
		}
		got.choose(*e)
	}
	return got, len(got.rows) > 0
}

// written reads a text in the user's own words, in a choice of several behind the rows
// that it names first. A number that names no row is a slip.
func (f *form) written(text string) (got reading) {
	for i := 0; f.several && i >= 0; {
		if i = strings.IndexAny(text, commas); i >= 0 {
			e := f.row(strings.TrimSpace(text[:i]))
			if e == nil {
				break
			}
			got.choose(*e)
			text = strings.TrimLeft(text[i:], commas+" ")
		}
	}
	if _, err := strconv.Atoi(text); f.asks.Chooses() && (err == nil || strings.Trim(text, "."+commas) == "") {
		return reading{slip: notOffered()}
	}
	got.text = text
	return got
}

// commas separate the rows of a choice of several.
const commas = ",，、"

func parts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || strings.ContainsRune(commas, r) })
}

// row is the row that a text names, by its word or its label: as it is, or else in another case.
func (f *form) row(text string) *entry {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i := range f.entries {
			e := &f.entries[i]
			offered := e.row >= 0 && f.asks.Choices()[e.row].Offered()
			if e.word != "..." && same(e.word, text) || offered && same(e.Value, text) {
				return e
			}
		}
	}
	return nil
}
