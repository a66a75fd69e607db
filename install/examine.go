package install

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Registration is our entry in a client's file.
type Registration struct {
	What    string // the command and its arguments, or the address; empty without an entry
	Program string // empty for an address
}

// Registered reads our entry in the client's file.
func (c *Client) Registered(p Place) (r Registration, err error) {
	path, err := c.File(p)
	if err != nil {
		return r, err
	}
	if c.format == yaml { // as much as can be said of a file that the user writes
		now, err := open(path)
		if regexp.MustCompile(`(?m)^\s+` + Name + `:`).Match(now.Before) {
			r.What = "the pasted entry " + Name
		}
		return r, err
	}
	value, err := c.format.read(path, c.at()...)
	members, _ := value.(entry)
	command := texts(members["command"])
	if len(command) > 0 {
		r.Program = command[0]
	}
	for _, name := range []string{"args", "url", "httpUrl", "serverUrl"} {
		command = append(command, texts(members[name])...)
	}
	r.What = strings.Join(command, " ")
	return r, err
}

// texts returns a value as text: each of a list.
func texts(value any) (out []string) {
	list, ok := value.([]any)
	if !ok && value != nil {
		list = []any{value}
	}
	for _, x := range list {
		out = append(out, fmt.Sprint(x))
	}
	return out
}

// setting is a place in a file of a client's, and the values under which the client does
// not use our server, or not well.
type setting struct {
	file string
	path []string
	off  func(value any) bool
}

// is returns a function that reports whether a value is the given one.
func is(off any) func(any) bool { return func(value any) bool { return value == off } }

// Obstacle returns the first setting under which the client does not use our server, or not
// well, in the directory of a place, and its file; both are empty where there is none. With project,
// the server is the one in the project's file.
func (c *Client) Obstacle(p Place, project bool) (name, file string) {
	user := p
	user.Project = ""
	var all []setting
	for _, place := range []Place{user, p} {
		file, err := c.File(place)
		if err != nil || c.format == yaml {
			continue
		}
		all = append(all, setting{file, append(c.at(), "enabled"), is(false)},
			setting{file, append(c.at(), "disabled"), is(true)})
		switch c.Name {
		case "gemini":
			others := func(value any) bool { return value != nil && !named(value) }
			all = append(all, setting{file, []string{"mcp", "excluded"}, named},
				setting{file, []string{"mcp", "allowed"}, others})
		case "codex": // declines every form
			all = append(all, setting{file, []string{"approval_policy"}, is("never")})
		}
	}
	if c.Name == "claude-code" {
		all = append(all, claudeSwitches(c.user(user), user, p.Project, project)...)
	}
	for _, s := range all {
		value, err := c.format.read(s.file, s.path...)
		if err == nil && s.off(value) {
			shown, _ := json.Marshal(value) // which was decoded
			return fmt.Sprintf("%s = %s", strings.Join(s.path, "."), shown), s.file
		}
	}
	return "", ""
}

// named reports whether a list has our server.
func named(value any) bool { return slices.Contains(texts(value), Name) }

// denied reports whether one of Claude Code's rules is for our server or one of its tools.
func denied(value any) bool {
	return slices.ContainsFunc(texts(value), func(rule string) bool {
		return rule == "mcp__"+Name || strings.HasPrefix(rule, "mcp__"+Name+"__")
	})
}

// claudeSwitches are the settings that switch our server off in Claude Code's own state of a
// directory, and in the settings that hold there.
func claudeSwitches(state string, user Place, dir string, project bool) (all []setting) {
	inProject := user
	inProject.Project = dir
	shared := inProject.ClaudeSettings()
	lists := []string{"disabledMcpServers"}
	if project {
		lists = append(lists, "disabledMcpjsonServers")
	}
	for _, list := range lists {
		all = append(all, setting{state, []string{"projects", dir, list}, named})
	}
	for _, file := range []string{user.ClaudeSettings(), shared, strings.TrimSuffix(shared, ".json") + ".local.json"} {
		all = append(all, setting{file, []string{"permissions", "deny"}, denied})
		if project {
			all = append(all, setting{file, []string{"disabledMcpjsonServers"}, named})
		}
	}
	return all
}
