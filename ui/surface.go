// Package ui defines surfaces: the ways to show a question to the user; and decides
// whether a process has a desktop in front of its user. It imports desk and question. It
// knows no particular surface, and no surface knows another.
package ui

import (
	"context"
	"errors"
	"fmt"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Surface is one way to show a record to the user and to get a reply.
type Surface interface {
	// Name is the surface's word on the command line, in records and results.
	Name() string

	// Show shows the record until the user has replied, the context ends, or the
	// user turns out to be unreachable here.
	//
	// The surface passes the user's reply to commit. Only after commit has returned
	// nil may it say that the reply was sent; Show then returns nil. An end that the
	// user did not cause (end of input, a hangup, a closed window, a host that
	// declines by itself) is never committed.
	//
	// When the context ends, the surface withdraws the question within 250 ms,
	// restores everything that it has changed, and returns the context's cause. If
	// that is a *desk.ClosedError, the surface tells the user who was first.
	//
	// An error that wraps ErrUnavailable means that the user was not reached here
	// and nothing was answered; the next surface may be tried.
	Show(ctx context.Context, rec desk.Record, commit Commit) error
}

// Checker is a surface that can tell whether it could reach the user now, without
// showing anything.
type Checker interface {
	// Check returns nil, or an error that wraps ErrUnavailable and says why not.
	Check(ctx context.Context) error
}

// Commit stores the user's reply. After it has returned nil, the reply survives a
// crash. A question.Violations names what the user must change; a
// *desk.ClosedError means that the record has ended before; any other error means
// that the store failed: the surface keeps what the user typed, and may try again.
type Commit func(question.Reply) error

// ErrUnavailable means that a surface cannot reach the user here and now.
var ErrUnavailable = errors.New("surface unavailable")

// ErrInterrupted means that the user ended the surface with Ctrl+C. Nothing was
// committed, and no other surface is tried.
var ErrInterrupted = errors.New("interrupted")

// ErrCallEnded means that a surface depended on one call, which has ended with the
// question still open. Another call that waits may have its own surfaces.
var ErrCallEnded = errors.New("the call that showed the question has ended")

// Unavailablef returns an error that wraps ErrUnavailable. The text is the reason, as
// a clause: "no controlling terminal".
func Unavailablef(format string, args ...any) error {
	return unavailable(fmt.Sprintf(format, args...))
}

type unavailable string

func (e unavailable) Error() string        { return string(e) }
func (e unavailable) Is(target error) bool { return target == ErrUnavailable }

// Evidence returns the evidence of a reply that was committed on a surface; asked
// means that this process asked the question too. A surface that is not listed
// proves nothing.
func Evidence(surface string, asked bool) desk.Evidence {
	how := map[string]desk.How{
		"elicit": desk.HowClientForm, "tty": desk.HowTerminal, "plain": desk.HowTerminal, "pane": desk.HowTerminal,
	}
	return desk.Evidence{Surface: surface, How: how[surface], Asked: asked}
}
