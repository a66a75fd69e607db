package askuser

import (
	"sync"
	"time"

	"mcp-askuser/internal/ticker"
)

// beat has all waiting calls whose clients want progress report it together.
type beat struct {
	*ticker.Group[*waiting]
	telling sync.Mutex // held while all report
	looking sync.Mutex // held while some are looked at
}

func newBeat(every time.Duration) *beat {
	b := &beat{}
	b.Group = ticker.New(every, b.strike)
	return b
}

// looks is at how many records a beat looks for what a wait would miss. Where
// more calls wait, chance chooses: a store that has gone, the first finds out.
const looks = 10

func (b *beat) strike(all []*waiting) {
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
	sends := make([]func(), len(all))
	for i, w := range all {
		w.turn.Lock()
		sends[i] = w.prepare()
	}
	for i, w := range all {
		sends[i]()
		w.turn.Unlock()
	}
}
