package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
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

func (g *ids) next(now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ms := now.UnixMilli(); ms > 0 {
		g.last = max(g.last, uint64(ms))
	}
	return ulid.MustNew(g.last, g.entropy).String() // a millisecond has more ids than a process can use
}

// ValidID reports whether id is a record id in its one spelling: 26 upper
// case characters of Crockford's base 32. Such an id is a safe file name.
func ValidID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// RecordOf returns the record that a lock is about: its name begins with the id.
func RecordOf(lock string) string { return lock[:min(len(lock), ulid.EncodedSize)] }

// FirstID returns an id that none made at or after a time is below.
func FirstID(at time.Time) string {
	var id ulid.ULID
	if ms := at.UnixMilli(); ms > 0 {
		_ = id.SetTime(min(uint64(ms), ulid.MaxTime()))
	}
	return id.String()
}

// Stores keep the archive by months, so that a valid id leads to its record
// without a search, and a range to few of them.

const monthForm = "2006-01"

// MonthOf returns the month in which a valid id was made.
func MonthOf(id string) string {
	return ulid.MustParseStrict(id).Timestamp().UTC().Format(monthForm)
}

// Months returns those that reach into the range, the newest first, of what may
// be months. It keeps all for itself.
func (r Range) Months(all []string) []string {
	all = slices.DeleteFunc(all, func(month string) bool {
		begin, err := time.Parse(monthForm, month)
		return err != nil || r.Before != "" && FirstID(begin) >= r.Before || FirstID(begin.AddDate(0, 1, 0)) <= r.From
	})
	slices.Sort(all)
	slices.Reverse(all)
	return all
}

// digest is a name for plain data, as a store takes it: the same for what is
// the same.
func digest(of any) string {
	data, err := json.Marshal(of)
	if err != nil { // it is plain data
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
