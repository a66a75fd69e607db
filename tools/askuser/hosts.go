package askuser

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mcp-askuser/ui/elicit"
)

// host is what we know of the program at the other end. What stands here was
// measured, or has its public source beside it.
type host struct {
	name string // as found in the client's own name, in lower case
	// hold is how long one call may wait before its ticket is handed out; 0: usual.
	hold time.Duration
	// elicits is the same while the client's own form is open; 0: hold.
	elicits time.Duration
	// remote is the longest that it was seen to wait over HTTP, where something
	// comes every 15 s; 0: nobody has looked.
	remote time.Duration
	// extends says that progress messages extend the host's limit: with them a
	// call may be held for as long as elicits says.
	extends bool
	// shows says that its human sees progress messages. A progress token
	// proves nothing: clients send one and show nobody what comes.
	shows bool
	// form is what its form shows, and what it does with keys that its user types
	// to the agent; arrays are the protocol's.
	form elicit.Style
	// late says that its form comes up only when the call has ended: it is not
	// used.
	late bool
	// handshake says that it is spoken to in the era of the handshake, whatever
	// else it offers: in that era it takes a form back when we say so.
	handshake bool
}

// long is how long a call waits where the host sets no limit of its own.
const long = 24 * time.Hour

// usual is what we may expect of a program of which we know no more: the
// TypeScript SDK's default limit is 60 seconds.
const usual = 50 * time.Second

// knownHosts are told apart by the first whose name is found in the client's.
func knownHosts() []host {
	return []host{
		// After 120 s Claude Code sends a call to the background and marks its
		// answer as no user input; an open form holds that off. On 2026-07-28 it
		// cannot take a form back that was answered elsewhere. A list takes no
		// letter and no digit; a text takes a sentence, and two Enters send it. Of
		// more than four rows of a message it shows three.
		{name: "claude-code", hold: 110 * time.Second, elicits: long, remote: 9 * time.Minute, shows: true, handshake: true, form: elicit.Style{Typed: true, Columns: 48, Rows: 4}},
		// 300 s, paused while a form is open. An array turns the whole form
		// into a bare "allow?", and a digit sends a row of a list.
		// On 24 rows it shows 15 of a message above how to answer.
		{name: "codex", hold: 280 * time.Second, elicits: long, remote: 280 * time.Second, form: elicit.Style{Line: true, Rows: 14}},
		// Its line of progress is cut at the terminal's width.
		{name: "gemini", hold: 570 * time.Second, remote: 570 * time.Second, shows: true},
		// 60 s, and every progress message starts them anew.
		{name: "opencode", elicits: long, remote: 10 * time.Minute, extends: true},
		// Declares forms and answers cancel by itself (seen with v1.0.0 by the
		// authors of a server for it); its limit is not documented.
		{name: "antigravity"},
		// Shows forms (cursor.com/docs, "Model Context Protocol"); no limit is
		// documented.
		{name: "cursor"},
		// Shows forms since 1.102 (its release notes); no limit is documented.
		{name: "visual studio code"},
		{name: "visual-studio-code"},
		// 300 s (DEFAULT_EXTENSION_TIMEOUT in block/goose); the form is shown
		// when the call has timed out (block/goose#6471).
		{name: "goose", hold: 280 * time.Second, late: true},
		// No forms; the server's own timeout setting, whose default is not
		// documented.
		{name: "crush"},
		// 60 s by default, at most 10 minutes (zed-industries/zed#45378); no forms.
		{name: "zed"},
	}
}

// hostOf returns what we know of the client that calls itself name.
func hostOf(name string) host {
	name = strings.ToLower(name)
	var found host
	known := knownHosts()
	if i := slices.IndexFunc(known, func(h host) bool { return strings.Contains(name, h.name) }); i >= 0 {
		found = known[i]
	}
	found.hold = cmp.Or(found.hold, usual)
	found.elicits = cmp.Or(found.elicits, found.hold)
	return found
}

// remoteHold is how long a call may wait over HTTP where nobody has looked. Many
// give up an HTTP request after a minute, whatever else they allow (as did older
// versions of Claude Code, anthropics/claude-code#36221).
const remoteHold = 45 * time.Second

// overHTTP is what we may expect of the host over HTTP.
func (h host) overHTTP() host {
	most := cmp.Or(h.remote, remoteHold)
	h.hold, h.elicits = min(h.hold, most), min(h.elicits, most)
	return h
}

// Handshake reports whether the client that calls itself name is to be spoken
// to in the era of the handshake, up to 2025-11-25.
func Handshake(name string) bool { return hostOf(name).handshake }

// holds returns how long a call may wait: while the client's own form is
// open, and whether progress messages reach the host.
func (h host) holds(form, progress bool) time.Duration {
	if form || h.extends && progress {
		return h.elicits
	}
	return h.hold
}

// gaveUp reports whether a client that cancelled with this reason stopped
// waiting, instead of its user withdrawing the question. Codex says the same
// in both cases; then the question stays.
func gaveUp(reason string) bool {
	reason = strings.ToLower(reason)
	return slices.ContainsFunc([]string{"timed out", "timeout", "deadline exceeded", "request cancelled by caller"}, func(sign string) bool {
		return strings.Contains(reason, sign)
	})
}
