// Package ticker tells many members of the same moments: one timer, and one
// moment in which the process wakes, however many they are. It imports nothing
// of ours.
package ticker

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Group is those who are told. It rests while there are none.
type Group[T comparable] struct {
	every time.Duration
	tick  func(members []T)

	mu      sync.Mutex
	members map[T]struct{}
	timer   *time.Timer
}

// New returns a group of which all members are handed to tick, in any order,
// after every so much time, also while an earlier tick still runs.
func New[T comparable](every time.Duration, tick func(members []T)) *Group[T] {
	return &Group[T]{every: every, tick: tick, members: map[T]struct{}{}}
}

// Join has a member told until it leaves.
func (g *Group[T]) Join(m T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.members) == 0 {
		g.timer = time.AfterFunc(g.every, g.strike)
	}
	g.members[m] = struct{}{}
}

// Leave ends that; it may be told of a moment that has just come.
func (g *Group[T]) Leave(m T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if delete(g.members, m); len(g.members) == 0 && g.timer != nil {
		g.timer.Stop()
	}
}

// Members are those who have joined and not left.
func (g *Group[T]) Members() []T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.members))
}

func (g *Group[T]) strike() {
	g.mu.Lock()
	if len(g.members) == 0 { // the last has just left
		g.mu.Unlock()
		return
	}
	g.timer.Reset(g.every)
	g.mu.Unlock()
	g.tick(g.Members())
}
