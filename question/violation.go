package question

import (
	"fmt"
	"strings"
)

// Violation is one fault of an input, and where it is.
type Violation struct {
	Path    string `json:"path"` // like questions[0].options
	Message string `json:"message"`
	text    string // of the message, to be filled with args; empty where no catalogue has it
	args    []any
}

// Violations is every fault of one input, up to [MaxViolations]. As an error it
// is non-empty.
type Violations []Violation //nolint:errname // a list first: of what was found

// MaxViolations is how many faults are reported at once.
const MaxViolations = 50

// Add notes a fault, in words for programs.
func (v *Violations) Add(path, format string, args ...any) {
	if len(*v) < MaxViolations {
		*v = append(*v, Violation{Path: path, Message: Shorten(fmt.Sprintf(format, args...), 1000)})
	}
}

// AddTranslated notes a fault that people read too, after the question or "this
// answer". The catalogues of ui/words have its text.
func (v *Violations) AddTranslated(path, text string, args ...any) {
	if n := len(*v); n < MaxViolations {
		v.Add(path, text, args...)
		(*v)[n].text, (*v)[n].args = text, args
	}
}

// In returns the message as say translates it, which takes an English format and its
// arguments.
func (v Violation) In(say func(text string, args ...any) string) string {
	if v.text == "" {
		return v.Message
	}
	return Shorten(say(v.text, v.args...), 1000)
}

// Error lists every violation, one to a line.
func (v Violations) Error() string {
	var b strings.Builder
	b.WriteString("Validation failed")
	for _, x := range v {
		b.WriteString("\n- " + x.String())
	}
	if len(v) >= MaxViolations {
		b.WriteString("\n- and perhaps more")
	}
	return b.String()
}

func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// Err returns v as an error, or nil when there is no violation.
func (v Violations) Err() error {
	if len(v) == 0 {
		return nil
	}
	return v
}
