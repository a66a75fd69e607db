//go:build unix

package pane

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

const (
	// commandLimit is how long one command of tmux may take.
	commandLimit = 3 * time.Second
	// quietTime is how long the user must have pressed no key before a pane takes
	// the focus.
	quietTime = 2 * time.Second
	// splitHeight is the height in lines that a pane must have to be split.
	splitHeight = 24
)

var errNoClient = ui.Unavailablef("no client is attached to the multiplexer")

// tmux is a server by its socket, and the asker's pane in it.
type tmux struct{ socket, pane string }

// findTmux returns the server that a process runs in, nil for none.
func findTmux(getenv func(string) string) *tmux {
	socket, _, _ := strings.Cut(getenv("TMUX"), ",")
	pane := getenv("TMUX_PANE")
	if !filepath.IsAbs(socket) || !ours(socket) || !isID(pane, "%") {
		return nil
	}
	return &tmux{socket, pane}
}

// isID reports whether s is an id of tmux's: a sign and a number.
func isID(s, sign string) bool {
	number, ok := strings.CutPrefix(s, sign)
	_, err := strconv.ParseUint(number, 10, 64)
	return ok && err == nil
}

// run runs one command to its end: half a command could leave an unknown pane behind.
func (t *tmux) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	output, err := t.runUntil(ctx, args...)
	if ctx.Err() != nil {
		return "", errors.New("it does not respond")
	}
	return output, err
}

func (t *tmux) runUntil(ctx context.Context, args ...string) (string, error) {
	return outputOf(newCommand(ctx, append([]string{"tmux", "-S", t.socket}, args...), nil))
}

// view is what the user sees before a pane is opened.
type view struct {
	session   string    // in which a window would be opened
	clients   []string  // that may show the pane
	elsewhere bool      // they show another pane than the asker's: it keeps the focus, and a bell rings
	window    bool      // the asker's pane cannot be split: open a window
	quietAt   time.Time // when no key has been pressed for quietTime; zero if unknown
	focus     bool      // the new pane takes the focus
}

// tmuxView and tmuxClients are the formats that parse reads. One that this version of
// tmux does not have is empty.
const (
	tmuxView    = "#{pane_id},#{window_id},#{session_id},#{pane_active},#{pane_height},#{window_zoomed_flag},#{session_group}"
	tmuxClients = "#{client_name},#{window_id},#{session_id},#{client_activity},#{client_control_mode},#{session_group}"
)

// look returns what the user sees. The error is errNoClient without an attached client.
func (t *tmux) look() (view, error) {
	output, err := t.run("display-message", "-p", "-t", t.pane, tmuxView, ";", "list-clients", "-F", tmuxClients)
	if err != nil {
		return view{}, ui.Unavailablef("%s: %v", "tmux", err)
	}
	v, err := t.parse(output)
	if err == nil && len(v.clients) == 0 {
		err = errNoClient
	}
	v.focus = !v.quietAt.IsZero() && !time.Now().Before(v.quietAt)
	return v, err
}

// parse reads a line on the asker's pane and one on each client. For a pane that
// does not exist, tmux reports no error but an empty id. It reports the second of
// a client's last key, rounded down, and none for a client that is a program
// (control mode).
func (t *tmux) parse(output string) (view, error) {
	lines := strings.Split(output, "\n")
	pane := strings.SplitN(lines[0], ",", 7)
	if len(pane) < 7 || pane[0] != t.pane || !isID(pane[2], "$") {
		return view{}, ui.Unavailablef("tmux no longer has the pane %s", t.pane)
	}
	height, _ := strconv.Atoi(pane[4])
	// A split would end the zoom for good.
	v := view{session: pane[2], elsewhere: true, window: height < splitHeight || pane[5] == "1"}
	last, known := int64(0), true
	for _, line := range lines[1:] {
		client := strings.SplitN(line, ",", 6)
		if len(client) < 6 || !isID(client[2], "$") {
			continue
		}
		watching := client[1] == pane[1]
		if watching || client[2] == pane[2] || pane[6] != "" && client[5] == pane[6] {
			v.clients = append(v.clients, client[0])
		}
		if watching && pane[3] == "1" {
			second, err := strconv.ParseInt(client[3], 10, 64)
			last, known = max(last, second+1), known && err == nil && client[4] != "1"
			v.session, v.elsewhere = client[2], false
		}
	}
	if known && !v.elsewhere {
		v.quietAt = time.Unix(last, 0).Add(quietTime)
	}
	return v, nil
}

