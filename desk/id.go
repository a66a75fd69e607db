package desk

import (
	"errors"
	"io"
	"time"

	"github.com/oklog/ulid/v2"
)

// ids makes record ids: random, and ascending within the process even when the
// clock is set back. Not safe for concurrent use.
type ids struct {
	entropy *ulid.MonotonicEntropy
	last    uint64 // milliseconds since 1970, of the latest id
}

func newIDs(random io.Reader) *ids {
	entropy := ulid.Monotonic(random, 0)
	entropy.Reader = random // which it would give a buffer of 4 KiB
	return &ids{entropy: entropy}
}

func (g *ids) next(now time.Time) (string, error) {
	if ms := now.UnixMilli(); ms > 0 {
		g.last = max(g.last, uint64(ms))
	}
	id, err := ulid.New(g.last, g.entropy)
	if errors.Is(err, ulid.ErrMonotonicOverflow) {
		g.last++ // this millisecond's ids are used up
		id, err = ulid.New(g.last, g.entropy)
	}
	if err != nil {
		return "", err
	}
	return id.String(), nil
}

// ValidID reports whether id is a record id in its one spelling: 26 upper
// case characters of Crockford's base 32. Such an id is a safe file name.
func ValidID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}
