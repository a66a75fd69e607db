package term

import (
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// frameInterval is the least time from one frameInterval to the next.
const frameInterval = time.Second / 60

// frames has a program draw when there is something new to see. Bubble Tea by
// itself looks 60 times a second whether there is, which wakes a waiting form
// 330 times a second; its slowest setting is once a second, which is too
// late for a key and too often for a form that only waits.
//
// All of it happens on the program's own goroutine.
type frames struct {
	program *tea.Program
	ticks   chan time.Time
	last    time.Time // of the last frame
	due     bool      // one is on its way
}

// draw is the message that the next frame is due. Bubble Tea takes it when what
// changed has reached its renderer, not before, and a filter takes it away.
type draw struct{}

// pace takes the place of a program's clock, before it runs.
func pace(p *tea.Program) *frames {
	f := &frames{program: p, ticks: make(chan time.Time, 1)}
	setTicks(p, f.ticks)
	return f
}

// changed is called when a frame may be another than the last.
func (f *frames) changed() {
	if !f.due {
		f.due = true
		time.AfterFunc(frameInterval-time.Since(f.last), func() { f.program.Send(draw{}) })
	}
}

// drawNow has the next frame drawn at once.
func (f *frames) drawNow() { f.last = time.Time{} }

// next draws.
func (f *frames) next() {
	f.due, f.last = false, time.Now()
	select {
	case f.ticks <- f.last:
	default: // one is still to be drawn, and will have all that is new
	}
}

// setTicks makes a program draw when ticks says so. The field that has the
// ticker is not exported, and it is all there is: where it has another name one
// day, Bubble Tea draws by its own clock again, and a test says so.
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
