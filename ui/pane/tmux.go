//go:build unix

package pane

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
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

var errNoClient = ui.Unavailablef("no client is attached to tmux")

// tmux is a server by its socket, the asker's pane in it, and the process that has opened ours.
type tmux struct{ socket, pane, pid string }

// findTmux returns the server that a process runs in, nil for none.
func findTmux(getenv func(string) string) *tmux {
	socket, _, _ := strings.Cut(getenv("TMUX"), ",")
	pane := getenv("TMUX_PANE")
	if !filepath.IsAbs(socket) || !ours(socket) || !isID(pane, "%") {
		return nil
	}
	return &tmux{socket: socket, pane: pane}
}

// isID reports whether s is an id of tmux's: a sign and a number.
func isID(s, sign string) bool {
	number, ok := strings.CutPrefix(s, sign)
	_, err := strconv.ParseUint(number, 10, 64)
	return ok && err == nil
}

// run runs one command to its end: half a command could leave an unknown pane behind. It returns
// its output, or the last line of its standard error.
func (t *tmux) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	//nolint:gosec // no shell reads the arguments
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without our terminal and its Ctrl+C
	cmd.WaitDelay = time.Second
	output, err := cmd.Output()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return "", errors.New("it does not respond")
	case failed:
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		reason := question.Shorten(question.Line(lines[len(lines)-1]), 200)
		err = errors.New(cmp.Or(reason, exit.Error()))
	}
	return strings.TrimSpace(string(output)), err
}

// view is what the user sees before a pane is opened.
type view struct {
	session   string    // in which a window would be opened
	clients   int       // that may show the pane
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
		return view{}, ui.Unavailablef("tmux: %v", err)
	}
	v, err := t.parse(output)
	if err == nil && v.clients == 0 {
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
			v.clients++
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

// open opens a pane in which argv runs, or a window at the first free number: the user's windows
// keep theirs. It returns the id of the pane. When that closes, tmux returns the focus to the
// pane that had it. The error wraps ui.ErrUnavailable.
func (t *tmux) open(v view, argv []string) (id string, err error) {
	command := []string{"split-window", "-v", "-t", t.pane}
	if v.window {
		command = []string{"new-window", "-n", words.T("question"), "-t", v.session + ":"}
	}
	if !v.focus {
		command = append(command, "-d")
	}
	command = append(command, "-P", "-F", "#{pane_id} #{pid}")
	for _, word := range argv {
		before, ends := strings.CutSuffix(word, ";") // the end of a command to tmux
		if ends {
			word = before + `\;`
		}
		command = append(command, word)
	}
	id, err = t.run(command...)
	if err != nil {
		return "", ui.Unavailablef("tmux: %v", err)
	}
	id, t.pid, _ = strings.Cut(id, " ")
	if !isID(id, "%") {
		return "", ui.Unavailablef("tmux named its new pane %q", question.Line(id))
	}
	return id, nil
}

// isOpen reports whether a pane exists and its process runs. Another server at the socket has others.
func (t *tmux) isOpen(id string) (bool, error) {
	panes, err := t.run("list-panes", "-a", "-F", "#{pane_id} #{pid} #{pane_dead}")
	return slices.Contains(strings.Split(panes, "\n"), id+" "+t.pid+" 0"), err
}

// ours reports whether the file belongs to this user: another user's server would run
// our command.
func ours(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
