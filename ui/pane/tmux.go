//go:build unix

package pane

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// roomy is the height in lines that a pane must have to be split.
const roomy = 24

var (
	tmuxPane    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%[0-9]+$`) })
	tmuxSession = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$[0-9]+$`) })
	tmuxEvents  = [...]string{"client-attached", "client-session-changed", "session-window-changed", "window-pane-changed"}
)

// tmux names a server by its socket, and puts the pane that had the focus
// before back into it when a pane closes.
func tmux() *kind {
	return &kind{
		name: "tmux",
		inside: func(getenv func(string) string) (place, bool) {
			socket, _, _ := strings.Cut(getenv("TMUX"), ",")
			pane := getenv("TMUX_PANE")
			if !filepath.IsAbs(socket) || !ours(socket) || !tmuxPane().MatchString(pane) {
				return place{}, false
			}
			return place{server: []string{"tmux", "-S", socket}, pane: pane}, true
		},
		look: func(at place) []string {
			return []string{"display-message", "-p", "-t", at.pane, tmuxView, ";", "list-clients", "-F", tmuxClients}
		},
		seen: tmuxSeen,
		open: func(at place, v view, argv []string) []string {
			command := []string{"split-window", "-v", "-t", at.pane}
			if v.window {
				// At the first free number: the user's windows keep theirs.
				command = []string{"new-window", "-n", title(), "-t", v.session + ":"}
			}
			if !v.focus {
				command = append(command, "-d")
			}
			command = append(command, "-P", "-F", "#{pane_id}")
			for _, word := range argv {
				command = append(command, tmuxWord(word))
			}
			return command
		},
		id:   tmuxPane(),
		shut: func(pane string) []string { return []string{"kill-pane", "-t", pane} },
		focus: func(v view, pane string) []string {
			if v.window {
				return []string{"select-window", "-t", pane}
			}
			return []string{"select-pane", "-t", pane}
		},
		// A key ends a message, and is not lost unless that is switched off (-N).
		tell: func(client, pane, text string) []string {
			return []string{"display-message", "-c", client, "-t", pane, "-d", strconv.Itoa(40 * len(text)), text} // time to read
		},
		way: func(v view) string {
			if v.window || v.elsewhere {
				return words.T("A question waits in window #{window_index}: #{prefix} ' #{window_index}")
			}
			return words.T("A question waits below: pause, or #{prefix} Down")
		},
		// Among the global hooks: one of a session would hide them from it. The
		// option is there because tmux forgets two signals that nobody waits for.
		hooks: func(name string) (begin, wait, end []string) {
			option := "@askuser" + name
			for _, event := range tmuxEvents {
				hook := event + "[" + name + "]"
				begin = append(begin, "set-hook", "-g", hook, "if-shell -F '#{?"+option+",,1}' 'set-option -g "+option+" 1 ; wait-for -S "+option+"'", ";")
				end = append(end, "set-hook", "-gu", hook, ";")
			}
			forget := []string{"set-option", "-gu", option}
			return begin, append([]string{"wait-for", option, ";"}, forget...), append(end, forget...)
		},
	}
}

// tmuxView and tmuxClients ask for what tmuxSeen reads. A format that this tmux
// does not know comes out empty.
const (
	tmuxView    = "#{pane_id},#{window_id},#{session_id},#{pane_active},#{pane_height},#{window_zoomed_flag},#{session_group}"
	tmuxClients = "#{client_name},#{window_id},#{session_id},#{client_activity},#{client_control_mode},#{session_group}"
)

// tmuxSeen reads the answers: a line on the asker's pane and one on each client.
// tmux knows no error for a pane that does not exist: it answers with an empty
// id. Of a client's last key it tells the second, rounded down; of one that is
// a program (control mode) it tells nothing.
func tmuxSeen(at place, output string) (view, error) {
	lines := strings.Split(output, "\n")
	pane := strings.SplitN(lines[0], ",", 7)
	if len(pane) < 7 || pane[0] != at.pane || !tmuxSession().MatchString(pane[2]) {
		return view{}, ui.Unavailablef("tmux no longer has the pane %s", at.pane)
	}
	height, _ := strconv.Atoi(pane[4])
	// A split would end the zoom for good.
	v := view{session: pane[2], elsewhere: true, window: height < roomy || pane[5] == "1"}
	last, known := int64(0), true
	for _, line := range lines[1:] {
		client := strings.SplitN(line, ",", 6)
		if len(client) < 6 || !tmuxSession().MatchString(client[2]) {
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
		v.calm = time.Unix(last, 0).Add(quiet)
	}
	return v, nil
}

// tmuxWord protects a word's last semicolon, which tmux would take for the end
// of the command.
func tmuxWord(word string) string {
	if before, ok := strings.CutSuffix(word, ";"); ok {
		return before + `\;`
	}
	return word
}
