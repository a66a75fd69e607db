package act

import (
	"image"
	"time"
)

// Still is how long a control must be where it is before it takes a click: the second
// half of a double click, and a click on what was there before, arrive sooner.
const Still = 500 * time.Millisecond

// Pointer says which control a click is for. K names a control together with
// what it is for: the "send" of two questions are two controls, also where one
// takes the other's place.
type Pointer[K comparable] struct{ controls map[K]control }

type control struct {
	area  image.Rectangle // in cells
	since time.Time
}

// Draw takes all controls that are on the screen now.
func (p *Pointer[K]) Draw(now time.Time, areas map[K]image.Rectangle) {
	drawn := make(map[K]control, len(areas))
	for k, area := range areas {
		c, known := p.controls[k]
		if !known || c.area != area {
			c = control{area, now}
		}
		drawn[k] = c
	}
	p.controls = drawn
}

// Click returns the control at a cell. It reports false where there is none,
// or one that appeared or moved there less than Still ago.
func (p *Pointer[K]) Click(now time.Time, x, y int) (k K, ok bool) {
	for k, c := range p.controls {
		if image.Pt(x, y).In(c.area) {
			return k, now.Sub(c.since) >= Still
		}
	}
	return k, false
}
