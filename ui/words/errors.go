package words

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/desk"
)

// Error is the text of an error for people. Errors in it whose texts are in the
// catalogue are translated; the others, such as those of the system, are not.
func (l Language) Error(err error) string {
	text := err.Error()
	if l == English {
		return text
	}
	if closed, ok := errors.AsType[*desk.ClosedError](err); ok {
		text = strings.Replace(text, closed.Error(), strings.TrimSuffix(l.T("Already %s.", l.Outcome(&closed.Outcome)), l.T(".")), 1)
	}
	return l.translate(err, text)
}

// withErrors is [Language.T], and translates errors among args.
func (l Language) withErrors(text string, args ...any) string {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = l.Error(err)
		}
	}
	return l.T(text, args...)
}

// translate replaces in text the texts of the errors that err is made of.
func (l Language) translate(err error, text string) string {
	switch e := err.(type) { //nolint:errorlint // it looks at each of them
	case interface {
		In(say func(format string, args ...any) string) string
	}:
		text = strings.Replace(text, err.Error(), e.In(l.withErrors), 1)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			text = l.translate(err, text)
		}
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return l.translate(inner, text)
		}
	default:
		text = strings.Replace(text, err.Error(), l.T(err.Error()), 1)
	}
	return text
}
