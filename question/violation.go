package question

import (
	"fmt"
	"strings"
)

// Violation is one fault of an input, and where it is.
type Violation struct {
	Path    string `json:"path"` // like questions[0].options
	Message string `json:"message"`
}

// Violations is every fault of one input. As an error it is non-empty.
type Violations []Violation

// Add notes a fault.
func (v *Violations) Add(path, format string, args ...any) {
	*v = append(*v, Violation{path, fmt.Sprintf(format, args...)})
}

// Error lists every violation, one to a line (A4).
func (v Violations) Error() string {
	var b strings.Builder
	b.WriteString("Validation failed")
	for _, x := range v {
		b.WriteString("\n- " + x.String())
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
