package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// ids makes record ids: random, and ascending within the process even when the
// clock is set back.
type ids struct {
	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
	last    uint64 // milliseconds since 1970, of the latest id
}

// next returns an id that comes after another, also where that has its time from a clock that was
// set back since; empty is none.
func (g *ids) next(now time.Time, other string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ms := now.UnixMilli(); ms > 0 {
		g.last = max(g.last, uint64(ms))
	}
	at := g.last
	earlier, err := ulid.ParseStrict(other)
	if err == nil {
		at = min(max(at, earlier.Time()+1), ulid.MaxTime())
	}
	return ulid.MustNew(at, g.entropy).String() // a millisecond has more ids than a process can use
}

// ValidID reports whether id is a record id in its one spelling: 26 upper
// case characters of Crockford's base 32. Such an id is a safe file name.
func ValidID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// digest is the same for plain data that are the same.
func digest(of any) string {
	data, err := json.Marshal(of)
	if err != nil { // it is plain data
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
