//go:build unix

package pane

import (
	"regexp"

	"mcp-askuser/ui"
)

// title is what a pane or window of ours is called.
const title = "question"

// kind is a program that opens panes or windows: what its environment looks
// like from inside, and its commands. Commands are what follows place.server.
type kind struct {
	name string
	// inside tells from a process's environment whether it runs inside, and where.
	inside func(getenv func(string) string) (place, bool)
	// look is the command whose output seen judges. The error says why no human
	// can see a new pane. Nil where opening one is proof enough.
	look func(place) []string
	seen func(at place, output string) (view, error)
	// open is the command that runs argv in a new pane, and prints the pane's id.
	open func(at place, v view, argv []string) []string
	// id is what the ids of its panes look like. Nil where open prints none: such
	// a pane closes with its process.
	id *regexp.Regexp
	// shut closes a pane. Set if id is.
	shut func(at place, pane string) []string
	// tell shows the human a line. Nil where that cannot be done.
	tell func(at place, text string) []string
}

// place is where an asker runs.
type place struct {
	server []string // the program, and the options that name its running instance
	pane   string   // the asker's own pane; none on a desktop
	env    []string // what the program's commands need of the environment, NAME=value
}

// view is what the human sees before the new pane.
type view struct {
	session   string // where a window would be opened
	elsewhere bool   // they are not looking at the asker's pane: leave their focus alone, and ring
	window    bool   // there is no room for a pane beside it: open a window
}

// find returns the program that the asker runs in, by its own environment or
// else by that of the nearest ancestor inside one; without any, a desktop.
func (s *surface) find() (*kind, place, error) {
	for _, kinds := range [...][]*kind{{tmux(), zellij(), wezterm(), kitty()}, {desktop()}} {
		for env := range s.environments {
			for _, k := range kinds {
				if at, ok := k.inside(env); ok {
					return k, at, nil
				}
			}
		}
	}
	return nil, place{}, ui.Unavailablef("not inside a terminal multiplexer, and no desktop to open a window on")
}

// environments yields the asker's environment and then its ancestors'.
func (s *surface) environments(yield func(func(string) string) bool) {
	if !yield(s.options.Getenv) {
		return
	}
	for env := range s.options.Ancestors {
		if !yield(env) {
			return
		}
	}
}
