//go:build unix

package pane

import (
	"regexp"
	"time"

	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// title is what a pane or window of ours is called.
func title() string { return words.T("question") }

// kind is a program that opens panes or windows: what its environment looks
// like from inside, and its commands. Commands are what follows place.server.
type kind struct {
	name string
	// inside tells from a process's environment whether it runs inside, and where.
	inside func(getenv func(string) string) (place, bool)
	// look is the command whose output seen reads. Nil where opening a pane is
	// proof enough that somebody sees it.
	look func(place) []string
	seen func(at place, output string) (view, error)
	// open is the command that runs argv in a new pane, and prints the pane's id.
	// Nil where none is ever opened.
	open func(at place, v view, argv []string) []string
	// id is what the ids of its panes look like. Nil where open prints none: such
	// a pane closes with its process.
	id *regexp.Regexp
	// shut closes a pane. Set if id is.
	shut func(pane string) []string
	// focus gives the focus to a pane that was opened without. Nil where that is
	// never done: then every pane takes it, or none does.
	focus func(v view, pane string) []string
	// grabs says that panes cannot be opened without the focus.
	grabs bool
	// tell shows a client a line. Nil where that cannot be done.
	tell func(client, pane, text string) []string
	// way says how to get to a pane without the focus. Set if focus is.
	way func(view) string
	// hooks has its second command return when a client has come, or looks at
	// something else, since the first; the third ends that. Nil where nothing
	// tells.
	hooks func(name string) (begin, wait, end []string)
}

// place is where an asker runs.
type place struct {
	server []string // the program, and the options that name its running instance
	pane   string   // the asker's own pane; none on a desktop
	env    []string // what the program's commands need of the environment, NAME=value
}

// view is what the human sees before the new pane.
type view struct {
	session   string    // where a window would be opened
	clients   []string  // whoever may see the pane
	elsewhere bool      // they are not looking at the asker's pane: leave their focus alone, and ring
	window    bool      // there is no room for a pane beside it: open a window
	calm      time.Time // when their keyboard will have been quiet for long enough; zero: that cannot be told
	focus     bool      // the new pane takes the focus
}

// find returns the program that the asker runs in, by its own environment or
// else by that of the nearest ancestor inside one; without any, a desktop.
// A daemon proves no place: neither its own nor that of who started it.
func (s *surface) find() (*kind, place, error) {
	for process := range s.processes {
		for _, k := range [...]*kind{tmux(), zellij(), wezterm(), kitty()} {
			at, ok := k.inside(process.getenv)
			if ok && process.daemon {
				return nil, place{}, ui.Unavailablef("only a daemon above is inside %s, which may serve other screens than its own", k.name)
			}
			if ok {
				return k, at, nil
			}
		}
		if process.daemon {
			break
		}
	}
	for process := range s.processes {
		if at, ok := desktop().inside(process.getenv); ok {
			return desktop(), at, nil
		}
	}
	return nil, place{}, ui.Unavailablef("not inside a terminal multiplexer, and no desktop to open a window on")
}

// processes yields the asker and then its ancestors.
func (s *surface) processes(yield func(process) bool) {
	above := s.ancestors
	if above == nil {
		above = ancestors
	}
	if yield(process{getenv: s.getenv}) {
		above(yield)
	}
}
