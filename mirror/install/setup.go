package install

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-askuser/install"
	"mcp-askuser/install/edit"
	"mcp-askuser/ui/words"
)

// Setup is how a host's own questions are brought to the desk: the file in which
// that is set up, and what it holds.
type Setup struct {
	Path    string
	Restart string // what makes the host take a change up, to be given to words.T

	installed   func([]byte) bool
	permissions func([]byte) bool // whether they are mirrored, too
	change      func(permissions, out bool) (edit.Change, error)
}

// For returns the setup of a host that runs a program, with its arguments, for each
// event. It is false for a client whose questions cannot be mirrored.
func For(host string, p install.Place, program []string) (Setup, bool) {
	switch host {
	case "claude-code":
		path := p.ClaudeSettings()
		return Setup{
			path, words.Mark("Claude Code takes it up in sessions that are started from now on."), hasClaude, claudePermissions,
			func(permissions, out bool) (edit.Change, error) {
				return forClaude(path, shellLine(program), permissions, out)
			},
		}, true
	case "opencode":
		path := filepath.Join(p.OpenCode(), "plugins", "mcp-askuser.js")
		return Setup{
			path, words.Mark("OpenCode takes it up when it is started anew."), hasOpenCode, openCodePermissions,
			func(permissions, out bool) (edit.Change, error) {
				return forOpenCode(path, program, permissions, out)
			},
		}, true
	}
	return Setup{}, false
}

// Change returns the change that sets the host up, or takes that out again.
func (s Setup) Change(permissions, out bool) (edit.Change, error) { return s.change(permissions, out) }

// State is what a host's file says.
type State struct {
	Installed   bool
	Permissions bool // they are mirrored, too
	Current     bool // it says what [Setup.Change] would write
}

// State reads the host's file.
func (s Setup) State() (State, error) {
	now, err := edit.Read(s.Path)
	if err != nil {
		return State{}, err
	}
	state := State{Installed: s.installed(now.Before), Permissions: s.permissions(now.Before)}
	change, err := s.change(state.Permissions, false)
	state.Current = change.Empty()
	return state, err
}

// plainWord needs no quotes in any shell.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=-]+$`) })

// shellLine is a program and its arguments as a shell reads them.
func shellLine(words []string) string {
	out := slices.Clone(words)
	for i, word := range out {
		if !plainWord().MatchString(word) {
			out[i] = `'` + strings.ReplaceAll(word, `'`, `'\''`) + `'`
		}
	}
	return strings.Join(out, " ")
}
