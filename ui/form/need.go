package form

import (
	"errors"
	"strings"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// inWords says to the user what is wrong with an answer; empty for a key that leads
// nowhere.
func (f *Form) inWords(err error) string {
	faults, refused := errors.AsType[question.Violations](err)
	switch {
	case errors.Is(err, answer.ErrUntouched):
		return words.T("Enter alone answers nothing: %s", need(f.set.Current()))
	case errors.Is(err, answer.ErrRequired), errors.Is(err, answer.ErrNoWords):
		return words.T("This question needs an answer: %s", need(f.set.Current()))
	case errors.Is(err, answer.ErrUnconfirmed):
		return words.T("This answer is not confirmed yet: enter confirms it.")
	case refused:
		return words.Local.AnswerFaults(faults)
	}
	return ""
}

// need says how to give the answer that is missing.
func need(s *answer.Question) string {
	switch {
	case !s.Chooses() && s.Untouched() && strings.TrimSpace(s.Typed()) != "":
		return words.T("press an arrow key to keep this text, then enter.")
	case !s.Chooses() && s.Untouched() && !s.Required:
		return words.T("type a text, or press an arrow key to skip it; then enter.")
	case !s.Chooses():
		return words.T("type one, then press enter.")
	case s.Confirms() && s.Required:
		return words.T("press y or n, then enter.")
	case s.Confirms():
		return words.T("press y or n, or s to skip it, then enter.")
	case s.Several() && s.Untouched() && s.Marks():
		return words.T("press an arrow key or a number first.")
	case s.Several():
		return words.T("space marks an option.")
	}
	return words.T("press an arrow key or a number, then enter.")
}