// open opens a pane in which argv runs. The error wraps ui.ErrUnavailable, or is
// the cause of ctx's end.
func (t *tmux) open(ctx context.Context, argv []string) (*pane, error) {
	v, err := t.look()
	if err != nil {
		return nil, err
	}
	line, err := newLifeline()
	if err != nil {
		return nil, ui.Unavailablef("%v", err)
	}
	id, err := t.run(t.openCommand(v, line.command(argv, v.elsewhere))...)
	switch {
	case err != nil:
		err = ui.Unavailablef("%s: %v", "tmux", err)
	case !isID(id, "%"):
		err = ui.Unavailablef("tmux named its new pane %q", question.Line(id))
	}
	if err != nil {
		line.close()
		return nil, err
	}
	return (&pane{program: "tmux", lifeline: line, stop: func() {}, tmux: t, id: id, view: v}).start(ctx, nil)
}

// openCommand opens a pane, or a window at the first free number: the user's
// windows keep theirs. It prints the id of the pane. When that closes, tmux
// returns the focus to the pane that had it.
func (t *tmux) openCommand(v view, argv []string) []string {
	command := []string{"split-window", "-v", "-t", t.pane}
	if v.window {
		command = []string{"new-window", "-n", title(), "-t", v.session + ":"}
	}
	if !v.focus {
		command = append(command, "-d")
	}
	command = append(command, "-P", "-F", "#{pane_id}")
	for _, word := range argv {
		if before, ok := strings.CutSuffix(word, ";"); ok { // the end of a command to tmux
			word = before + `\;`
		}
		command = append(command, word)
	}
	return command
}

// showLine shows a line to every client that may see the asker's pane. A key ends it,
// and is not lost.
func (t *tmux) showLine(pane, text string) {
	v, _ := t.look()
	for _, client := range v.clients {
		_, _ = t.run("display-message", "-c", client, "-t", pane, "-d", strconv.Itoa(40*len(text)), text) // time to read
	}
}

// offerFocus shows how to reach a pane that was opened without the focus, and gives it
// the focus when the user pauses, unless ctx ends before.
func (p *pane) offerFocus(ctx context.Context) {
	if p.tmux == nil || p.view.focus {
		return
	}
	p.tmux.showLine(p.id, p.view.instruction())
	v, _ := p.tmux.await(ctx, func(v view, _ error) bool { return v.focus })
	if !v.focus {
		return
	}
	command := "select-pane"
	if p.view.window {
		command = "select-window"
	}
	_, _ = p.tmux.run(command, "-t", p.id)
}

// instruction tells the user how to reach a pane without the focus.
func (v view) instruction() string {
	if v.window || v.elsewhere {
		return words.T("A question waits in window #{window_index}: #{prefix} ' #{window_index}")
	}
	return words.T("A question waits below: pause, or #{prefix} Down")
}

// await returns the first view that accept accepts. It looks again when the keyboard
// may have been quiet for long enough, and when the clients show something else.
func (t *tmux) await(ctx context.Context, accept func(view, error) bool) (view, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	begin, wait, end := clientHooks(strconv.Itoa(int(rand.Int32())))
	_, _ = t.run(begin...)
	defer func() { _, _ = t.run(end...) }()
	changed := make(chan error, 1)
	listen := func() { _, err := t.runUntil(ctx, wait...); changed <- err }
	go listen()
	for {
		v, err := t.look()
		if accept(v, err) {
			return v, err
		}
		var again <-chan time.Time
		switch {
		case !v.quietAt.IsZero():
			again = time.After(time.Until(v.quietAt))
		case err != nil && !errors.Is(err, errNoClient): // a busy machine
			again = time.After(commandLimit)
		}
		select {
		case <-again:
		case err := <-changed:
			if err != nil {
				return view{}, err
			}
			go listen()
		case <-ctx.Done():
			return view{}, context.Cause(ctx)
		}
	}
}

// clientHooks returns commands: wait returns when a client has attached, or shows
// something else, since begin; end removes the hooks. They are global: a hook of
// a session would hide them. The option remembers an event that happens while
// wait does not run, which the signal alone would not.
func clientHooks(name string) (begin, wait, end []string) {
	option := "@askuser" + name
	for _, event := range [...]string{"client-attached", "client-session-changed", "session-window-changed", "window-pane-changed"} {
		hook := event + "[" + name + "]"
		begin = append(begin, "set-hook", "-g", hook, "if-shell -F '#{?"+option+",,1}' 'set-option -g "+option+" 1 ; wait-for -S "+option+"'", ";")
		end = append(end, "set-hook", "-gu", hook, ";")
	}
	forget := []string{"set-option", "-gu", option}
	return begin, append([]string{"wait-for", option, ";"}, forget...), append(end, forget...)
}
