//go:build unix

package termtest

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Play types blow after blow, in real time. A machine too busy for that pace is
// told to EachTyping: nobody typed what was to be typed.
func (x *Terminal) Play(blows []Blow) {
	x.t.Helper()
	for _, b := range blows {
		began := time.Now()
		time.Sleep(b.After)
		x.Type(b.Keys)
		if p, ok := x.t.(*player); ok && time.Since(began) > b.After+30*time.Millisecond {
			p.late = true
		}
	}
}

// EachTyping plays [Typings] and [LoneEnters], four of each, or as many as TYPINGS says, 16 at a time.
func EachTyping(t *testing.T, play func(t testing.TB, typing []Blow, lone bool)) {
	t.Helper()
	n := 4 // one of each way to type
	if s := os.Getenv("TYPINGS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("TYPINGS: %v", err)
		}
	}
	var playing sync.WaitGroup
	places := make(chan struct{}, 16)
	for i, typing := range append(Typings(n), LoneEnters(n)...) {
		places <- struct{}{}
		playing.Go(func() {
			defer func() { <-places }()
			for try := 1; ; try++ {
				p := &player{TB: t}
				p.run(func(t testing.TB) { play(t, typing, i >= n) })
				if p.faults == nil {
					return
				}
				if !p.late || try == 5 {
					t.Errorf("typing %d, %q: %s", i, Typed(typing), strings.Join(p.faults, "\n"))
					return
				}
			}
		})
	}
	playing.Wait()
	t.Logf("%d typings of each kind", n)
}

// player is the test of one typing, which cleans up at its own end.
type player struct {
	testing.TB
	faults []string
	late   bool
	after  []func()
}

func (p *player) run(play func(testing.TB)) {
	var playing sync.WaitGroup
	playing.Go(func() { play(p) })
	playing.Wait()
	for _, f := range slices.Backward(p.after) {
		f()
	}
}

func (p *player) Cleanup(f func()) { p.after = append(p.after, f) }

func (p *player) Errorf(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

func (p *player) Fatal(args ...any) { p.Fatalf("%s", fmt.Sprint(args...)) }

func (p *player) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}
