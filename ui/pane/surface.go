// Package pane shows a question in a terminal of its own beside the asker: a
// pane of the multiplexer or terminal it runs in, or a new window on the
// desktop. The pane runs `mcp-askuser answer ID`, a process of its own, and the
// reply comes back through the desk.
//
// It imports ui, ui/words and desk. It must not know what a question looks like, how it
// is answered, or any other surface. What differs between tmux, WezTerm, kitty
// and terminal emulators stands in one [kind] each.
//
// The rules:
//
//   - Nothing is opened where nobody looks: the program says that a client is
//     attached, and the process in the pane says that it runs.
//   - A target is never guessed. Ids come from the program's own output or
//     environment and must look like its ids; the empty one would mean "the
//     current one".
//   - No shell sees a text from outside. Commands are argument lists; the one
//     shell script is a constant.
//   - A place is proved: by the asker's environment, or that of an ancestor that
//     stands on a screen itself.
//   - The human's keys are theirs: the pane takes the focus only if they are
//     looking at the asker's own pane and have not touched a key for a while.
//     Where that cannot be told it never does.
//   - A pane that goes away without an answer answers nothing: the question
//     stays open for the next surface.
//   - A question that nobody could see comes to whoever attaches while it is
//     open, though Show has long returned.
package pane

import "mcp-askuser/ui"

// New returns the surface "pane". Getenv looks up a variable of the asker's
// environment.
func New(getenv func(string) string) ui.Surface {
	return &surface{getenv: getenv, turn: ui.NewTurn()}
}

type surface struct {
	getenv    func(string) string
	turn      ui.Turn                  // to have a pane open
	self      string                   // the program to run in it; empty means this one
	ancestors func(func(process) bool) // of the asker; nil means those of this process
}

// process is the asker or one above it.
type process struct {
	getenv func(string) string // of the environment it was started with
	daemon bool                // it stands on no screen: what it serves may be on others than the one it was started on
}

// Quietly returns the surface for a question that can be shown elsewhere too: it
// reaches the human only where they look and have not touched a key for a while.
func (s *surface) Quietly() ui.Surface { return quietly{s} }

type quietly struct{ *surface }

func (s *surface) Name() string { return "pane" }
