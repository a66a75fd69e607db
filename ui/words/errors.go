package words

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/desk"
)

// What rooms that do not know this one say in errors, for the catalogues.
var _ = [...]string{
	Mark("no such question"), Mark("fits more than one question"), Mark("the question is still open"),
	Mark("somebody else waits for the answer"), Mark("no such session"), Mark("is a session of another client or project"),
	Mark("this cannot be asked again"), Mark("it is not certain yet whether this was stored"), Mark("damaged document in the store (mend it, or move it away)"),
	Mark("the desk does not answer"), Mark("this credential does not permit it"), Mark("the desk was made by an earlier version of this program"),
	Mark("the question was lost while it waited: its store was removed, or cannot be read any more"), Mark("the store cannot be read"),
	Mark("only the user can answer this: in a terminal of their own, in the inbox, on the page, on the phone, or through a front end that they have enrolled (mcp-askuser token add NAME --answers)"),
	Mark("not sent yet: the desk does not answer; the answer is kept here, and sent as soon as it does"),
	Mark("no such template"), Mark("there is a token of this name"), Mark("there is no token of this name"), Mark("remove it and add the token again"),
	Mark("no surface to ask on"),
	Mark("this is no JSON object, and was not changed"), Mark("this is not JSON, and was not changed"), Mark("this is not TOML, and was not changed"),
	Mark("this is not YAML, and was not changed"), Mark("this is no YAML mapping, and was not changed"), Mark("this is no list, and was not changed"),
	Mark("this stands there twice, and was not changed"), Mark("this has line ends that we do not know, and was not changed"),
	Mark("this is not written line by line, and was not changed"), Mark("this cannot be changed safely, and was not changed"),
	Mark("something else in this would change with it, so it was not changed"), Mark("this holds several YAML documents, and was not changed"),
	Mark("this is no regular file, and was not read"),
	Mark("this has changed in this moment, and was not written; try again"), Mark("this is not ours, and was not changed"),
	Mark("listening beyond this machine needs TLS"),
	Mark("a name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit"),
}

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
