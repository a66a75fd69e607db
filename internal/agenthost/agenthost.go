// Package agenthost recognizes the programs in which agents run by their command lines:
// whether one is a host, whether a user sits at it, and whether the user's own terminals
// run below it too. It imports only internal/proc.
package agenthost

import (
	"path/filepath"
	"slices"
	"strings"

	"mcp-askuser/internal/proc"
)

// host is a program in which agents run.
type host struct {
	name       string   // of its program
	unattended []string // the flags, or first arguments, with which it runs without a user
	marker     string   // the variable that it sets for the commands of its agent; empty if unknown
}

var hosts = []host{ //nolint:gochecknoglobals // a table, never written to
	{"claude", []string{"-p", "--print", "--output-format", "--input-format"}, "CLAUDECODE"},
	{"codex", []string{"exec", "e"}, "CODEX_SANDBOX"},
	{"gemini", []string{"-p", "--prompt"}, "GEMINI_CLI"},
	{"opencode", []string{"run"}, "OPENCODE"},
	{"goose", []string{"run"}, ""},
	{"crush", []string{"run"}, ""},
	{"cursor-agent", []string{"-p", "--print"}, "CURSOR_AGENT"},
	{"copilot", []string{"-p", "--prompt"}, ""},
}

// editors are the programs of editors, which start the user's own terminals too: a process
// below one may be the user's.
var editors = []string{ //nolint:gochecknoglobals // a table, never written to
	"code", "code-insiders", "codium", "cursor", "windsurf", "zed", "zed-editor", "idea", "pycharm", "webstorm", "goland",
}

// Editor reports whether a program's file is an editor.
func Editor(path string) bool {
	return slices.ContainsFunc(editors, func(name string) bool { return hasName(path, name) })
}

// Of reports whether a command line starts a host, also as a script in an interpreter, and
// whether that runs without a user.
func Of(args []string) (unattended, ok bool) {
	if len(args) > 1 && slices.Contains([]string{"node", "bun", "deno"}, filepath.Base(args[0])) {
		args = args[1:]
	}
	for _, h := range hosts {
		if len(args) > 0 && (hasName(args[0], h.name) || strings.HasSuffix(args[0], "js") &&
			strings.Contains(args[0], "/"+h.name+"-")) {
			return hasOne(args[1:], h.unattended), true
		}
	}
	return false, false
}

// Above reports whether a process or one of its ancestors is a host, and whether the nearest
// one runs without a user. It is false if the system does not show processes.
func Above(pid int) (unattended, ok bool) {
	for _, p := range proc.Chain(pid, proc.Look) {
		if unattended, ok = Of(p.Args); ok {
			break
		}
	}
	return unattended, ok
}

// Marked reports whether an environment is that of the commands of an agent.
func Marked(getenv func(string) string) bool {
	return slices.ContainsFunc(hosts, func(h host) bool { return h.marker != "" && getenv(h.marker) != "" })
}

// hasOne reports whether one of the words is among the arguments: a flag
// anywhere, any other as the first that is no flag, or no flag's value.
func hasOne(args, words []string) bool {
	seen, plain := false, false
	for i, arg := range args {
		arg, _, _ = strings.Cut(arg, "=")
		if strings.HasPrefix(arg, "-") {
			if slices.Contains(words, arg) {
				return true
			}
			continue
		}
		value := i > 0 && strings.HasPrefix(args[i-1], "-")
		if slices.Contains(words, arg) && (!seen || !plain && !value) {
			return true
		}
		seen, plain = true, plain || !value
	}
	return false
}

// hasName reports whether a path is that of a program of this name, or of a
// script: gemini, gemini.js. Of a script in a package Of looks at the path:
// …/@google/gemini-cli/dist/index.js.
func hasName(path, name string) bool {
	base := filepath.Base(path)
	return base == name || base == name+".exe" || base == name+".js"
}
