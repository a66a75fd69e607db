package askuser

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/ui/elicit"
)

// host is what we know of the client program. Every value was measured, or its
// public source is named beside it. A host's row describes limits, styles and the order of
// surfaces; whether a client shows forms is decided by what it declares in its session.
type host struct {
	name string // as found in the client's own name, in lower case
	// maxWait is how long one call may wait before it returns a ticket; 0: defaultWait.
	maxWait time.Duration
	// maxWaitInForm is the same while the client's own form is open; 0: maxWait.
	maxWaitInForm time.Duration
	// maxWaitHTTP is the longest wait that was measured over HTTP, with a message
	// every 15 s; 0: not measured.
	maxWaitHTTP time.Duration
	// progressExtends means that progress messages extend the host's limit: with
	// them a call may wait for maxWaitInForm.
	progressExtends bool
	// images says how its model gets the images of a result.
	images images
	// form is what its form shows, and what it does with keys that the user types
	// to the agent. Whether it takes arrays depends on the protocol version.
	form elicit.Style
	// paneFirst means that a pane beside the host is tried before its form: the place is
	// the same for all questions.
	paneFirst bool
	// background means that it moves a long call to the background, and that variables set
	// when; see within.
	background bool
	// handshake means that we use protocol versions with a handshake, even if the
	// host offers later ones: only there it closes a form on request.
	handshake bool
	// stacksForms means that a form stays on its screen until its user closes it, also when it was
	// withdrawn, and that the forms behind it are dropped then.
	stacksForms bool
}

// images says how the model of a host gets the images of a result.
type images int

// The ways of images. A model that gets none reads a file at its path.
const (
	noImages     images = iota
	imagesBeside        // beside the structured content
	imagesAlone         // where there is no structured content
)

// unlimitedWait is how long a call waits if the host has no limit of its own.
const unlimitedWait = 24 * time.Hour

// defaultWait is for unknown hosts: the TypeScript SDK's default limit is 60
// seconds.
const defaultWait = 50 * time.Second

// knownHosts returns the table of hosts. The first host whose name is part of the
// client's name applies. A row without a limit records why defaultWait is right there.
func knownHosts() []host {
	return []host{
		// After 120 s Claude Code sends a call to the background and marks its
		// answer as no user input, but not while a form is open. With 2026-07-28 it
		// cannot close a form that was answered elsewhere. A list ignores letters and
		// digits; a text field takes a sentence, and two Enters send it. Of a message
		// with more than four rows it shows three.
		{name: "claude-code", maxWait: 110 * time.Second, background: true, maxWaitInForm: unlimitedWait,
			maxWaitHTTP: 9 * time.Minute, images: imagesBeside, handshake: true, paneFirst: true,
			form: elicit.Style{Typed: true, Rows: 4}},
		// 300 s, paused while a form is open. With an array the whole form becomes
		// a plain "allow?", and a digit sends a row of a list. On 24 rows it shows
		// 15 rows of a message. A form that was answered elsewhere stays until the turn ends, or
		// the user closes it; Esc drops those behind it, without an answer.
		{name: "codex", maxWait: 280 * time.Second, maxWaitInForm: unlimitedWait, maxWaitHTTP: 280 * time.Second,
			images: imagesAlone, stacksForms: true, form: elicit.Style{Line: true, Rows: 14}},
		{name: "gemini", images: imagesBeside, maxWait: 570 * time.Second, maxWaitHTTP: 570 * time.Second},
		// Without a limit in its file it waited longer than 45 minutes, with a progress
		// message every 10 s. Only with a handshake can it close a form that was answered
		// elsewhere. A list begins on its first row, which Enter sends, and ignores letters.
		{name: "copilot-cli", maxWaitInForm: unlimitedWait, progressExtends: true, handshake: true,
			form: elicit.Style{OwnWords: true}},
		// 60 s; every progress message restarts them.
		{name: "opencode", images: imagesBeside, maxWaitInForm: unlimitedWait, maxWaitHTTP: 10 * time.Minute,
			progressExtends: true},
		// Version 1.0.0 declared forms but cancelled them by itself (reported by the
		// authors of a server for it), and the next surface follows; its limit is not
		// documented.
		{name: "antigravity"},
		// Shows forms (cursor.com/docs, "Model Context Protocol"); no limit is
		// documented.
		{name: "cursor"},
		// It did not end a call within 32 minutes, in which its form was open. It does not
		// close a form that was answered elsewhere, or whose call has ended. On a server it
		// calls itself code-server.
		{name: "visual studio code", maxWaitInForm: unlimitedWait, images: imagesBeside},
		{name: "code-server", maxWaitInForm: unlimitedWait, images: imagesBeside},
		// 300 s (DEFAULT_EXTENSION_TIMEOUT in block/goose). Before its pull request 6650
		// (January 2026) the form opened only when the call had timed out: there the user
		// answers elsewhere, or after the ticket.
		{name: "goose", maxWait: 280 * time.Second},
		// The server's own timeout setting, whose default is not documented.
		{name: "crush"},
		// 60 s by default, at most 10 minutes (zed-industries/zed#45378).
		{name: "zed"},
	}
}

