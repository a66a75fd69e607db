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

// Host is a program in which agents run.
type Host struct {
	Name string // of its program
	// Unattended are the flags, or first arguments, of a host that runs without a user.
	Unattended []string
	// Marker is the variable that it sets for the commands of its agent; empty if
	// unknown.
	Marker string
	// Editor means that it starts the user's own terminals too: a process below it may
	// be the user's.
	Editor bool
}

// hosts are all known hosts, in the order in which they are matched.
var hosts = []Host{ //nolint:gochecknoglobals // a table, never written to
	{Name: "claude", Unattended: []string{"-p", "--print", "--output-format", "--input-format"}, Marker: "CLAUDECODE"},
	{Name: "codex", Unattended: []string{"exec", "e"}, Marker: "CODEX_SANDBOX"},
	{Name: "gemini", Unattended: []string{"-p", "--prompt"}, Marker: "GEMINI_CLI"},
	{Name: "opencode", Unattended: []string{"run"}, Marker: "OPENCODE"},
	{Name: "goose", Unattended: []string{"run"}},
	{Name: "crush", Unattended: []string{"run"}},
	{Name: "cursor-agent", Unattended: []string{"-p", "--print"}, Marker: "CURSOR_AGENT"},
	{Name: "copilot", Unattended: []string{"-p", "--prompt"}},
	{Name: "code", Editor: true},
	{Name: "code-insiders", Editor: true},
	{Name: "codium", Editor: true},
	{Name: "cursor", Editor: true},
	{Name: "windsurf", Editor: true},
	{Name: "zed", Editor: true},
	{Name: "zed-editor", Editor: true},
	{Name: "idea", Editor: true},
	{Name: "pycharm", Editor: true},
	{Name: "webstorm", Editor: true},
	{Name: "goland", Editor: true},
}

// editorClients are parts of the names by which editors call themselves as MCP
// clients, in lower case.
var editorClients = []string{"visual studio code", "visual-studio-code", "vscode", "cursor", "windsurf", "zed", "jetbrains"} //nolint:gochecknoglobals // a table, never written to

// EditorClient reports whether an MCP client of this name is an editor, which
// starts its user's terminals too.
func EditorClient(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(editorClients, func(part string) bool { return strings.Contains(name, part) })
}

// Of returns the host that a command line starts, also as a script in an interpreter,
// and whether it runs without a user. It is false for any other program.
func Of(args []string) (host Host, unattended, ok bool) {
	if len(args) == 0 {
		return Host{}, false, false
	}
	script := args
	if len(args) > 1 && slices.Contains([]string{"node", "bun", "deno"}, filepath.Base(args[0])) {
		script = args[1:]
	}
	for _, h := range hosts {
		switch {
		case h.Editor && hasName(args[0], h.Name):
			return h, false, true
		case !h.Editor && (hasName(script[0], h.Name) || strings.HasSuffix(script[0], "js") && strings.Contains(script[0], "/"+h.Name+"-")):
			return h, hasOne(script[1:], h.Unattended), true
		}
	}
	return Host{}, false, false
}

// Above returns the nearest host that is no editor among a process and its
// ancestors, and whether it runs without a user. It is false without one, or if the
// system does not show processes.
func Above(pid int) (host Host, unattended, ok bool) {
	for _, p := range proc.Chain(pid, proc.Look) {
		if host, unattended, ok = Of(p.Args); ok && !host.Editor {
			return host, unattended, true
		}
	}
	return Host{}, false, false
}

// Marked reports whether an environment is that of the commands of an agent.
func Marked(getenv func(string) string) bool {
	return slices.ContainsFunc(hosts, func(h Host) bool { return h.Marker != "" && getenv(h.Marker) != "" })
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
