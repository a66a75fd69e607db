package question

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Limits are the sizes a set must keep. Characters are what a reader
// counts; see [Count].
type Limits struct {
	Questions   int // most questions in a set, and below one option
	Options     int // most options of a question; the least is MinOptions
	Question    int // most characters of a question
	Header      int // most characters of a header
	Label       int // most characters of an option's label
	Description int // most characters of an option's description
	// Lenient accepts longer headers, labels and descriptions: they are kept
	// whole and shown shortened. Agents lose whole turns to refusals over them.
	Lenient bool
}

// MinOptions is the least number of options of a choice.
const MinOptions = 2

// DefaultLimits are the limits where none are named, all of them enforced.
func DefaultLimits() Limits {
	return Limits{Questions: 4, Options: 4, Question: 500, Header: 12, Label: 50, Description: 200}
}

// Limits of every set, also where Limits are lenient: they bound the time that a surface
// takes to show it.
const (
	maxLabel       = 500 // and a header
	maxDescription = 10_000
	maxPlaceholder = 500
	maxPreview     = 20_000
	maxID          = 200
	maxLines       = 1_000
	maxMarks       = 32 // code points that make one character
	maxNesting     = 32 // quotations and lists in one another
)

// limit reports a text of more characters than its limit.
func (v *Violations) limit(path string, chars, limit int) {
	if chars > limit {
		v.AddTranslated(path, "must be at most %d characters long, is %d", limit, chars)
	}
}

// Questions reports that there are n questions, and what to do where these are too many.
func (v *Violations) Questions(path string, n int, l Limits) {
	advice := ""
	if n > l.Questions {
		advice = ": ask the others in another call"
	}
	v.Add(path, "must have 1 to %d questions, has %d%s", l.Questions, n, advice)
}

// Options reports that a question has n options, and what to do instead.
func (v *Violations) Options(path string, n int, l Limits) {
	advice := ": without options the answer is free text"
	if n > l.Options {
		advice = fmt.Sprintf(": offer the %d that differ most, as the user can also write an answer, or ask two questions",
			l.Options)
	}
	v.Add(path, "must have %d to %d options, has %d%s", MinOptions, l.Options, n, advice)
}

// text reports a text of the asker's that exceeds a number of characters, or the
// limits of every text.
func (v *Violations) text(path, text string, limit int) {
	chars, marks := measure(text)
	switch n := strings.Count(text, "\n") + 1; {
	case chars > limit:
		v.limit(path, chars, limit)
	case n > maxLines:
		v.Add(path, "must be at most %d lines long, is %d", maxLines, n)
	case marks > maxMarks:
		v.Add(path, "may combine at most %d code points to one character, combines %d", maxMarks, marks)
	}
}

// markdown is text for texts that are shown as Markdown.
func (v *Violations) markdown(path, text string, limit int) {
	faults := len(*v)
	if v.text(path, text, limit); len(*v) > faults {
		return
	}
	for line := range strings.Lines(text) {
		if n := nesting(line); n > maxNesting {
			v.Add(path, "may nest quotations and lists at most %d levels deep, nests %d", maxNesting, n)
			return
		}
	}
}

// nesting counts the marks of quotations and list items that a line begins with.
func nesting(line string) (n int) {
	for {
		line = strings.TrimLeft(line, " \t0123456789")
		switch {
		case strings.HasPrefix(line, ">"):
		case len(line) > 1 && strings.IndexByte("-*+.)", line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t'):
		default:
			return n
		}
		n, line = n+1, line[1:]
	}
}

// measure counts the characters of a text as a reader does, and the code points
// of the one with the most.
func measure(s string) (chars, marks int) {
	for ; s != ""; chars++ {
		var cluster string
		cluster, s, _, _ = uniseg.FirstGraphemeClusterInString(s, -1)
		marks = max(marks, utf8.RuneCountInString(cluster))
	}
	return chars, marks
}