// hostOf returns the host with this client name.
func hostOf(name string) host {
	name = strings.ToLower(name)
	var found host
	known := knownHosts()
	if i := slices.IndexFunc(known, func(h host) bool { return strings.Contains(name, h.name) }); i >= 0 {
		found = known[i]
	}
	found.maxWait = cmp.Or(found.maxWait, defaultWait)
	found.maxWaitInForm = cmp.Or(found.maxWaitInForm, found.maxWait)
	return found
}

// Variables of Claude Code, in milliseconds: after the first a call goes to the background, 0 is
// never; after the second it ends, as a failure.
const (
	BackgroundVariable  = "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"
	toolTimeoutVariable = "MCP_TOOL_TIMEOUT"
)

// within returns the host with the limits that its user has set in the environment, which it
// passes on to the server.
func (h host) within(getenv func(string) string) host {
	if !h.background || getenv == nil {
		return h
	}
	background, err := strconv.Atoi(getenv(BackgroundVariable))
	switch {
	case err != nil || background < 0:
	case background == 0:
		h.maxWait = unlimitedWait
	default:
		h.maxWait = before(background)
	}
	timeout, err := strconv.Atoi(getenv(toolTimeoutVariable))
	if err == nil && timeout > 0 {
		most := before(timeout)
		h.maxWait, h.maxWaitInForm = min(h.maxWait, most), min(h.maxWaitInForm, most)
	}
	return h
}

// before returns how long a call may wait that the host ends after so many milliseconds.
func before(ms int) time.Duration {
	const reserve = 10 * time.Second
	return max(time.Duration(ms)*time.Millisecond-reserve, time.Second)
}

// defaultWaitHTTP is how long a call may wait over HTTP if no time was measured.
// Many clients give up an HTTP request after a minute, even if their other limits
// are longer (as did older versions of Claude Code, anthropics/claude-code#36221).
const defaultWaitHTTP = 45 * time.Second

// overHTTP returns the host with its limits over HTTP.
func (h host) overHTTP() host {
	most := cmp.Or(h.maxWaitHTTP, defaultWaitHTTP)
	h.maxWait, h.maxWaitInForm = min(h.maxWait, most), min(h.maxWaitInForm, most)
	return h
}

// Handshake reports whether the client with this name gets only the protocol
// versions with a handshake, up to 2025-11-25.
func Handshake(name string) bool { return hostOf(name).handshake }

// StacksForms reports whether the client with this name shows one form at a time, and loses those
// behind it; see [host].
func StacksForms(name string) bool { return hostOf(name).stacksForms }

// callLimit returns how long a call may wait. Form means that the client's own
// form is open, progress that progress messages reach the host.
func (h host) callLimit(form, progress bool) time.Duration {
	if form || h.progressExtends && progress {
		return h.maxWaitInForm
	}
	return h.maxWait
}

// gaveUp reports whether a client cancelled for this reason because it stopped
// waiting. Otherwise its user withdrew the question. Codex gives the same reason
// in both cases; the question then stays open.
func gaveUp(reason string) bool {
	reason = strings.ToLower(reason)
	signs := []string{"timed out", "timeout", "deadline exceeded", "request cancelled by caller"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(reason, sign) })
}
