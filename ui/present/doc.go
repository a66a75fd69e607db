// Package present owns the questions that are open in this process. Each call
// that asks a question, returns for one or shows one gets a [Waiter] at the one
// [Presentation] of its record. The presentation has the surfaces, the clock,
// the attendance and the one wait on the desk. It hands the end of the record to
// every waiter, keeps the form that a client takes away and brings back, and
// repeats what the store does not take: with a full disk a call waits.
//
// # States
//
// A presentation is in one of six states, and [state.next] has all
// transitions between them.
//
//	idle       no surface shows the record
//	showing    surfaces are being tried, or one shows the record
//	sending    a surface is storing the user's reply
//	settling   the surfaces have returned, and what follows is being stored
//	contested  the record has ended, and a surface is still sending
//	ended      the record has ended, or is lost
//
// The usual course is idle, showing, sending, ended. The first four states are
// open: calls may join. Once the record has ended, no transition opens it again.
//
// # Rules
//
//   - One lock, Presenter.mu, guards the presenter, its presentations, their
//     waiters and forms. It is never held during a call to the desk, a surface
//     or a function of a caller.
//   - A presentation has two goroutines while its record is open: one waits on
//     the desk, one runs the surfaces. Both end with the record or the presenter.
//   - The end withdraws the surfaces, except one that is sending: if its reply is
//     the outcome, it may finish on its own.
//   - Forms give up their places before the end is announced. A call that asks
//     the same question afterwards finds the record unattended, with its outcome.
//
// The package may import ui, desk and question. It must not know any particular
// surface, any protocol, or the form of a result.
package present
