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

// hosts are the programs in which agents run, with the flags, or first arguments, with which each runs
// without a user.
var hosts = map[string][]string{ //nolint:gochecknoglobals // a table, never written to
	"claude":        {"-p", "--print", "--output-format", "--input-format"},
	"codex":         {"exec", "e"},
	"gemini":        {"-p", "--prompt"},
	"opencode":      {"run"},
	"goose":         {"run"},
	"crush":         {"run"},
	"cursor-agent":  {"-p", "--print"},
	"copilot":       {"-p", "--prompt"},
	"kiro-cli":      {"--no-interactive"},
	"kiro-cli-chat": {"--no-interactive"},
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
		script := slices.IndexFunc(args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
		args = args[1+max(0, script):]
	}
	for name, unattended := range hosts {
		if len(args) > 0 && (hasName(args[0], name) || strings.HasSuffix(args[0], "js") &&
			strings.Contains(args[0], "/"+name+"-")) {
			return hasOne(args[1:], unattended), true
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

// Marked reports whether an environment is that of a command of an agent: hosts set these variables.
func Marked(getenv func(string) string) bool {
	return slices.ContainsFunc([]string{
		"CLAUDECODE", "CODEX_THREAD_ID", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE", "CURSOR_AGENT", "COPILOT_CLI",
		"GOOSE_TERMINAL", "CRUSH", "VSCODE_AGENT",
	}, func(name string) bool { return getenv(name) != "" })
}

// hasOne reports whether one of the words is among the arguments.
func hasOne(args, words []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		arg, _, _ = strings.Cut(arg, "=")
		return slices.Contains(words, arg)
	})
}

// hasName reports whether a path is that of a program of this name, or of a
// script: gemini, gemini.js. Of a script in a package Of looks at the path:
// …/@google/gemini-cli/dist/index.js.
func hasName(path, name string) bool {
	base := filepath.Base(path)
	return base == name || base == name+".exe" || base == name+".js"
}
