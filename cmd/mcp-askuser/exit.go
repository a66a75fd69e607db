package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// The exit statuses. A program that breaks exits with none of these: see
// [abortOnPanic].
const (
	exitBad         = 1   // bad input or a failure; for confirm also: no
	exitClosed      = 2   // closed without an answer
	exitNoSurface   = 3   // no user could be reached
	exitRefused     = 4   // too many rounds in a row
	exitPending     = 75  // still open; EX_TEMPFAIL of sysexits(3)
	exitTimeout     = 124 // as timeout(1)
	exitInterrupted = 130 // as a shell after Ctrl+C
	exitUnread      = 141 // as a shell reports a closed pipe, as behind head(1)
)

// exitError ends the program with a status. Err is printed; it may be nil.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprintf("exit status %d: %v", e.code, e.err) }

func (e *exitError) Unwrap() error { return e.err }

// status prints the error and returns its exit status.
func (a *app) status(err error) int {
	if err == nil {
		return 0
	}
	code := exitBad
	var exit *exitError
	var sig *signalError
	switch {
	case errors.As(err, &exit):
		code, err = exit.code, exit.err
	case errors.As(err, &sig), errors.Is(err, ui.ErrInterrupted):
		return exitInterrupted // the user knows
	case errors.Is(err, syscall.EPIPE) && errors.Is(err, a.out.err) && !errors.Is(err, errUnprinted):
		return exitUnread
	}
	if err != nil {
		fmt.Fprintln(a.err, question.Block("Error: "+err.Error()))
	}
	return code
}

func exitOf(status desk.Status) int {
	code, ok := map[desk.Status]int{
		desk.Answered: 0, desk.Timeout: exitTimeout, desk.Unavailable: exitNoSurface, desk.Failed: exitBad,
	}[status]
	if !ok {
		return exitClosed
	}
	return code
}

// endError is the error of a command whose question has ended: the exit status, and the
// reason where that does not say it.
func endError(rec desk.Record) (err error) {
	switch rec.State {
	case desk.Answered:
		return nil
	case desk.Timeout:
		err = fmt.Errorf("no answer within %s", rec.Outcome.Reason)
	case desk.Unavailable:
		if rec.Outcome.Refused() {
			return &exitError{exitRefused, errors.New(rec.Outcome.Reason)}
		}
		err = fmt.Errorf("no way to ask here; run it in a terminal of its own, or open mcp-askuser inbox or "+
			"mcp-askuser web --open first (%s)", words.English.Remedy(rec.Outcome))
	case desk.Failed:
		err = fmt.Errorf("asking failed: %s", words.English.Reason(rec.Outcome))
	case desk.Cancelled:
		if reason := words.English.Reason(rec.Outcome); reason != "" {
			err = fmt.Errorf("%[1]s: %[2]s", words.English.Status(rec.State), question.Line(reason))
		}
	default: // the status says it all
	}
	return &exitError{exitOf(rec.State), err}
}

// abortOnPanic has a panic end the program by SIGABRT, which a shell shows as 134. The
// runtime's usual status, 2, would say that the user closed the question, and no to Claude
// Code, where a hook breaks.
func abortOnPanic() { debug.SetTraceback("crash") }

// signalError is the cause of a context that a signal ended. For Ctrl+C it is a
// ui.ErrInterrupted.
type signalError struct{ os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.String() }

func (e *signalError) Is(target error) bool {
	return target == ui.ErrInterrupted && e.Signal == os.Interrupt
}

// interruptible returns a context that ends with the first signal that asks the program
// to exit. The second signal calls cleanup and exits at once. A signal that reports a fault
// asks the same where another process has sent it; a fault of this program is a panic.
func interruptible(parent context.Context, cleanup func()) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup(1) has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(signals, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP)
	go func() {
		again := false
		for s := range signals {
			if again {
				cleanup()
				os.Exit(exitInterrupted)
			}
			cancel(&signalError{s})
			again = true
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}
