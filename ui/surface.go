// Package ui says what a surface is and chooses among surfaces. It imports
// desk and question. It knows no particular surface, and no surface knows
// another.
package ui

import (
	"context"
	"errors"
	"fmt"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Surface is one way to show a record to a human and get a reply.
type Surface interface {
	// Name is the surface's word on the command line, in records and results.
	Name() string

	// Show puts the record in front of the human and stays until the human
	// has replied, the context ends, or it turns out that nobody can be
	// reached here.
	//
	// What the human does goes to commit; only after commit returned nil may
	// the surface say that it was sent. Show then returns nil. An end that no
	// human caused (end of input, a hangup, a closed window, a host that
	// declines by itself) is never committed.
	//
	// When the context ends the surface withdraws the question within 250 ms,
	// leaves everything as it found it, and returns the context's cause. A
	// *desk.ClosedError as that cause says who was first: the surface tells
	// the human.
	//
	// An error that wraps ErrUnavailable means that the human was not reached
	// here and nothing was answered; the next surface may be tried.
	Show(ctx context.Context, rec desk.Record, commit Commit) error
}

// Checker is a surface that can tell whether it could reach the human now,
// without showing them anything.
type Checker interface {
	// Check returns nil, or an error that wraps ErrUnavailable and says why not.
	Check(ctx context.Context) error
}

// Commit puts the human's reply on disk. A nil return means that the reply is
// safe whatever dies next. A question.Violations says what the human must
// change; a *desk.ClosedError that somebody else was first; any other error
// that the store failed, in which case trying again is reasonable and nothing
// the human typed may be thrown away.
type Commit func(question.Reply) error

// ErrUnavailable means that a surface cannot reach the human here and now.
var ErrUnavailable = errors.New("surface unavailable")

// ErrInterrupted means that the human broke the surface off with Ctrl+C.
// Nothing was committed, and it is no reason to try another surface.
var ErrInterrupted = errors.New("interrupted")

// ErrCallEnded means that a surface could be reached through one call alone, and
// that call has ended with the question still open. Another call that waits
// may have a way of its own.
var ErrCallEnded = errors.New("the call that showed the question has ended")

// Unavailablef returns an error that wraps ErrUnavailable and says why, as a
// clause: "no controlling terminal".
func Unavailablef(format string, args ...any) error {
	return &unavailable{format, args}
}

type unavailable struct {
	format string
	args   []any
}

func (e *unavailable) Error() string        { return e.In(fmt.Sprintf) }
func (e *unavailable) Is(target error) bool { return target == ErrUnavailable }

// In is what the error says, as say puts it.
func (e *unavailable) In(say func(format string, args ...any) string) string {
	return say(e.format, e.args...)
}

// Evidence returns what a reply that a surface has committed proves of its answerer;
// asked means that this process asked the question too. A surface that is not
// listed proves nothing.
func Evidence(surface string, asked bool) desk.Evidence {
	how := map[string]desk.How{
		"elicit": desk.HowClientForm, "tty": desk.HowTerminal, "plain": desk.HowTerminal, "pane": desk.HowTerminal,
	}
	return desk.Evidence{Surface: surface, How: how[surface], Asked: asked}
}
