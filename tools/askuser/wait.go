package askuser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
)

// wait stays with a record until it has ended, or the call must return: with a
// form for the client, with a ticket when the host will not wait longer, or
// with nothing when the client has gone. Only a call that asked may end the
// record for want of a surface; one that came back for it may not.
func (t *Tools) wait(ctx context.Context, c caller, rec desk.Record, shown *showing, asked bool) (*mcp.CallToolResult, error) {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	depart := func() { t.depart(shown) }
	defer func() { depart() }()
	collect := func(over desk.Record) (*mcp.CallToolResult, error) {
		result := t.collect(c, over, depart)
		depart = func() {} // once it is delivered
		return result, nil
	}
	ended := make(chan desk.Record, 1)
	failed := make(chan error, 1)
	go func() {
		over, err := t.Desk.Wait(waiting, rec.ID)
		if err != nil {
			failed <- err
			return
		}
		ended <- over
	}()

	start := time.Now()
	tick := time.NewTicker(t.Tick)
	defer tick.Stop()
	hold := time.NewTimer(t.hold(c, shown))
	defer hold.Stop()
	gone := shown.Done()
	var forms chan *form // of a client of the newer era; others get requests
	if c.Modern && c.forms {
		forms = shown.trip.out
	}
	t.progress(ctx, c, rec, shown, start)
	for {
		select {
		case over := <-ended:
			return collect(over)
		case f := <-forms:
			if result := shown.trip.hand(f, rec.ID, asked); result != nil {
				depart = func() {} // the form waits in the call's place; see resume
				return result, nil
			}
		case <-gone:
			gone = nil
			switch over, err := t.unshown(ctx, rec, shown, asked); {
			case err != nil:
				return t.failed(ctx, rec.ID, fmt.Errorf("closing: %w", err)), nil
			case over.Outcome != nil:
				return collect(over)
			}
		case <-tick.C:
			t.progress(ctx, c, rec, shown, start)
		case <-hold.C:
			if left := t.hold(c, shown) - time.Since(start); left > 0 {
				hold.Reset(left) // an open form holds off the host's limit
				continue
			}
			t.Log.InfoContext(ctx, "handing out the ticket", "id", rec.ID, "after", time.Since(start).Round(time.Second))
			return toolResult(wire.NewResult(rec)), nil
		case <-ctx.Done():
			t.left(ctx, rec)
			return nil, context.Cause(ctx)
		case err := <-failed:
			if ctx.Err() != nil {
				continue // its own case says what to do
			}
			return t.failed(ctx, rec.ID, fmt.Errorf("waiting: %w", err)), nil
		}
	}
}

// hold is how long a call of this caller may wait as things are.
func (t *Tools) hold(c caller, shown *showing) time.Duration {
	if t.Hold > 0 {
		return t.Hold
	}
	return c.holds(shown.Surface() == "elicit" && !c.Modern, c.progress != nil)
}

// unshown deals with a record that no surface shows any more. It returns a
// record without outcome where that is not its end: its waiter says how it
// ended, or somebody may still answer it from elsewhere.
func (t *Tools) unshown(ctx context.Context, rec desk.Record, shown *showing, asked bool) (over desk.Record, err error) {
	why := shown.Err()
	if why == nil || ctx.Err() != nil {
		return desk.Record{}, nil
	}
	t.Log.WarnContext(ctx, "no surface shows the question", "id", rec.ID, "error", why)
	switch {
	case errors.Is(why, ui.ErrInterrupted): // the human's own word, though no answer
		over, err = t.Desk.Reply(ctx, rec.ID, question.Reply{Dismissed: true}, shown.Surface())
	case errors.Is(why, ui.ErrUnavailable) && !asked:
		return desk.Record{}, nil
	case errors.Is(why, ui.ErrUnavailable):
		over, err = t.Desk.Close(ctx, rec.ID, desk.Outcome{Status: desk.Unavailable, Reason: why.Error()})
	default:
		over, err = t.Desk.Close(ctx, rec.ID, desk.Outcome{Status: desk.Failed, Reason: why.Error()})
	}
	var closed *desk.ClosedError
	if errors.As(err, &closed) {
		err = nil
	}
	return over, err
}

// left deals with a record whose call the client has ended. A client that gave
// up waiting, or is gone, leaves it open: the answer is kept for when it asks
// again. One that withdrew the question closes it.
func (t *Tools) left(ctx context.Context, rec desk.Record) {
	var cancelled *Cancelled
	if !errors.As(context.Cause(ctx), &cancelled) || gaveUp(cancelled.Reason) {
		t.Log.InfoContext(ctx, "nobody waits for the answer any more; it will be kept", "id", rec.ID, "cause", context.Cause(ctx))
		return
	}
	_, err := t.Desk.Close(ctx, rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: cancelled.Error()})
	var closed *desk.ClosedError
	switch {
	case err == nil:
		t.background.Go(func() { t.putAway(rec.ID) })
	case !errors.As(err, &closed):
		t.Log.ErrorContext(ctx, "withdrawing failed", "id", rec.ID, "error", err)
	}
}

// progress tells the client what is asked and where to answer: hosts show it
// to the user, and some extend their limit.
func (t *Tools) progress(ctx context.Context, c caller, rec desk.Record, shown *showing, start time.Time) {
	text := question.Shorten(question.Line(rec.Questions[0].Text), 80)
	if n := len(rec.Questions); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	message := fmt.Sprintf("Waiting for your answer%s: %s", shown.where(), text)
	if err := c.tell(time.Since(start), message); err != nil {
		t.Log.InfoContext(ctx, "no progress message", "id", rec.ID, "error", err)
	}
}

// where says in words where the record is shown.
func (s *showing) where() string {
	switch surface := s.Surface(); surface {
	case "":
		return ""
	case "elicit":
		return " in the form"
	case "tty", "plain":
		return " in the terminal"
	case "pane":
		return " in the pane"
	case "inbox":
		return " in the inbox (run: mcp-askuser inbox)"
	case "web":
		if address := s.address.Load(); address != nil {
			return " on the page " + *address
		}
		return " in the browser"
	default:
		return " in " + surface
	}
}
