package tty

import (
	"slices"
	"strconv"
	"strings"

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
	history   command = "h"
	note      command = "n"
	discuss   command = "d"
	lift      command = "l" // only behind a colon
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
	"l": lift,
}

// bareCommand reads a command without its colon. At a text question some are text.
func bareCommand(line string, text bool) (command, bool) {
	c, ok := commands[strings.ToLower(line)]
	switch {
	case c == lift:
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
	custom   string   // the answer to a text question
}

// parseLine reads a line that is not empty as the answer to q.
func parseLine(q *question.Question, line string) reading {
	word, colon := strings.CutPrefix(strings.ToLower(line), ":")
	if colon && commands[word] != "" { // even where it is an answer
		return reading{command: commands[word]}
	}
	if !q.Chooses() {
		return parseText(line)
	}
	line = strings.Map(halfWidth, line)
	if q.Confirms() {
		o := q.Named(line) // in the language of the user
		if o == nil {
			o = q.Option(yesOrNo(line))
		}
		if o != nil {
			return reading{selected: []string{o.ID}}
		}
	}
	c, ok := bareCommand(line, false)
	if ok {
		return reading{command: c}
	}
	n, ok := strings.CutPrefix(strings.ToLower(line), string(preview))
	if i, is := number(strings.TrimSpace(n)); ok && is && i >= 1 && i <= len(q.Options) && q.Options[i-1].Preview != "" {
		return reading{command: preview, option: i - 1}
	}
	if q.Confirms() {
		return reading{fault: words.T("%s is no option. Enter y or n alone; :n adds a note to the agent.", quoted(line))}
	}
	return parseNumbers(q, line)
}

func parseText(line string) reading {
	c, ok := bareCommand(line, true)
	if ok {
		return reading{command: c}
	}
	if len(line) > 2 && line[0] == '"' && line[len(line)-1] == '"' {
		inner := line[1 : len(line)-1]
		_, ok = bareCommand(inner, true)
		if ok {
			return reading{custom: inner}
		}
	}
	return reading{custom: line}
}

// parseNumbers reads options by their numbers, with commas or blanks between them; 0 is an
// answer in own words.
func parseNumbers(q *question.Question, line string) (all reading) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, ok := number(word)
		switch {
		case !ok || n > len(q.Options) || n == 0 && !q.AllowCustom:
			return reading{fault: words.T("%[1]s is no option. %[2]s", quoted(word), instruction(q))}
		case n == 0:
			all.other = true
		case !slices.Contains(all.selected, q.Options[n-1].ID):
			all.selected = append(all.selected, q.Options[n-1].ID)
		}
	}
	chosen := len(all.selected)
	switch {
	case chosen == 0 && !all.other:
		return reading{fault: words.T("That names no option. %s", instruction(q))}
	case !q.Several() && (chosen > 1 || chosen == 1 && all.other):
		return reading{fault: words.T("Only one answer can be given here. %s", instruction(q))}
	}
	return all
}

// quoted is what was typed, as an error shows it.
func quoted(typed string) string { return question.Shorten(question.Line(typed), 40) }

// yesOrNo is question.YesOrNo, and takes the prompt's letter for yes.
func yesOrNo(word string) string {
	if strings.EqualFold(word, words.T("y")) {
		return question.YesID
	}
	return question.YesOrNo(word)
}

func number(word string) (int, bool) {
	n, err := strconv.ParseUint(word, 10, 31)
	return int(n), err == nil
}

// halfWidth maps the wide digits, commas and blanks of East Asian keyboards to those of ASCII.
func halfWidth(r rune) rune {
	switch {
	case r >= '０' && r <= '９':
		return r - '０' + '0'
	case r == '，' || r == '、':
		return ','
	case r == '\u3000':
		return ' '
	}
	return r
}
