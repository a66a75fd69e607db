package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcp-askuser/mirror"
)

// hookLimit is how many seconds a client waits for hook: a dialog may be open for a day.
const hookLimit = 86400

// permissionsFlag has hook mirror permissions, too.
const permissionsFlag = "--permissions"

// Questions is how a client's own questions come here.
type Questions struct {
	Path        string
	Installed   bool
	Permissions bool // come here, too
	Current     bool // as this version would install it
}

// Questions describes the client's file; false for a client whose questions cannot be
// brought here. Hook is the program of [Options].
func (c *Client) Questions(p Place, hook []string) (q Questions, can bool, err error) {
	if c.questions == nil {
		return q, false, nil
	}
	f := c.questions(p)
	q.Path = f.path
	now, err := open(f.path)
	without, fault := f.change(now.Before, Options{Hook: hook}, true)
	err = errors.Join(err, fault)
	if err != nil {
		return q, true, err
	}
	q.Installed = !bytes.Equal(without, now.Before)
	q.Permissions = bytes.Count(now.Before, []byte(permissionsFlag)) > bytes.Count(without, []byte(permissionsFlag))
	current, err := f.change(now.Before, Options{Hook: hook, Permissions: q.Permissions}, false)
	q.Current = bytes.Equal(current, now.Before)
	off, _ := jsonFile.get(now.Before, "disableAllHooks") // a setting of Claude Code's
	if q.Installed && off == true && err == nil {
		err = fmt.Errorf("%s: disableAllHooks = true: Claude Code runs no hook", f.path)
	}
	return q, true, err
}

// command is one hook of Claude Code's settings.
type command struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Async   bool   `json:"async,omitempty"`
}

// group is a matcher and its hooks.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []command `json:"hooks"`
}

// groupFor returns the group that we install for an event. Only the hook that runs
// beside a dialog may take long; the agent does not wait for the others.
func groupFor(event, line string, permissions bool) group {
	hook := command{Type: "command", Command: line, Timeout: 10, Async: true}
	matcher := "AskUserQuestion"
	switch event {
	case "PermissionRequest":
		hook = command{Type: "command", Command: fmt.Sprintf("%s --limit %d", line, hookLimit), Timeout: hookLimit}
		if permissions { // of every tool
			hook.Command, matcher = hook.Command+" "+permissionsFlag, ""
		}
	case "SessionEnd": // the host does not wait for background processes
		hook.Async, matcher = false, ""
	case "PostToolBatch", "Stop", "UserPromptSubmit":
		matcher = ""
	}
	return group{Matcher: matcher, Hooks: []command{hook}}
}

// claudeQuestions is Claude Code's settings, in which our hooks run hook.
func claudeQuestions(p Place) file {
	return file{p.ClaudeSettings(), func(data []byte, o Options, out bool) ([]byte, error) {
		return jsonFile.edit(data, []string{"hooks"}, func(text []byte) ([]byte, error) {
			text, err := withoutHooks(text, o.Hook)
			if out || err != nil {
				return text, err
			}
			for _, event := range mirror.ClaudeCodeEvents() {
				ours := groupFor(event, ShellLine(o.Hook...), o.Permissions)
				text, err = setJSON(text, ours, []string{"hooks", event, "-"})
				if err != nil {
					return nil, err
				}
			}
			return text, nil
		})
	}}
}

// withoutHooks removes our hooks from Claude Code's settings, and what is empty then: those that run
// a program of our name, or the given one under its own.
func withoutHooks(text []byte, run []string) ([]byte, error) {
	value, err := jsonFile.get(text, "hooks")
	if err != nil {
		return nil, err
	}
	ours := func(hook any) bool {
		members, _ := hook.(entry)
		line, _ := members["command"].(string)
		given := len(run) > 0 && strings.HasPrefix(line, ShellLine(run[0])+" ")
		return (given || strings.Contains(line, "mcp-askuser")) && strings.Contains(line, " hook claude-code")
	}
	events, _ := value.(entry)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		groups, _ := events[event].([]any)
		for i, value := range slices.Backward(groups) { // the indexes of the others stay valid
			members, _ := value.(entry)
			hooks, _ := members["hooks"].([]any)
			path := []string{"hooks", event, strconv.Itoa(i)}
			left := slices.DeleteFunc(slices.Clone(hooks), ours)
			for at, hook := range slices.Backward(hooks) {
				if len(left) > 0 && ours(hook) && err == nil {
					text, err = removeJSON(text, append(slices.Clip(path), "hooks", strconv.Itoa(at)))
				}
			}
			if len(hooks) > 0 && len(left) == 0 && err == nil {
				text, err = removeJSON(text, path)
			}
		}
	}
	return text, err
}

// plainWord matches words that need no quotes in any shell.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=-]+$`) })

// ShellLine returns words, such as a program and its arguments, as a shell takes them.
func ShellLine(words ...string) string {
	out := slices.Clone(words)
	for i, word := range out {
		if !plainWord().MatchString(word) {
			out[i] = `'` + strings.ReplaceAll(word, `'`, `'\''`) + `'`
		}
	}
	return strings.Join(out, " ")
}

//go:embed opencode.js
var openCodePlugin []byte

// openCodeMark is how a plugin file of ours begins.
const openCodeMark = `// Written by "mcp-askuser `

// OpenCode returns our plugin for OpenCode, which runs a program for each event; for
// permissions only if they are mirrored.
func OpenCode(program []string, permissions bool) []byte {
	plugin, program := openCodePlugin, append(slices.Clip(program), "--limit", strconv.Itoa(hookLimit))
	if permissions {
		program = append(program, permissionsFlag)
		plugin = bytes.Replace(plugin, []byte("const permissions = false"), []byte("const permissions = true"), 1)
	}
	list, _ := json.Marshal(program) // strings have no reason to fail
	return bytes.Replace(plugin, []byte("const command = []"), fmt.Appendf(nil, "const command = %s", list), 1)
}

// openCodeQuestions is our plugin, a file of its own.
func openCodeQuestions(p Place) file {
	path := filepath.Join(p.OpenCode(), "plugins", "mcp-askuser.js")
	return file{path, func(data []byte, o Options, out bool) ([]byte, error) {
		foreign := data != nil && !bytes.HasPrefix(data, []byte(openCodeMark))
		switch {
		case foreign && out:
			return data, nil
		case foreign:
			return nil, errors.New("another program has written this, and it was not changed")
		case out:
			return nil, nil
		}
		return OpenCode(o.Hook, o.Permissions), nil
	}}
}
