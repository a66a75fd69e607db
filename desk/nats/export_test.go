package nats

import "mcp-askuser/desk"

// Sweep is what a listing does with an outcome that was collected.
var Sweep = (*Store).sweepOne

// SetRules writes other rules, without what was listed before.
var SetRules = (*Store).setRules

// StillTakes reports whether a lock that this process is taking stays its own
// while the process looks, after a reconnect, what became of those it has.
func StillTakes(s *Store, kind desk.Kind, name string) bool {
	s.locks.held.Store("taking", lock{place: place{areaAsk, string(kind), s.identity().writer(), name}})
	s.recheckLocks()
	return s.locks.has("taking")
}
