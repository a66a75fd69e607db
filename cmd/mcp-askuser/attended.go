package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mcp-askuser/internal/proc"
)

// attended reports whether a human sits at the client that has started this
// server: its model can tell them where to answer. A host that we know has one,
// unless it was started to run by itself; any other has where there is a
// terminal.
func (a *app) attended(known bool) bool {
	if ci := a.getenv("CI"); ci != "" && ci != "false" && ci != "0" {
		return false
	}
	if host, alone := a.above.runsAlone(os.Getppid()); host {
		return !alone
	}
	if known {
		return true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	return tty.Close() == nil
}

// ancestors remembers what was found above a process: a server asks with every
// question, and as long as its parent lives it is the same.
type ancestors struct {
	mu          sync.Mutex
	of          int
	host, alone bool
}

// runsAlone looks for a host among a process and those above it.
func (x *ancestors) runsAlone(pid int) (host, alone bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of == pid {
		return x.host, x.alone
	}
	x.of, x.host, x.alone = pid, false, false
	for pid > 1 && !x.host {
		p, ok := proc.Look(pid)
		if !ok {
			break
		}
		x.host, x.alone = runsAlone(p.Args)
		pid = p.Parent
	}
	return x.host, x.alone
}

// unattended are the words by which a host's command line says that no human
// is there, by the name of its program: flags, or its first word.
var unattended = map[string][]string{ //nolint:gochecknoglobals // a table, never written to
	"claude":       {"-p", "--print", "--output-format", "--input-format"},
	"codex":        {"exec", "e"},
	"gemini":       {"-p", "--prompt"},
	"opencode":     {"run"},
	"goose":        {"run"},
	"crush":        {"run"},
	"cursor-agent": {"-p", "--print"},
	"copilot":      {"-p", "--prompt"},
}

// runsAlone tells from a command line whether it is a host's, perhaps a script
// in an interpreter, and whether that host runs without a human.
func runsAlone(args []string) (host, alone bool) {
	if len(args) > 1 && slices.Contains([]string{"node", "bun", "deno"}, filepath.Base(args[0])) {
		args = args[1:]
	}
	for name, words := range unattended {
		if len(args) > 0 && isProgram(args[0], name) {
			return true, hasOne(args[1:], words)
		}
	}
	return false, false
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

// isProgram reports whether a path is that of a program of this name, or of a
// script in a package named so: gemini, …/@google/gemini-cli/dist/index.js.
func isProgram(path, name string) bool {
	if base := filepath.Base(path); base == name || base == name+".exe" || base == name+".js" {
		return true
	}
	return strings.HasSuffix(path, "js") && strings.Contains(path, "/"+name+"-")
}

// inboxCommand is what the human runs to answer what is asked of this server.
func (a *app) inboxCommand() string {
	dir := a.settings().Dir
	if dir == "" {
		return "mcp-askuser inbox"
	}
	return "mcp-askuser inbox --dir '" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
}
