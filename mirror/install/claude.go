package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcp-askuser/install/edit"
	"mcp-askuser/mirror"
)

// limit is how many seconds Claude Code waits for us, beside a dialog that may
// be open for a day.
const limit = 86400

// permissionsFlag has permissions mirrored, too.
const permissionsFlag = "--permissions"

// entry is one hook of Claude Code's settings.
type entry struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Async   bool   `json:"async,omitempty"`
}

// group is the hooks of one matcher.
type group struct {
	Matcher string  `json:"matcher,omitempty"`
	Hooks   []entry `json:"hooks"`
}

// groupFor is what we install for an event. Only the one that stands beside a
// dialog may take long; the others are off the model's path.
func groupFor(event, command string, permissions bool) group {
	e := entry{Type: "command", Command: command, Timeout: 10, Async: true}
	matcher := "AskUserQuestion"
	switch event {
	case "PermissionRequest":
		e = entry{Type: "command", Command: fmt.Sprintf("%s --limit %d", command, limit), Timeout: limit}
		if permissions { // of every tool
			e.Command, matcher = e.Command+" "+permissionsFlag, ""
		}
	case "SessionEnd": // nobody waits for what it leaves behind
		e.Async, matcher = false, ""
	case "PostToolBatch", "Stop":
		matcher = ""
	}
	return group{Matcher: matcher, Hooks: []entry{e}}
}

// oursPattern is what our commands look like, wherever the program is.
var oursPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[/\\"' ])mcp-askuser(-hook(\.exe)?["']?|(\.exe)?["']? hook) claude-code( |$)`)
})

// Claude adds our hooks to Claude Code's settings. The command runs hook for one
// event. What is there already is brought up to date.
func Claude(data []byte, command string, permissions bool) ([]byte, error) {
	wanted, err := claudeInstalled(data)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(wanted, mirror.ClaudeCodeEvents(), func(have installed, event string) bool {
		return have.event == event && have.same(groupFor(event, command, permissions))
	}) {
		return data, nil
	}
	if data, err = WithoutClaude(data); err != nil {
		return nil, err
	}
	for _, event := range mirror.ClaudeCodeEvents() {
		if data, err = edit.Append(data, groupFor(event, command, permissions), "hooks", event); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// installed is a hook of ours in the settings.
type installed struct {
	event   string
	matcher string
	entry   entry
}

func (x installed) same(g group) bool { return x.matcher == g.Matcher && x.entry == g.Hooks[0] }

// claudeInstalled returns our hooks, in the order of our events.
func claudeInstalled(data []byte) ([]installed, error) {
	if _, err := events(data); err != nil {
		return nil, err
	}
	var found []installed
	for _, event := range mirror.ClaudeCodeEvents() {
		for at := range list(data, "hooks", event) {
			matcher, _, _ := edit.JSON.Get(data, "hooks", event, strconv.Itoa(at), "matcher")
			for _, h := range list(data, "hooks", event, strconv.Itoa(at), "hooks") {
				if e := entryOf(h); oursPattern().MatchString(e.Command) {
					text, _ := matcher.(string)
					found = append(found, installed{event, text, e})
				}
			}
		}
	}
	return found, nil
}

// events returns the names of the events that have hooks, of whomever. The error
// says why the file cannot be read.
func events(data []byte) ([]string, error) {
	v, found, err := edit.JSON.Get(data, "hooks")
	if err != nil || !found {
		return nil, err
	}
	hooks, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("hooks is no JSON object: nothing was changed")
	}
	return slices.Sorted(maps.Keys(hooks)), nil
}

// list returns the list at a path; nil where there is none.
func list(data []byte, path ...string) []any {
	v, _, _ := edit.JSON.Get(data, path...)
	elements, _ := v.([]any)
	return elements
}

// entryOf reads a hook; what is none comes out empty.
func entryOf(v any) (e entry) {
	data, err := json.Marshal(v)
	if err != nil || json.Unmarshal(data, &e) != nil {
		return entry{}
	}
	return e
}

func ours(v any) bool { return oursPattern().MatchString(entryOf(v).Command) }

// HasClaude reports whether hooks of ours are in the settings.
func HasClaude(data []byte) bool {
	found, err := claudeInstalled(data)
	return err == nil && len(found) > 0
}

// ClaudePermissions reports whether our hooks in the settings mirror permissions.
func ClaudePermissions(data []byte) bool {
	commands, _, err := ClaudeStatus(data)
	return err == nil && strings.HasSuffix(commands["PermissionRequest"], " "+permissionsFlag)
}

// ClaudeStatus says which of our hooks are in the settings, by event, and which
// are missing.
func ClaudeStatus(data []byte) (commands map[string]string, missing []string, err error) {
	found, err := claudeInstalled(data)
	commands = map[string]string{}
	for _, x := range found {
		commands[x.event] = x.entry.Command
	}
	for _, event := range mirror.ClaudeCodeEvents() {
		if commands[event] == "" {
			missing = append(missing, event)
		}
	}
	return commands, missing, err
}

// WithoutClaude takes our hooks out again, with what becomes empty by that.
func WithoutClaude(data []byte) ([]byte, error) {
	for {
		names, err := events(data)
		if err != nil {
			return data, err
		}
		path := oursIn(data, names)
		if path == nil {
			return data, nil
		}
		if data, err = edit.JSON.Remove(data, path...); err != nil {
			return nil, err
		}
	}
}

// oursIn returns the path of the last group that is wholly ours, or of the last
// hook of ours in a shared one; nil where there is none. Of several the last goes
// first: so the others stay where they are.
func oursIn(data []byte, names []string) []string {
	for _, event := range slices.Backward(names) {
		for at := range slices.Backward(list(data, "hooks", event)) {
			group := []string{"hooks", event, strconv.Itoa(at)}
			hooks := list(data, append(group, "hooks")...)
			if len(hooks) > 0 && !slices.ContainsFunc(hooks, func(h any) bool { return !ours(h) }) {
				return group
			}
			for i, h := range slices.Backward(hooks) {
				if ours(h) {
					return append(group, "hooks", strconv.Itoa(i))
				}
			}
		}
	}
	return nil
}

// ForClaude is the change that installs, or takes out, our hooks in a settings
// file, as it was installed where they are taken out.
func ForClaude(path, command string, permissions, out bool) (edit.Change, error) {
	if out {
		now, err := edit.Read(path)
		if err != nil {
			return now, err
		}
		commands, _, _ := ClaudeStatus(now.Before) // what cannot be read Plan tells
		command, permissions = strings.CutSuffix(commands["PermissionRequest"], " "+permissionsFlag)
		command = strings.TrimSuffix(command, fmt.Sprintf(" --limit %d", limit))
	}
	return edit.Plan(path, out,
		func(data []byte) ([]byte, error) { return Claude(data, command, permissions) },
		WithoutClaude)
}
