// Package waittest waits, in tests, for what no event reports: what another process
// has done, what a screen shows, real time where that is the subject. Nothing
// shipped imports it.
package waittest

import (
	"context"
	"time"
)

// interval is how often a condition is tried.
const interval = 20 * time.Millisecond

// Until tries a condition until it holds, and reports whether it did within the
// limit.
func Until(limit time.Duration, holds func() bool) bool {
	again, end := time.NewTicker(interval), time.NewTimer(limit)
	defer again.Stop()
	defer end.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-end.C:
			return false
		}
	}
	return true
}

// Pass lets real time pass: the pace of a person who types to another program, the
// interval over which a process is measured. It ends early with ctx.
func Pass(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
