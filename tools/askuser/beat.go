package askuser

import (
	"sync"
	"time"
)

// beat has all waiting calls whose clients want progress report it together: one
// timer, and one moment in which the process wakes, however many they are. It
// rests while there are none.
type beat struct {
	every time.Duration

	mu    sync.Mutex
	calls map[*waiting]struct{}
	timer *time.Timer

	telling sync.Mutex // held while all report
	looking sync.Mutex // held while some are looked at
}

// looks is at how many records a beat looks for what a wait would miss. Where
// more calls wait, chance chooses: a store that has gone, the first finds out.
const looks = 10

// join has a call report at each beat until it leaves.
func (b *beat) join(w *waiting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.calls) == 0 {
		b.calls = map[*waiting]struct{}{}
		b.timer = time.AfterFunc(b.every, b.strike)
	}
	b.calls[w] = struct{}{}
}

func (b *beat) leave(w *waiting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.calls, w); len(b.calls) == 0 {
		b.timer.Stop()
	}
}

func (b *beat) strike() {
	b.mu.Lock()
	if len(b.calls) == 0 { // the last has just left
		b.mu.Unlock()
		return
	}
	b.timer.Reset(b.every)
	all := make([]*waiting, 0, len(b.calls))
	for w := range b.calls {
		all = append(all, w)
	}
	b.mu.Unlock()
	b.tell(all)
	if !b.looking.TryLock() { // the last look has not come back: the file system hangs
		return
	}
	defer b.looking.Unlock()
	for n, w := range all {
		w.Look(w.ctx)
		if n+1 >= looks && !over(w.Waiter) { // else nobody had noticed: look at all
			return
		}
	}
}

// tell has all report. Their messages are made first: one after the other they
// would wake the writer, and the client, for each.
func (b *beat) tell(all []*waiting) {
	b.telling.Lock()
	defer b.telling.Unlock()
	sends := make([]func() error, len(all))
	for i, w := range all {
		w.turn.Lock()
		sends[i] = w.prepare()
	}
	for i, w := range all {
		w.sent(sends[i]())
		w.turn.Unlock()
	}
}
