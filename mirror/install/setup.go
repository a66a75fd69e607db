package install

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-askuser/install"
	"mcp-askuser/install/edit"
)

// Setup is the file that has a host run hook.
type Setup struct {
	Path    string
	Restart string // when a change takes effect, for words.T
	// Change returns the change that sets the host up, or undoes that.
	Change func(permissions, out bool) (edit.Change, error)

	installed   func([]byte) bool
	permissions func([]byte) bool // are mirrored
}

// For returns the setup of a host that runs a program, with its arguments, for each
// event. It is false for a client whose questions cannot be mirrored.
func For(host string, p install.Place, program []string) (Setup, bool) {
	switch host {
	case "claude-code":
		path := p.ClaudeSettings()
		return Setup{
			path, "Claude Code takes it up in sessions that are started from now on.",
			func(permissions, out bool) (edit.Change, error) {
				return forClaude(path, shellLine(program), permissions, out)
			},
			hasClaude, claudePermissions,
		}, true
	case "opencode":
		path := filepath.Join(p.OpenCode(), "plugins", "mcp-askuser.js")
		return Setup{
			path, "OpenCode takes it up when it is started anew.",
			func(permissions, out bool) (edit.Change, error) {
				return forOpenCode(path, program, permissions, out)
			},
			hasOpenCode, openCodePermissions,
		}, true
	}
	return Setup{}, false
}

// State describes a host's file.
type State struct {
	Installed   bool
	Permissions bool // are mirrored
	Current     bool // [Setup.Change] would change nothing
}

// State reads the host's file.
func (s Setup) State() (State, error) {
	now, err := edit.Read(s.Path)
	if err != nil {
		return State{}, err
	}
	state := State{Installed: s.installed(now.Before), Permissions: s.permissions(now.Before)}
	change, err := s.Change(state.Permissions, false)
	state.Current = change.Empty()
	return state, err
}

// plainWord matches words that need no quotes in any shell.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=-]+$`) })

// shellLine returns a program and its arguments as a shell command.
func shellLine(words []string) string {
	out := slices.Clone(words)
	for i, word := range out {
		if !plainWord().MatchString(word) {
			out[i] = `'` + strings.ReplaceAll(word, `'`, `'\''`) + `'`
		}
	}
	return strings.Join(out, " ")
}
