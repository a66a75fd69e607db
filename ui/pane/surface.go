// Package pane shows a question in a pane or window of tmux beside the asker. It runs
// `mcp-askuser answer ID` there, a process of its own, and the reply returns through the
// desk.
//
// It imports ui, ui/words and desk. It must not know how a question is drawn or
// answered, or any other surface.
//
// The rules:
//
//   - Nothing is opened where no user looks: tmux reports that a client is attached.
//   - A target is never guessed. Ids come from tmux's own output or environment
//     and must look like its ids; the empty one would mean "the current one".
//   - No shell interprets a text from outside. Commands are argument lists.
//   - The place is proved by the asker's environment, or by that of an ancestor
//     that has a terminal itself.
//   - The user's keys are theirs: the pane takes the focus only if they look at
//     the asker's own pane and have pressed no key for a while. Where that is not
//     known it never does.
//   - A pane that closes without an answer answers nothing: the question stays
//     open for the next surface.
//   - A question that no user could see is shown when a client attaches while it
//     is open, although Show has returned before.
//
// While a pane is open or waits for a client, tmux is asked once a second, and later once in fifteen.
package pane

import (
	"sync"

	"mcp-askuser/ui"
)

// Variable is set in the environment of the command in a pane: the user did not open its
// form. It is [Ring] where the user looks elsewhere, and a bell draws their attention.
const (
	Variable = "MCP_ASKUSER_PANE"
	Ring     = "ring"
)

// New returns the surface "pane". Getenv looks up a variable of the asker's environment.
// Env are the variables, NAME=value, that name the asker's store and configuration: the
// environment of the pane may lead to others.
func New(getenv func(string) string, env ...string) ui.Surface {
	return &surface{getenv: getenv, env: env, lock: ui.NewLock()}
}

type surface struct {
	getenv    func(string) string
	env       []string                 // for the process in the pane
	lock      ui.Lock                  // to have a pane open
	later     sync.Map                 // by record id: the server at which showLater looks
	self      string                   // the program to run in it; empty means this one
	ancestors func(func(process) bool) // of the asker; nil means those of this process
}

// process is the asker or one of its ancestors.
type process struct {
	getenv func(string) string // of the environment it was started with
	daemon bool                // it has no terminal, and may serve users elsewhere
}

func (s *surface) Name() string { return "pane" }

// Answering returns a surface for the process in a pane: it shows a record as on does, but
// replies as "pane".
func Answering(on ui.Surface) ui.Surface { return answering{on} }

type answering struct{ ui.Surface }

func (answering) Name() string { return "pane" }
