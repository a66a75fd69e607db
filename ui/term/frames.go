package term

import (
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// frameInterval is the shortest time from one frame to the next.
const frameInterval = time.Second / 60

// frames has a program draw after changes only. Bubble Tea by itself looks for changes 60
// times a second, which wakes a waiting form 330 times a second; its slowest setting is once
// a second, too late for a key and too often for a form that only waits.
//
// Its methods are for the program's own goroutine.
type frames struct {
	program *tea.Program
	ticks   chan time.Time
	last    time.Time // of the last frame
	due     bool      // the next one is scheduled
}

// draw is the message that the next frame is due. Bubble Tea handles it after the change
// has reached its renderer, and a filter removes it.
type draw struct{}

// pace replaces a program's clock, before it runs.
func pace(p *tea.Program) *frames {
	f := &frames{program: p, ticks: make(chan time.Time, 1)}
	setTicks(p, f.ticks)
	return f
}

// changed schedules a frame, after a possible change.
func (f *frames) changed() {
	if !f.due {
		f.due = true
		time.AfterFunc(frameInterval-time.Since(f.last), func() { f.program.Send(draw{}) })
	}
}

// drawNow has the next change drawn at once.
func (f *frames) drawNow() { f.last = time.Time{} }

// next draws.
func (f *frames) next() {
	f.due, f.last = false, time.Now()
	select {
	case f.ticks <- f.last:
	default: // a frame is due already
	}
}

// setTicks makes a program draw at ticks. Only the unexported field with the ticker allows
// that: if it gets another name, Bubble Tea draws by its own clock again, and a test fails.
func setTicks(p *tea.Program, ticks <-chan time.Time) (set bool) {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return false
	}
	ticker := time.NewTicker(time.Hour) // Bubble Tea resets it, to no effect
	ticker.C = ticks
	*(**time.Ticker)(unsafe.Pointer(field.UnsafeAddr())) = ticker //nolint:gosec // see above
	return true
}
