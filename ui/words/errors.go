package words

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/desk"
)

// Error is what an error says to people. Errors in it whose texts are in the
// catalogue are said in the language, the others, such as those of the system,
// as they are.
func (l Language) Error(err error) string {
	text := err.Error()
	if l == English {
		return text
	}
	if closed, ok := errors.AsType[*desk.ClosedError](err); ok {
		text = strings.Replace(text, closed.Error(), strings.TrimSuffix(l.T("Already %s.", l.Outcome(&closed.Outcome)), l.T(".")), 1)
	}
	return l.leaves(err, text)
}

// said is [Language.T] with errors among args, which it says in the language.
func (l Language) said(text string, args ...any) string {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = l.Error(err)
		}
	}
	return l.T(text, args...)
}

// leaves puts into text what the errors that err is made of say.
func (l Language) leaves(err error, text string) string {
	switch e := err.(type) { //nolint:errorlint // it looks at each of them
	case interface {
		In(say func(format string, args ...any) string) string
	}:
		text = strings.Replace(text, err.Error(), e.In(l.said), 1)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			text = l.leaves(err, text)
		}
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return l.leaves(inner, text)
		}
	default:
		text = strings.Replace(text, err.Error(), l.T(err.Error()), 1)
	}
	return text
}
