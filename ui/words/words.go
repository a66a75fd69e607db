// Package words has the texts for people that more than one room needs: the asker of
// a record, its outcome, ages and deadlines. It also has the language of all texts
// for people. Texts in the code are English and are passed to T, N or Mark; their
// translations are in locale/LANGUAGE/ROOM.po, and a test in cmd/mcp-askuser names
// those that are missing. Texts from outside are returned safe to show on one line,
// unless a function says otherwise.
//
// It may import desk and question. It must not know any surface, nor how
// anything is drawn. Texts for the model are in tools/askuser/texts, shapes
// for programs in ui/api.
package words

import (
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Shell is the surface of what was answered by a command without a form.
const Shell = "shell"

// surfaces names each surface as the user knows it, after a verb: answered
// "in a terminal".
var surfaces = map[string]string{ //nolint:gochecknoglobals // a table, never written to
	"elicit":  Mark("in the agent's own form"),
	"tty":     Mark("in a terminal"),
	"plain":   Mark("in a terminal"),
	"pane":    Mark("in a pane"),
	"inbox":   Mark("in the inbox"),
	"web":     Mark("on the web page"),
	"ntfy":    Mark("on the phone"),
	"timeout": Mark("by the timeout"),
	Shell:     Mark("by a command"),
}

// Surface names a surface as the user knows it: "in a terminal". It is empty
// for an empty name.
func (l Language) Surface(name string) string {
	switch where, known := surfaces[name]; {
	case known:
		return l.T(where)
	case name == "":
		return ""
	case clients[name] != "": // a host's own dialog
		return l.T("in %s", l.ClientName(name))
	}
	return l.T("on %s", question.Line(name))
}

// By says where a record was ended, and by which answerer where that is not the
// user alone: "by alice on the web page", "through wall-panel", "by a program over
// HTTP". A verified proof is named too: "on the web page, signed with the passkey laptop".
func (l Language) By(o *desk.Outcome) string {
	by, signed := l.by(o), l.Signed(o)
	if signed == "" || by == "" {
		return by + signed
	}
	return l.T("%[1]s, %[2]s", by, signed)
}

// Signed names the key of a verified proof: "signed with the passkey laptop"; empty where
// there is none.
func (l Language) Signed(o *desk.Outcome) string {
	p := o.Proof.Public()
	if p == nil {
		return ""
	}
	return l.T(signatures[p.Kind], question.Line(p.Name))
}

var signatures = map[question.ProofKind]string{ //nolint:gochecknoglobals // a table, never written to
	question.PasskeyProof:    Mark("signed with the passkey %s"),
	question.CredentialProof: Mark("signed with the credential %s"),
}

func (l Language) by(o *desk.Outcome) string {
	a := o.Answerer
	if a == nil {
		return l.Surface(o.Surface)
	}
	name, where := question.Line(a.Name), l.Surface(o.Surface)
	program := a.Kind == desk.ProgramAnswerer
	switch {
	case program && a.Agents:
		return l.T("by the agent's own process")
	case program && a.How == desk.HowAPI:
		return l.T("by a program over HTTP")
	case program:
		return l.T("by a program")
	case a.How == desk.HowFrontEnd:
		return l.T("through %s", name)
	case name == "":
		return where
	case where == "":
		return l.T("by %s", name)
	case o.Surface == Shell:
		where = l.T("with a command")
	}
	return l.T("by %[1]s %[2]s", name, where)
}

// Program names, for a model, the program that replied in the user's place.
func Program(o *desk.Outcome) string {
	if o.Answerer != nil && o.Answerer.Agents {
		return "an agent's own process"
	}
	return "a program"
}

// Project is the last part of the directory that the asker works in, in either
// way of writing one; empty where it names none.
func Project(a desk.Asker) string {
	dir := strings.TrimRight(strings.ReplaceAll(a.Directory, `\`, "/"), "/")
	if dir == "" {
		return ""
	}
	return question.Line(path.Base(dir))
}

// Asker names the asker: the program, and the project it works in.
func (l Language) Asker(a desk.Asker) string {
	if p := Project(a); p != "" {
		return l.T("%[1]s in %[2]s", l.Client(a), p)
	}
	return l.Client(a)
}

// AndMore adds to the text about one thing the number of others.
func (l Language) AndMore(text string, n int) string {
	if n < 1 {
		return text
	}
	return l.N(n, "%[2]s (and %[1]d more)", "%[2]s (and %[1]d more)", text)
}

// OnOneLine lists texts from outside.
func OnOneLine(texts ...string) string {
	return question.Line(strings.Join(strings.Fields(strings.Join(texts, "; ")), " "))
}

// Status names a status as people know it: "pending", "answered".
func (l Language) Status(s desk.Status) string { return l.T(statuses[s]) }

var statuses = map[desk.Status]string{ //nolint:gochecknoglobals // a table, never written to
	desk.Pending: Mark("pending"), desk.Answered: Mark("answered"), desk.Discuss: Mark("to be discussed"),
	desk.Dismissed: Mark("dismissed"), desk.Cancelled: Mark("withdrawn"), desk.Timeout: Mark("timeout"),
	desk.Unavailable: Mark("unavailable"), desk.Failed: Mark("failed"),
}

// Outcome says how a record ended, and where: "answered in a terminal"; of an open
// one, that it is open.
func (l Language) Outcome(o *desk.Outcome) string {
	switch {
	case o == nil:
		return l.T("still open")
	case o.Refused():
		return l.T("refused, because the limit of rounds in a row was reached")
	}
	switch o.Status {
	case desk.Answered:
		return l.with(l.By(o), Mark("answered"), Mark("answered %s"))
	case desk.Dismissed:
		return l.with(l.By(o), Mark("dismissed"), Mark("dismissed %s"))
	case desk.Discuss:
		return l.with(l.By(o), Mark("put back to be discussed first"), Mark("put back to be discussed first %s"))
	case desk.Cancelled:
		return l.with(l.Surface(o.Surface), Mark("withdrawn"), Mark("withdrawn %s"))
	case desk.Timeout:
		return l.T("closed, because the time was up")
	case desk.Unavailable:
		return l.T("closed, because nobody could be reached")
	default:
		return l.with(l.By(o), Mark("failed"), Mark("failed %s"))
	}
}

// with is a text with a detail, or another text where the detail is empty.
func (l Language) with(detail, without, text string) string {
	if detail == "" {
		return l.T(without)
	}
	return l.T(text, detail)
}

// Reason is the reason why a record ended without an answer; empty where the record
// has none. Its lines stay lines. Reasons of the program itself are in records in
// English.
func (l Language) Reason(o *desk.Outcome) string {
	switch {
	case o == nil, o.Status == desk.Timeout, o.Refused(): // Outcome says it
		return ""
	case o.Reply != nil && o.Reply.Reason != ByOmission: // the user's own
		return question.Block(o.Reply.Reason)
	case o.Reply != nil:
		return l.T(ByOmission)
	}
	return l.reason(question.Block(o.Reason))
}

// reason translates a reason of the program in a record, or several with a semicolon
// between: why each surface did not reach the user.
func (l Language) reason(reason string) string {
	if whole := l.T(reason); whole != reason { // which may have a semicolon of its own
		return whole
	}
	parts := strings.Split(reason, "; ")
	for i, part := range parts {
		if name, why, ok := strings.Cut(part, ": "); ok {
			parts[i] = l.T("%[1]s: %[2]s", l.T(name), l.T(why))
		} else {
			parts[i] = l.T(part)
		}
	}
	return strings.Join(parts, "; ")
}

// Remedy returns what the user can act on of an unavailable outcome, which has a reason for
// each surface: "tty: no terminal; inbox: no inbox is open". Where an inbox is allowed, to open
// one is enough.
func (l Language) Remedy(o *desk.Outcome) string {
	if o.Tried("inbox") {
		return l.T("no inbox and no page is open; the user can open one with mcp-askuser inbox or mcp-askuser web")
	}
	return l.reason(question.Line(o.Reason))
}

// Unread says why what waits cannot be read at the moment.
func (l Language) Unread(why error) string {
	return l.T("Questions cannot be read, trying again: %s", question.Line(why.Error()))
}

// Withdrawal is one sentence for the user whose form was closed, for this cause,
// before they had answered: the first answerer, if the cause is a *desk.ClosedError,
// or else what became of the question. Nil is the cause of a form that closed by itself.
func (l Language) Withdrawal(cause error) string {
	closed, ended := errors.AsType[*desk.ClosedError](cause)
	switch {
	case ended:
	case cause == nil:
		return l.T(NothingSent)
	case errors.Is(cause, desk.ErrNotFound), errors.Is(cause, desk.ErrDamaged):
		return l.Sentence(l.T("Nothing was sent: %s", question.Line(cause.Error())))
	default:
		return l.Sentence(l.T("Nothing was sent; the question stays open: %s", question.Line(cause.Error())))
	}
	o := closed.Outcome
	reason := l.reason(question.Line(o.Reason))
	switch o.Status {
	case desk.Answered, desk.Dismissed, desk.Discuss:
		return l.T("Already %s.", l.Outcome(&o))
	case desk.Cancelled:
		return l.Sentence(l.with(reason, Mark("The agent withdrew the question"),
			Mark("The agent withdrew the question: %s")))
	case desk.Timeout:
		return l.T("The time to answer is over; the question is closed.")
	default:
		return l.Sentence(l.with(reason, Mark("The question is closed"), Mark("The question is closed: %s")))
	}
}

// Sentence ends words that may end in words from outside with a full stop,
// unless they end in one of their own.
func (l Language) Sentence(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".!?…。！？", last) {
		return s
	}
	return s + l.T(".")
}
