package tty

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/width"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// command is a line that is no answer. Each may be written behind a colon, and must be where
// the line could be an answer.
type command string

const (
	goBack    command = "b"
	dismiss   command = "x"
	help      command = "?"
	leaveOpen command = "-"
	note      command = "n"
	discuss   command = "d"
	recall    command = "="
	delegate  command = "a"
)

const commands = string(goBack + dismiss + help + leaveOpen + note + discuss + recall + delegate)

// reading is a line that was read as the answer to a question: a command, a fault, or an
// answer.
type reading struct {
	command  command
	fault    string   // a sentence
	selected []string // ids of options
	other    bool     // an answer in own words follows, perhaps beside the options
	custom   string   // the answer to a text question
}

// parseLine reads a line that is not empty as the answer to q.
func parseLine(q *question.Question, line string) reading {
	typed := width.Fold.String(line)
	does, colon := parseCommand(typed)
	switch {
	case colon:
		return reading{command: does}
	case !q.Chooses():
		return reading{custom: line}
	case q.Confirms():
		o := q.Named(line) // in the language of the user
		if o == nil {
			o = q.Option(yesOrNo(typed))
		}
		if o != nil {
			return reading{selected: []string{o.ID}}
		}
	}
	switch {
	case does != "":
		return reading{command: does}
	case q.Confirms():
		return reading{fault: words.T("%s is no option. Enter y or n alone; :n adds a note to the agent.", quoted(line))}
	}
	return parseNumbers(q, typed)
}

// parseCommand reads a command, empty for none, and reports whether it was written behind a
// colon.
func parseCommand(line string) (does command, colon bool) {
	word, colon := strings.CutPrefix(strings.ToLower(line), ":")
	if len(word) != 1 || !strings.Contains(commands, word) {
		return "", false
	}
	return command(word), colon
}

// parseNumbers reads options by their numbers, with commas or blanks between them; 0 is an
// answer in own words.
func parseNumbers(q *question.Question, line string) (all reading) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == '、' || r == ' ' }) {
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

// number reads the number of an option; that of an answer in own words has a name, too.
func number(word string) (int, bool) {
	if strings.EqualFold(word, "other") {
		return 0, true
	}
	n, err := strconv.ParseUint(word, 10, 31)
	return int(n), err == nil
}
