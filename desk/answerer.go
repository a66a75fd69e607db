package desk

import (
	"errors"
	"slices"

	"mcp-askuser/question"
)

// AnswererKind says what gave a reply.
type AnswererKind string

// The kinds of answerers.
const (
	UserAnswerer    AnswererKind = "user"    // the user, by evidence
	ProgramAnswerer AnswererKind = "program" // a program, or no evidence of the user
	AskerAnswerer   AnswererKind = "asker"   // the asker itself: defaults after a timeout, answers that it brought along
	HostAnswerer    AnswererKind = "host"    // the asker's host, which reports what its own dialog got
)

// How is the way in which a reply reached the desk.
type How string

// The ways. Where [Desk.Answerer] finds evidence of the user in one, its comment
// says which.
const (
	HowTerminal   How = "terminal"    // a form on the controlling terminal of this process, unless an agent opened it
	HowPage       How = "page"        // a form of the page, sent with the visit's cookie, unless an agent started the page
	HowClientForm How = "client form" // the MCP client's own form
	HowPhone      How = "phone"       // a signed button of a notification
	HowFrontEnd   How = "front end"   // the token of a front end that the user enrolled
	HowHostDialog How = "host dialog" // the host says so
	HowCommand    How = "command"     // a command without a form
	HowAPI        How = "api"         // the HTTP API with the page's own token
	HowTimeout    How = "timeout"     // the declared defaults, after a timeout
	HowCollected  How = "collected"   // the asker brought every answer along
)

// Evidence is what a surface knows of how a reply reached it.
type Evidence struct {
	Surface string // the surface's word in records
	How     How
	Name    string // of the front end, with HowFrontEnd
	Asked   bool   // this process asked the question too
	Command bool   // with HowPage: a command serves the page, and not the server that asks
}

// Answerer says what gave a reply, how, and through which process.
type Answerer struct {
	Kind AnswererKind `json:"kind"`
	How  How          `json:"how"`
	// Name is the front end's or, where the store asks for a credential, that of
	// the human; empty where neither is known.
	Name     string `json:"name,omitempty"`
	PID      int    `json:"pid,omitempty"`
	Program  string `json:"program,omitempty"`
	Terminal string `json:"terminal,omitempty"` // its controlling terminal, as in /dev; empty without one
	// Agents means that the process runs below an agent's host.
	Agents bool `json:"agents_own,omitempty"`
}

// By returns the one word for an answerer that programs read beside an answer:
// user, program, front end, asker, host or timeout.
func (a *Answerer) By() string {
	switch {
	case a == nil:
		return string(UserAnswerer)
	case a.How == HowFrontEnd || a.How == HowTimeout:
		return string(a.How)
	}
	return string(a.Kind)
}

// FromProgram reports whether the reply of an outcome is a program's, and not the
// user's own.
func (o *Outcome) FromProgram() bool {
	return o != nil && o.Answerer != nil && o.Answerer.Kind == ProgramAnswerer
}

// ErrUserRequired means that a program, or an asker, has answered what only the
// user may answer. The question stays open.
var ErrUserRequired = errors.New("only the user can answer this: in a terminal of their own, in the inbox, " +
	"on the page, " +
	"on the phone, or through a front end that they have enrolled (mcp-askuser token add NAME --answers)")

// RequiresUser reports whether only the user may answer a record: a confirmation, or a
// question or permission that its host also asks in a dialog of its own.
func (rec *Record) RequiresUser() bool { return rec.Set.Confirms() || rec.Asker.Mirrored() }

// Answerer decides what gave a reply, from evidence alone: the surface, the process tree,
// the token of a front end. What a caller or a document claims is no evidence; a reply
// without evidence is a program's. See also [Desk.admit].
func (d *Desk) Answerer(from Evidence, asker Asker) *Answerer {
	a := thisProcess()
	a.Kind, a.How = ProgramAnswerer, from.How
	switch from.How {
	case HowClientForm, HowPhone:
		a.Kind = UserAnswerer
	case HowPage:
		a.Agents = from.Command && thisTree().opened(asker, false)
		if !a.Agents {
			a.Kind = UserAnswerer
		}
	case HowFrontEnd:
		a.Kind, a.Name = UserAnswerer, from.Name
	case HowTerminal:
		if a.Agents = thisTree().opened(asker, from.Asked); !a.Agents {
			a.Kind = UserAnswerer
		}
	case HowTimeout, HowCollected:
		a.Kind = AskerAnswerer
	case HowHostDialog:
		a.Kind = HostAnswerer
	case HowCommand:
		_, below := thisTree().hostAbove(asker.Process())
		a.Agents = below && a.Terminal == ""
	case HowAPI: // a program
	}
	return &a
}

// permit returns ErrUserRequired where the answerer of an outcome may not give its reply.
// A program may not answer what only the user may, though it may dismiss a
// confirmation; a host answers only its own dialog; an asker gives only what it brought
// along, and the declared defaults after a timeout. Only an asker's answers are marked so.
func (rec *Record) permit(o *Outcome) error {
	a := o.Answerer
	for _, x := range o.Reply.Answers {
		if (x.By == question.ByTimeout || x.By == question.ByCaller) != (a.Kind == AskerAnswerer) {
			return ErrUserRequired
		}
	}
	ok := false
	switch a.Kind {
	case UserAnswerer:
		ok = true
	case ProgramAnswerer:
		ok = !rec.Asker.Mirrored() && (!rec.RequiresUser() || o.Status != Answered)
	case HostAnswerer:
		ok = rec.Asker.Mirrored()
	case AskerAnswerer:
		ok = len(rec.Set.Asked(nil)) == 0
		if r, declared := rec.TimeoutReply(); declared && a.How == HowTimeout {
			ok = ok || rec.SameReply(o.Reply, &r)
		}
	}
	if !ok {
		return ErrUserRequired
	}
	return nil
}

// TimeoutReply returns the reply that the asker may give after a timeout: the declared
// defaults, where it wants them and the user need not answer. It is false where there
// is none.
func (rec *Record) TimeoutReply() (question.Reply, bool) {
	if rec.OnTimeout != OnTimeoutDefault || rec.RequiresUser() {
		return question.Reply{}, false
	}
	return rec.DefaultReply()
}

// attribute marks the answers of a reply as those of its answerer. The asker's own
// are marked already: as the defaults of a timeout.
func attribute(r *question.Reply, a *Answerer) {
	by := question.ByUser
	switch a.Kind {
	case ProgramAnswerer:
		by = question.ByProgram
	case AskerAnswerer:
		return
	case UserAnswerer, HostAnswerer:
	}
	r.Answers = slices.Clone(r.Answers)
	for i := range r.Answers {
		r.Answers[i].By = by
	}
}
