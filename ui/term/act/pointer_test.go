package act

import (
	"image"
	"testing"
	"time"
)

func TestPointer(t *testing.T) {
	type areas = map[string]image.Rectangle
	here, there := image.Rect(2, 2, 10, 3), image.Rect(2, 5, 10, 6)
	var p Pointer[string]
	click := func(name string, y int, after time.Duration, want string, ok bool) {
		t.Helper()
		if got, is := p.Click(at(after*ms), 4, y); got != want || is != ok {
			t.Errorf("%s: %q %v, want %q %v", name, got, is, want, ok)
		}
	}
	click("nothing is drawn", 2, 0, "", false)
	p.Draw(at(0), areas{"send 1": here})
	click("it has just come", 2, 499, "send 1", false)
	click("it stands", 2, 500, "send 1", true)
	click("beside it", 3, 500, "", false)
	p.Draw(at(600*ms), areas{"send 1": here, "back": there})
	click("drawn again in its place", 2, 601, "send 1", true)
	click("a new one beside", 5, 601, "back", false)
	p.Draw(at(700*ms), areas{"send 1": there, "back": here})
	click("moved under the pointer", 2, 1199, "back", false)
	click("and stands there", 2, 1200, "back", true)
	p.Draw(at(1300*ms), areas{"send 2": here})
	click("the second half of a double click, for what came in its place", 2, 1500, "send 2", false)
	p.Draw(at(1400*ms), nil)
	p.Draw(at(1500*ms), areas{"send 2": here})
	click("gone and back", 2, 1850, "send 2", false)
}
