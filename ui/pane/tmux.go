//go:build unix

package pane

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"mcp-askuser/ui"
	"sync"
)

// roomy is the height in lines that a pane must have to be split.
const roomy = 24

var (
	tmuxPane    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%[0-9]+$`) })
	tmuxSession = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$[0-9]+$`) })
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
		look: func(at place) []string { return []string{"display-message", "-p", "-t", at.pane, tmuxView} },
		seen: tmuxSeen,
		open: func(at place, v view, argv []string) []string {
			command := []string{"split-window", "-v", "-t", at.pane}
			if v.window {
				// At the first free number: the user's windows keep theirs.
				command = []string{"new-window", "-n", title, "-t", v.session + ":"}
			}
			if v.elsewhere {
				command = append(command, "-d")
			}
			command = append(command, "-P", "-F", "#{pane_id}")
			for _, word := range argv {
				command = append(command, tmuxWord(word))
			}
			return command
		},
		id:   tmuxPane(),
		shut: func(_ place, pane string) []string { return []string{"kill-pane", "-t", pane} },
		tell: func(at place, text string) []string { return []string{"display-message", "-t", at.pane, text} },
	}
}

// tmuxView asks for what tmuxSeen reads. A format that this tmux does not know
// comes out empty.
const tmuxView = "#{pane_id},#{session_id},#{session_attached},#{session_group_attached},#{window_active_clients},#{pane_active},#{pane_height},#{window_zoomed_flag}"

// tmuxSeen reads the answer to tmuxView. tmux knows no error for a pane that
// does not exist: it answers with an empty id.
func tmuxSeen(at place, output string) (view, error) {
	fields := strings.Split(output, ",")
	if len(fields) != 8 || fields[0] != at.pane || !tmuxSession().MatchString(fields[1]) {
		return view{}, ui.Unavailablef("tmux no longer has the pane %s", at.pane)
	}
	var n [6]int
	for i, field := range fields[2:] {
		n[i], _ = strconv.Atoi(field) // empty means none
	}
	watching, active, height, zoomed := n[2] > 0, n[3] > 0, n[4], n[5] > 0
	if n[0]+n[1]+n[2] == 0 {
		return view{}, ui.Unavailablef("no client is attached to the tmux session")
	}
	// A split would end the zoom for good.
	return view{session: fields[1], elsewhere: !watching || !active, window: height < roomy || zoomed}, nil
}

// tmuxWord protects a word's last semicolon, which tmux would take for the end
// of the command.
func tmuxWord(word string) string {
	if before, ok := strings.CutSuffix(word, ";"); ok {
		return before + `\;`
	}
	return word
}
