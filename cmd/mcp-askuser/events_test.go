package main

import (
	"testing"
	"time"

	"mcp-askuser/desk"
)

// A response follows its request, also where the agent's machine has a clock that is ahead.
func TestResponseFollowsItsRequest(t *testing.T) {
	now := time.Now()
	rec := desk.Record{CreatedAt: now.Add(3 * time.Hour), Outcome: &desk.Outcome{At: now}}
	if inOrder(desk.Event{Type: desk.Ended, Record: rec}, desk.Event{Type: desk.Asked, Record: rec}) <= 0 {
		t.Error("the response is first")
	}
}
