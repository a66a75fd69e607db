package question

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits are the sizes a set must keep (A5). Characters are what a reader
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

// DefaultLimits are the limits of A5, all of them enforced.
func DefaultLimits() Limits {
	return Limits{Questions: 4, Options: 4, Question: 500, Header: 12, Label: 50, Description: 200}
}

// LimitsFrom returns the default limits as moved by the environment (A7). The
// error names every variable whose value is no positive whole number.
func LimitsFrom(getenv func(string) string) (Limits, error) {
	l := DefaultLimits()
	var faults []string
	for _, v := range []struct {
		name string
		to   *int
	}{
		{"ASK_MAX_QUESTIONS", &l.Questions},
		{"ASK_MAX_OPTIONS", &l.Options},
		{"ASK_HEADER_MAX_LENGTH", &l.Header},
		{"ASK_QUESTION_MAX_LENGTH", &l.Question},
	} {
		s := strings.TrimSpace(getenv(v.name))
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		least := 1
		if v.to == &l.Options {
			least = MinOptions
		}
		if err != nil || n < least {
			faults = append(faults, fmt.Sprintf("%s is %q; it takes a whole number, %d or more", v.name, s, least))
			continue
		}
		*v.to = n
	}
	if faults != nil {
		return Limits{}, fmt.Errorf("bad environment: %s", strings.Join(faults, "; "))
	}
	return l, nil
}
