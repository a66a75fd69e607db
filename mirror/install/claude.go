// Package install sets hosts up to run hook for their events, and undoes that: Claude
// Code by its settings, OpenCode by a plugin file. It may import install and edit, and
// mirror for the names of events.
package install

import (
	"encoding/json"
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

// limit is how many seconds Claude Code waits for hook: a dialog may be open for a day.
const limit = 86400

// permissionsFlag enables mirroring of permissions.
const permissionsFlag = "--permissions"

// entry is one hook of Claude Code's settings.
type entry struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Async   bool   `json:"async,omitempty"`
}

// group is a matcher and its hooks.
type group struct {
	Matcher string  `json:"matcher,omitempty"`
	Hooks   []entry `json:"hooks"`
}

// groupFor returns the group that we install for an event. Only the hook that runs
// beside a dialog may take long; the agent does not wait for the others.
func groupFor(event, command string, permissions bool) group {
	e := entry{Type: "command", Command: command, Timeout: 10, Async: true}
	matcher := "AskUserQuestion"
	switch event {
	case "PermissionRequest":
		e = entry{Type: "command", Command: fmt.Sprintf("%s --limit %d", command, limit), Timeout: limit}
		if permissions { // of every tool
			e.Command, matcher = e.Command+" "+permissionsFlag, ""
		}
	case "SessionEnd": // the host does not wait for background processes
		e.Async, matcher = false, ""
	case "PostToolBatch", "Stop", "UserPromptSubmit":
		matcher = ""
	}
	return group{Matcher: matcher, Hooks: []entry{e}}
}

// oursPattern matches our commands, in any directory.
var oursPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[/\\"' ])mcp-askuser(-hook(\.exe)?["']?|(\.exe)?["']? hook) claude-code( |$)`)
})

// Claude adds our hooks to Claude Code's settings, or updates them. The command runs
// hook for one event.
func Claude(data []byte, command string, permissions bool) ([]byte, error) {
	have, err := claudeInstalled(data)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(have, slices.Sorted(slices.Values(mirror.ClaudeCodeEvents())), func(x installed, event string) bool {
		g := groupFor(event, command, permissions)
		return x.event == event && x.matcher == g.Matcher && x.entry == g.Hooks[0]
	}) {
		return data, nil
	}
	if data, err = withoutClaude(data, nil); err != nil {
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
	event string
	// path is removed to remove the hook: that of the hook, or of its group if all hooks
	// of that are ours; nil if an earlier hook has the group's.
	path    []string
	matcher string
	entry   entry
}

// claudeInstalled returns our hooks, sorted by event and index. The error says why the
// file cannot be read.
func claudeInstalled(data []byte) (found []installed, err error) {
	v, exists, err := edit.JSON.Get(data, "hooks")
	if err != nil || !exists {
		return nil, err
	}
	events, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("hooks: %w", edit.ErrNoObject)
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		groups, _ := events[event].([]any)
		for i, v := range groups {
			group, _ := v.(map[string]any)
			matcher, _ := group["matcher"].(string)
			hooks, _ := group["hooks"].([]any)
			path := []string{"hooks", event, strconv.Itoa(i)}
			allOurs := !slices.ContainsFunc(hooks, func(h any) bool { return !ours(h) })
			for at, h := range hooks {
				x := installed{event: event, matcher: matcher, entry: entryOf(h)}
				switch {
				case !ours(h):
					continue
				case !allOurs:
					x.path = append(slices.Clip(path), "hooks", strconv.Itoa(at))
				case at == 0:
					x.path = path
				}
				found = append(found, x)
			}
		}
	}
	return found, nil
}

// entryOf decodes a hook; any other value becomes an empty one.
func entryOf(v any) (e entry) {
	data, err := json.Marshal(v)
	if err != nil || json.Unmarshal(data, &e) != nil {
		return entry{}
	}
	return e
}

func ours(hook any) bool { return oursPattern().MatchString(entryOf(hook).Command) }

// hasClaude reports whether the settings have hooks of ours.
func hasClaude(data []byte) bool {
	found, _ := claudeInstalled(data)
	return len(found) > 0
}

// claudePermissions reports whether our hooks mirror permissions.
func claudePermissions(data []byte) bool {
	found, _ := claudeInstalled(data)
	return slices.ContainsFunc(found, func(x installed) bool {
		return x.event == "PermissionRequest" && strings.HasSuffix(x.entry.Command, " "+permissionsFlag)
	})
}

// withoutClaude removes our hooks, and what becomes empty by that.
func withoutClaude(data, _ []byte) ([]byte, error) {
	found, err := claudeInstalled(data)
	for _, x := range slices.Backward(found) { // the indexes of the others stay valid
		if err == nil && x.path != nil {
			data, err = edit.JSON.Remove(data, x.path...)
		}
	}
	return data, err
}

// forClaude returns the change that installs our hooks in a settings file, or removes
// them.
func forClaude(path, command string, permissions, out bool) (edit.Change, error) {
	return edit.JSON.Plan(path, out,
		func(data []byte) ([]byte, error) { return Claude(data, command, permissions) },
		withoutClaude)
}
