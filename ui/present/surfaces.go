package present

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// unshown is the error that no surface reached the user, and why each could not.
func unshown(tried []desk.Showing) error {
	if len(tried) == 0 {
		return ui.Unavailablef("no place to ask")
	}
	parts := make([]string, len(tried))
	for i, t := range tried {
		parts[i] = t.Surface + ": " + t.Why
	}
	return ui.Unavailablef("%s", strings.Join(parts, "; "))
}

// runSurfaces runs surfaces, and then those of a call that has joined if the
// last ones were bound to a call that has ended, or none could show the record.
func (x *Presentation) runSurfaces(surfaces Surfaces) {
	for surfaces != nil {
		err := x.trySurfaces(surfaces(x))
		x.p.mu.Lock()
		surfaces, x.queued = x.queued, nil
		if surfaces != nil && (errors.Is(err, ui.ErrCallEnded) || errors.Is(err, ui.ErrUnavailable)) {
			x.p.mu.Unlock()
			continue
		}
		surfaces = nil
		e, end, from := returned, x.consequence(err), ui.Evidence(x.surface, x.owned)
		if end != nil {
			e = settle
		}
		x.on(e)
		x.unshownReason = err
		close(x.unshown)
		x.signal()
		x.p.mu.Unlock()
		if end != nil {
			x.p.Log.Info("ending a question that no surface shows", "id", x.rec.ID, "surface", from.Surface, "why", err)
			x.store(*end, from)
		}
	}
}

// consequence returns the outcome of a record whose surfaces have returned with
// err, nil if it stays open. Callers must hold p.mu.
func (x *Presentation) consequence(err error) *desk.Outcome {
	asked := x.awaitedBy(asks)
	switch {
	case err == nil, errors.Is(err, ui.ErrCallEnded),
		x.surfaceCtx.Err() != nil && errors.Is(err, context.Cause(x.surfaceCtx)):
	case errors.Is(err, ui.ErrInterrupted) && x.interrupted == desk.Dismissed: // an act of the user's, though no answer
		return &desk.Outcome{Reply: &question.Reply{Dismissed: true}}
	case errors.Is(err, ui.ErrInterrupted) && x.interrupted == desk.Cancelled:
		return &desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"}
	case errors.Is(err, ui.ErrInterrupted):
	case errors.Is(err, ui.ErrUnavailable):
		if asked && !x.keepOpen {
			return &desk.Outcome{Status: desk.Unavailable, Reason: err.Error()}
		}
	case x.kept != nil:
		return &desk.Outcome{Reply: x.kept}
	case asked:
		return &desk.Outcome{Status: desk.Failed, Reason: err.Error()}
	}
	return nil
}

// trySurfaces shows the record on one surface after the other, until one does
// not return that the user cannot be reached there. The error is nil if the
// record has ended, the one of that surface, or ui.ErrUnavailable.
func (x *Presentation) trySurfaces(surfaces []ui.Surface) error {
	var tried []desk.Showing
	for _, s := range surfaces {
		x.setShown(append(slices.Clip(tried), desk.Showing{Surface: s.Name()}))
		err := x.showOn(s)
		if x.surfaceCtx.Err() != nil && errors.Is(err, ui.ErrUnavailable) {
			err = context.Cause(x.surfaceCtx)
		}
		switch {
		case isEnd(err):
			return nil
		case !errors.Is(err, ui.ErrUnavailable), x.surfaceCtx.Err() != nil:
			return err
		}
		x.p.Log.Info("surface not available", "id", x.rec.ID, "surface", s.Name(), "why", err)
		tried = append(tried, desk.Showing{Surface: s.Name(), Why: err.Error()})
	}
	x.setShown(tried)
	return unshown(tried)
}

// showOn shows the record on a surface. One that panics has failed; the other
// questions of the process continue.
func (x *Presentation) showOn(s ui.Surface) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			x.p.Log.Error("surface panicked", "id", x.rec.ID, "surface", s.Name(), "fault", fault,
				"stack", string(debug.Stack()))
			err = fmt.Errorf("the surface %s broke: %v", s.Name(), fault)
		}
	}()
	x.p.mu.Lock()
	x.shownAt = time.Now()
	x.p.mu.Unlock()
	return s.Show(x.surfaceCtx, x.rec, func(r question.Reply) error { return x.send(r, s.Name()) })
}

// send is the ui.Commit of the surfaces.
func (x *Presentation) send(r question.Reply, surface string) error {
	x.p.mu.Lock()
	x.on(send)
	r.Took = cmp.Or(r.Took, time.Since(x.shownAt))
	evidence := ui.Evidence(surface, x.owned)
	x.p.mu.Unlock()
	rec, err := x.p.Desk.Reply(x.ctx, x.rec.ID, r, evidence)
	if err == nil {
		x.end(sent, rec, nil)
		return nil
	}
	x.p.mu.Lock()
	do := x.on(unsent)
	x.kept = nil
	if !isEnd(err) && !isRefused(err) {
		x.kept = &r
	}
	x.p.mu.Unlock()
	if do == withdraw { // the end was announced, but the surface not withdrawn
		<-x.ended
		x.withdrawSurfaces(x.cause())
	}
	if isEnd(err) {
		x.end(over, rec, nil)
	}
	return err
}

// setShown stores with the record where it was tried and is shown now, which other
// surfaces display.
func (x *Presentation) setShown(tried []desk.Showing) {
	p := x.p
	p.mu.Lock()
	owned := x.owned
	if len(tried) > 0 {
		x.surface = tried[len(tried)-1].Surface
		x.signal()
	}
	p.mu.Unlock()
	if !owned {
		return
	}
	if err := p.Desk.SetShown(x.ctx, x.rec.ID, tried); err != nil && !isEnd(err) {
		p.Log.Info("cannot store where a question is shown", "id", x.rec.ID, "error", err)
	}
}
