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

// setting is a place in a file of a client's.
type setting struct {
	file string
	path []string
}

// blocks returns the part of a setting's value that keeps a client from using our server, nil
// if none does. Name is the last of the setting's path.
func blocks(name string, value any) any {
	list, isList := value.([]any)
	named := slices.Contains(list, any(Name))
	switch {
	case name == "enabled" && value == any(false), name == "disabled" && value == any(true):
		return value
	case name == "allowed" && isList && !named:
		return list
	case name == "deny":
		return ruleFor(list, "ask_user_question", "confirm_action", "await_answer")
	case slices.Contains([]string{"excluded", "disabledMcpServers", "disabledMcpjsonServers"}, name) && named:
		return Name
	}
	return nil
}

// ruleFor returns the first of Claude Code's permission rules that names our server or one of
// its tools, nil if none does.
func ruleFor(rules any, tools ...string) any {
	list, _ := rules.([]any)
	for _, element := range list {
		rule, _ := element.(string)
		matches := func(tool string) bool {
			matched, _ := path.Match(rule, "mcp__"+Name+"__"+tool)
			return matched
		}
		if rule == "mcp__"+Name || slices.ContainsFunc(tools, matches) {
			return rule
		}
	}
	return nil
}

// Obstacle returns the setting under which the client does not use our server in the
// directory of a place, as text, and its file; empty where there is none. With project, the
// server is the one in the project's file.
func (c *Client) Obstacle(p Place, project bool) (text, file string) {
	user := p
	user.Project = ""
	var all []setting
	for _, place := range []Place{user, p} {
		file, err := c.File(place)
		if err != nil {
			continue
		}
		all = append(all, setting{file, append(c.at(), "enabled")}, setting{file, append(c.at(), "disabled")})
		if c.Name == "gemini" {
			all = append(all, setting{file, []string{"mcp", "excluded"}}, setting{file, []string{"mcp", "allowed"}})
		}
	}
	if c.Name == "claude-code" {
		all = append(all, c.claudeSwitches(user, p.Project, project)...)
	}
	for _, s := range all {
		part := blocks(s.path[len(s.path)-1], c.read(s.file, s.path...))
		if part != nil {
			value, _ := json.Marshal(part) // which was decoded
			return fmt.Sprintf("%s = %s", strings.Join(s.path, "."), value), s.file
		}
	}
	return "", ""
}

// claudeSwitches are the settings that switch our server off in Claude Code's own state of a
// directory, or of the repository that has it, and in the settings that hold there.
func (c *Client) claudeSwitches(user Place, dir string, project bool) (all []setting) {
	state := c.user(user)
	for _, dir := range []string{dir, repository(dir)} {
		all = append(all, setting{state, []string{"projects", dir, "disabledMcpServers"}})
		if project {
			all = append(all, setting{state, []string{"projects", dir, "disabledMcpjsonServers"}})
		}
	}
	for _, file := range claudeSettings(user, dir) {
		all = append(all, setting{file, []string{"permissions", "deny"}})
		if project {
			all = append(all, setting{file, []string{"disabledMcpjsonServers"}})
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
			ruleFor(c.read(file, "permissions", "allow"), "ask_user_question") != nil {
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

// Declines returns the setting under which the client declines every form, as text; empty
// where it shows them.
func (c *Client) Declines(p Place) string {
	path, err := c.File(p)
	if err != nil || c.policy.key == "" {
		return ""
	}
	if now, err := edit.Read(path); err == nil && c.declines(p, now.Before) {
		return fmt.Sprintf("%s = %q", c.policy.key, c.policy.declines)
	}
	return ""
}

// declines reports whether a file of the client's has the policy; a project's file has
// that of the user's unless it sets its own.
func (c *Client) declines(p Place, data []byte) bool {
	value, found, err := c.format.Get(data, c.policy.key)
	if p.Project != "" && !found {
		p.Project = ""
		return c.Declines(p) != ""
	}
	return err == nil && c.policy.key != "" && value == any(c.policy.declines)
}
