package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mcp-askuser/install/edit"
)

// obstacle is a setting under which a client does not use our server.
type obstacle struct {
	file string
	path []string
	// part returns the part of the value that is the obstacle, nil if none is.
	part func(value any) any
}

// is finds a value.
func is(want any) func(any) any {
	return func(value any) any {
		if value != want {
			return nil
		}
		return value
	}
}

// has finds an element of a list.
func has(match func(element any) bool) func(any) any {
	return func(value any) any {
		list, _ := value.([]any)
		at := slices.IndexFunc(list, match)
		if at < 0 {
			return nil
		}
		return list[at]
	}
}

func isName(element any) bool { return element == any(Name) }

// lacksName finds a list without our name.
func lacksName(value any) any {
	list, ok := value.([]any)
	if !ok || slices.ContainsFunc(list, isName) {
		return nil
	}
	return list
}

// rules finds a permission rule of Claude Code's that names our server or one of its tools.
func rules(tools ...string) func(any) any {
	return has(func(element any) bool {
		rule, _ := element.(string)
		return rule == "mcp__"+Name || slices.ContainsFunc(tools, func(tool string) bool {
			matches, _ := path.Match(rule, "mcp__"+Name+"__"+tool)
			return matches
		})
	})
}

// Obstacle returns the setting under which the client does not use our server in the
// directory of a place, as text, and its file; empty where there is none. With project, the
// server is the one in the project's file.
func (c *Client) Obstacle(p Place, project bool) (setting, file string) {
	user := p
	user.Project = ""
	var all []obstacle
	for _, place := range []Place{user, p} {
		file, err := c.File(place)
		if err != nil {
			continue
		}
		all = append(all, obstacle{file, append(c.at(), "enabled"), is(false)},
			obstacle{file, append(c.at(), "disabled"), is(true)})
		if c.Name == "gemini" {
			all = append(all, obstacle{file, []string{"mcp", "excluded"}, has(isName)},
				obstacle{file, []string{"mcp", "allowed"}, lacksName})
		}
	}
	if c.Name == "claude-code" {
		all = append(all, c.claudeObstacles(user, p.Project, project)...)
	}
	for _, o := range all {
		if part := o.part(c.read(o.file, o.path...)); part != nil {
			text, _ := json.Marshal(part) // which was decoded
			return fmt.Sprintf("%s = %s", strings.Join(o.path, "."), text), o.file
		}
	}
	return "", ""
}

// claudeObstacles are the obstacles in Claude Code's own state of a directory, or of the
// repository that has it, and in the settings that hold there.
func (c *Client) claudeObstacles(user Place, dir string, project bool) (all []obstacle) {
	state := c.user(user)
	for _, dir := range []string{dir, repository(dir)} {
		all = append(all, obstacle{state, []string{"projects", dir, "disabledMcpServers"}, has(isName)})
		if project {
			all = append(all, obstacle{state, []string{"projects", dir, "disabledMcpjsonServers"}, has(isName)})
		}
	}
	denied := rules("ask_user_question", "confirm_action", "await_answer")
	for _, file := range claudeSettings(user, dir) {
		all = append(all, obstacle{file, []string{"permissions", "deny"}, denied})
		if project {
			all = append(all, obstacle{file, []string{"disabledMcpjsonServers"}, has(isName)})
		}
	}
	return all
}

// AsksPermission returns the rule without which the client asks its user for permission
// before each question, its list and file; empty where it has that rule or none is needed.
// The place and project are as in Obstacle.
func (c *Client) AsksPermission(p Place, project bool) (rule, list, file string) {
	if c.allowed == nil {
		return "", "", ""
	}
	for _, file := range claudeSettings(p, p.Project) {
		if c.read(file, "permissions", "defaultMode") == any("bypassPermissions") ||
			rules("ask_user_question")(c.read(file, "permissions", "allow")) != nil {
			return "", "", ""
		}
	}
	if !project {
		p.Project = ""
	}
	file, path, rule := c.allowed(p)
	return rule, strings.Join(path, "."), file
}

// claudeSettings are the files with Claude Code's settings in a directory.
func claudeSettings(p Place, dir string) []string {
	p.Project = ""
	user := p.ClaudeSettings()
	p.Project = dir
	shared := p.ClaudeSettings()
	return []string{user, shared, strings.TrimSuffix(shared, ".json") + ".local.json"}
}

// repository is the directory with the repository of a directory, or itself.
func repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// read returns a value in a file of the client's, nil if it has none.
func (c *Client) read(file string, path ...string) any {
	now, err := edit.Read(file)
	if err != nil {
		return nil
	}
	value, _, _ := c.format.Get(now.Before, path...)
	return value
}
