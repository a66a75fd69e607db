package tty

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// command is a line that is no answer.
type command string

const (
	goBack    command = "b"
	dismiss   command = "x"
	help      command = "?"
	leaveOpen command = "-"
	preview   command = "v" // followed by the number of an option
	find      command = "/" // followed by a text
	history   command = "h"
	note      command = "n"
	discuss   command = "d"
	editText  command = "e" // only behind a colon
	lift      command = "l" // likewise
	recall    command = "="
)

// commands are the spellings of each command, behind a colon or mostly without.
var commands = map[string]command{ //nolint:gochecknoglobals // a table, never written to
	"b": goBack, "back": goBack,
	"x": dismiss, "dismiss": dismiss,
	"?": help, "help": help,
	"-": leaveOpen, "skip": leaveOpen,
	"h": history,
	"n": note, "note": note,
	"d": discuss, "discuss": discuss,
	"=": recall,
	"e": editText,
	"l": lift,
}

// bareCommand reads a command without its colon. At a text question some are text.
func bareCommand(line string, text bool) (command, bool) {
	c, ok := commands[strings.ToLower(line)]
	switch {
	case c == editText, c == lift:
		ok = false
	case c == note, c == discuss, c == recall:
		ok = !text
	}
	return c, ok
}

// reading is a line that was read as the answer to a question: a command, a fault, or an
// answer.
type reading struct {
	command  command
	option   int      // with preview: the option's index
	fault    string   // a sentence
	selected []string // ids of options
	other    bool     // an answer in own words follows, perhaps beside the options
	custom   string   // the answer to a text question; with find: the text
}

// parseLine reads a line that is not empty as the answer to q. An ambiguous line is a fault.
func parseLine(q *question.Question, line string) reading {
	if word, colon := strings.CutPrefix(strings.ToLower(line), ":"); colon && commands[word] != "" { // even where it is an answer
		return reading{command: commands[word]}
	}
	if !q.Chooses() {
		return parseText(line)
	}
	if r, ok := parseOption(q, line); ok {
		if r.fault == "" && q.Several() && len(r.selected) == 1 && len(parseList(q, line).selected) > 1 {
			return reading{fault: words.T("That is one option and also several of them. Enter numbers.")}
		}
		return r
	}
	if c, ok := bareCommand(line, false); ok {
		return reading{command: c}
	}
	if n, ok := strings.CutPrefix(strings.ToLower(line), string(preview)); ok {
		if i, ok := number(strings.TrimSpace(n)); ok && i >= 1 && i <= len(q.Options) && q.Options[i-1].Preview != "" {
			return reading{command: preview, option: i - 1}
		}
	}
	if q.Confirms() {
		typed := question.Shorten(question.Line(line), 40)
		return reading{fault: words.T("%s is no option. Enter y or n alone; :n adds a note to the agent.", typed)}
	}
	r := parseList(q, line)
	if first, size := utf8.DecodeRuneInString(line); r.fault != "" && halfWidth(first) == '/' {
		return reading{command: find, custom: strings.TrimSpace(line[size:])}
	}
	return r
}

func parseText(line string) reading {
	if c, ok := bareCommand(line, true); ok {
		return reading{command: c}
	}
	if inner, ok := unquote(line); ok {
		if _, ok := bareCommand(inner, true); ok {
			return reading{custom: inner}
		}
	}
	return reading{custom: line}
}

// parseList reads several options, by number or name, with commas between
// them, or blanks if a part between commas names no option.
func parseList(q *question.Question, line string) reading {
	line = strings.Map(halfWidth, line)
	parts := strings.Split(line, ",")
	unknown := func(w string) bool { _, ok := parseOption(q, strings.TrimSpace(w)); return w != "" && !ok }
	if slices.ContainsFunc(parts, unknown) {
		parts = strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
	}
	var all reading
	for _, w := range parts {
		if w == "" {
			continue
		}
		r, ok := parseOption(q, strings.TrimSpace(w))
		if !ok {
			return reading{fault: noOption(q, w)}
		}
		if r.fault != "" {
			return r
		}
		all.other = all.other || r.other
		for _, id := range r.selected {
			if !slices.Contains(all.selected, id) {
				all.selected = append(all.selected, id)
			}
		}
	}
	switch chosen := len(all.selected); {
	case chosen == 0 && !all.other:
		return reading{fault: words.T("That names no option. %s", instruction(q))}
	case !q.Several() && (chosen > 1 || chosen == 1 && all.other):
		return reading{fault: words.T("Only one answer can be given here. %s", instruction(q))}
	}
	return all
}

// parseOption reads a word as one option: its number, its name, or 0 and "other" for own
// words. ok is false if it is none of them.
func parseOption(q *question.Question, word string) (r reading, ok bool) {
	plain := strings.Map(halfWidth, word)
	if n, found := strings.CutPrefix(plain, "#"); found {
		return parseNumber(q, n)
	}
	if inner, found := unquote(word); found {
		if o := q.Named(inner); o != nil {
			return reading{selected: []string{o.ID}}, true
		}
	}
	o := q.Named(word)
	if o == nil && q.Confirms() {
		o = q.Option(yesOrNo(word))
	}
	r, ok = parseNumber(q, plain)
	switch {
	case o == nil && ok:
		return r, true
	case o != nil && ok && r.fault == "" && !slices.Equal(r.selected, []string{o.ID}):
		return reading{fault: words.T("%[1]s is the number of one option and the name of another. Enter #%[2]s for the number, or %[1]q for the name.", word, plain)}, true
	case o != nil:
		return reading{selected: []string{o.ID}}, true
	case q.AllowCustom && (strings.EqualFold(word, "other") || strings.EqualFold(word, words.Local.Other(q).Label)):
		return reading{other: true}, true
	}
	return reading{}, false
}

// yesOrNo is question.YesOrNo, and takes the prompt's letter for yes.
func yesOrNo(word string) string {
	if strings.EqualFold(word, words.T("y")) {
		return question.YesID
	}
	return question.YesOrNo(word)
}

// parseNumber reads a word as the number of an option.
func parseNumber(q *question.Question, word string) (r reading, ok bool) {
	switch n, ok := number(word); {
	case !ok:
		return reading{}, false
	case n == 0 && q.AllowCustom:
		return reading{other: true}, true
	case n < 1 || n > len(q.Options):
		return reading{fault: noOption(q, word)}, true
	default:
		return reading{selected: []string{q.Options[n-1].ID}}, true
	}
}

func number(word string) (int, bool) {
	n, err := strconv.ParseUint(word, 10, 31)
	return int(n), err == nil
}

func noOption(q *question.Question, word string) string {
	return words.T("%[1]s is no option. %[2]s", question.Shorten(question.Line(word), 40), instruction(q))
}

func unquote(word string) (inner string, ok bool) {
	if len(word) < 2 || word[0] != '"' || word[len(word)-1] != '"' {
		return "", false
	}
	return word[1 : len(word)-1], true
}

// halfWidth maps the wide digits, commas, slashes and blanks of East Asian keyboards
// to those of ASCII.
func halfWidth(r rune) rune {
	switch {
	case r >= '０' && r <= '９':
		return r - '０' + '0'
	case r == '，' || r == '、':
		return ','
	case r == '／':
		return '/'
	case r == '\u3000':
		return ' '
	}
	return r
}
