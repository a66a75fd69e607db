package askuser

import (
	"strings"
	"time"
)

// host is what we know of the program at the other end (FACTS 3 and 4).
type host struct {
	name string // as found in the client's own name
	// hold is how long one call may wait before its ticket is handed out.
	hold time.Duration
	// elicits is the same while the client's own form is open.
	elicits time.Duration
	// progress extends the host's limit: with progress a call may be held for
	// as long as elicits says.
	progress bool
	// arrays says that its form can show a choice of several.
	arrays bool
}

// long is how long a call waits where the host sets no limit of its own.
const long = 24 * time.Hour

// unknownHost is what we may expect of a program that we do not know: the
// TypeScript SDK's default limit is 60 seconds.
var unknownHost = host{hold: 50 * time.Second, elicits: 50 * time.Second, arrays: true}

// hostOf returns what we know of the client that calls itself name.
func hostOf(name string) host {
	name = strings.ToLower(name)
	for _, h := range []host{
		// After 120 s Claude Code sends a call to the background and marks its
		// answer as no user input; an open form holds that off.
		{name: "claude-code", hold: 110 * time.Second, elicits: long, arrays: true},
		// 300 s, paused while a form is open. An array turns the whole form
		// into a bare "allow?".
		{name: "codex", hold: 280 * time.Second, elicits: long},
		{name: "gemini", hold: 570 * time.Second, elicits: 570 * time.Second, arrays: true},
		// 60 s, and every progress message starts them anew.
		{name: "opencode", hold: 50 * time.Second, elicits: long, progress: true, arrays: true},
	} {
		if strings.Contains(name, h.name) {
			return h
		}
	}
	return unknownHost
}

// holds returns how long a call may wait: while the client's own form is
// open, and whether progress messages reach the host.
func (h host) holds(form, progress bool) time.Duration {
	if form || h.progress && progress {
		return h.elicits
	}
	return h.hold
}

// gaveUp reports whether a client that cancelled with this reason stopped
// waiting, instead of its user withdrawing the question. Codex says the same
// in both cases (FACTS 4); then the question stays.
func gaveUp(reason string) bool {
	reason = strings.ToLower(reason)
	for _, sign := range []string{"timed out", "timeout", "deadline exceeded", "request cancelled by caller"} {
		if strings.Contains(reason, sign) {
			return true
		}
	}
	return false
}
