//go:build unix

package pane

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Programs that are both: a multiplexer to those inside, a terminal emulator to
// those on a desktop.
const (
	programWezTerm = "wezterm"
	programKitty   = "kitty"
)

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })

// zellij would open a pane over the tab that the human is in, which takes the
// keyboard, and it does not tell whether that is quiet: none is opened. The access
// time of its clients' terminals would tell no better: zellij does not say which
// those are, and Linux keeps that time in steps of eight seconds, lest somebody
// learn what is typed from it.
func zellij() *kind {
	return &kind{
		name: "zellij",
		inside: func(getenv func(string) string) (place, bool) {
			return place{}, getenv("ZELLIJ") != "" && getenv("ZELLIJ_SESSION_NAME") != ""
		},
	}
}

// wezterm splits the asker's pane, which gives the new one the focus. It tells
// how long each client has been quiet.
func wezterm() *kind {
	return &kind{
		name: programWezTerm,
		inside: func(getenv func(string) string) (place, bool) {
			pane := getenv("WEZTERM_PANE")
			if !number().MatchString(pane) || !ours(getenv("WEZTERM_UNIX_SOCKET")) {
				return place{}, false
			}
			return place{
				server: []string{programWezTerm, "cli", "--no-auto-start"},
				pane:   pane,
				env:    keep(getenv, "WEZTERM_UNIX_SOCKET"),
			}, true
		},
		look: func(place) []string { return []string{"list-clients", "--format", "json"} },
		seen: func(_ place, output string) (view, error) {
			var clients []struct {
				Username string
				Idle     struct {
					Whole time.Duration `json:"secs"`
					Rest  time.Duration `json:"nanos"`
				} `json:"idle_time"`
			}
			var v view
			_ = json.Unmarshal([]byte(output), &clients)
			for _, c := range clients {
				v.clients = append(v.clients, c.Username)
				if calm := time.Now().Add(quiet - c.Idle.Whole*time.Second - c.Idle.Rest); calm.After(v.calm) {
					v.calm = calm
				}
			}
			return v, nil
		},
		open: func(at place, _ view, argv []string) []string {
			return append([]string{"split-pane", "--bottom", "--pane-id", at.pane, "--"}, argv...)
		},
		id:    number(),
		grabs: true,
		shut:  func(pane string) []string { return []string{"kill-pane", "--pane-id", pane} },
	}
}

// kitty opens a window (its word for a pane) in the asker's tab. It takes
// commands only where the user has switched remote control on, and only
// through its socket: without one it would talk over the terminal that the
// host holds. Where it runs, its windows are on a desktop. It
// does not tell when a key came last: its windows never take the focus.
func kitty() *kind {
	return &kind{
		name: programKitty,
		inside: func(getenv func(string) string) (place, bool) {
			pane, socket := getenv("KITTY_WINDOW_ID"), getenv("KITTY_LISTEN_ON")
			path, local := strings.CutPrefix(socket, "unix:")
			abstract := strings.HasPrefix(path, "@")
			if !number().MatchString(pane) || !local || !abstract && !ours(path) {
				return place{}, false
			}
			return place{server: []string{programKitty, "@", "--to", socket}, pane: pane}, true
		},
		open: func(at place, _ view, argv []string) []string {
			return append([]string{"launch", "--match", "window_id:" + at.pane, "--type", "window", "--keep-focus", "--title", title()}, argv...)
		},
		id:   number(),
		shut: func(pane string) []string { return []string{"close-window", "--match", "id:" + pane} },
	}
}

// keep returns those of the variables that are set, as NAME=value.
func keep(getenv func(string) string, names ...string) []string {
	var env []string
	for _, name := range names {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
