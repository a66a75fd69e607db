package install

import (
	"os"
	"path/filepath"
	"time"

	"mcp-askuser/install/edit"
	"mcp-askuser/ui/words"
)

// long is how long a call may wait where the client is told to wait that long:
// a day.
const (
	long        = "24h"
	longSeconds = 24 * 60 * 60
)

// Clients returns all that can be registered with. Their forms were written by
// the programs themselves (Claude Code 2.1, Codex 0.169, Gemini CLI 0.61,
// OpenCode 1.18), or are those of their documentation.
func Clients() []Client {
	home := func(parts ...string) func(Place) string {
		return func(p Place) string { return filepath.Join(append([]string{p.home()}, parts...)...) }
	}
	// A server in the form that most have taken from the first of them.
	plain := func(s Server) edit.Object {
		return edit.Object{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args("")}}
	}
	headers := func(s Server) edit.Member {
		return edit.Member{Name: "headers", Value: edit.Object{{Name: "Authorization", Value: "Bearer " + s.Token}}}
	}
	at := func(key string) func(Server) edit.Object {
		return func(s Server) edit.Object { return edit.Object{{Name: key, Value: s.URL}, headers(s)} }
	}
	typed := func(kind string) func(Server) edit.Object {
		return func(s Server) edit.Object {
			return edit.Object{{Name: "type", Value: kind}, {Name: "url", Value: s.URL}, headers(s)}
		}
	}
	stdio := func(s Server) edit.Object {
		return append(edit.Object{{Name: "type", Value: "stdio"}}, plain(s)...)
	}
	mcpServers := []string{"mcpServers"}
	return []Client{
		{
			Name: "claude-code", Title: "Claude Code", program: "claude",
			Restart: words.Mark("Sessions that are started from now on have it."),
			format:  edit.JSON, path: mcpServers, project: ".mcp.json",
			user: func(p Place) string {
				if dir := p.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
					return filepath.Join(dir, ".claude.json")
				}
				return filepath.Join(p.home(), ".claude.json")
			},
			local: stdio, remote: typed("http"), reference: "${" + TokenVariable + "}",
			// It asks before a tool is used for the first time, unless it stands here.
			allowed: func(p Place) (string, []string, string) {
				dir := filepath.Join(p.home(), ".claude")
				if other := p.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(other) {
					dir = other
				}
				if p.Project != "" {
					dir = filepath.Join(p.Project, ".claude")
				}
				return filepath.Join(dir, "settings.json"), []string{"permissions", "allow"}, "mcp__" + Name
			},
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			Restart: words.Mark("It has it when it is started anew."),
			format:  edit.JSON, path: mcpServers,
			user: func(p Place) string {
				return filepath.Join(p.config(), "Claude", "claude_desktop_config.json")
			},
			local: plain,
		},
		{
			Name: "codex", Title: "Codex", program: "codex",
			Restart: words.Mark("Sessions that are started from now on have it; a daemon that runs must be stopped first."),
			format:  edit.TOML, path: []string{"mcp_servers"}, project: ".codex/config.toml",
			user: func(p Place) string {
				if dir := p.Getenv("CODEX_HOME"); filepath.IsAbs(dir) {
					return filepath.Join(dir, "config.toml")
				}
				return filepath.Join(p.home(), ".codex", "config.toml")
			},
			// 300 s is its limit otherwise.
			limit: limit{"tool_timeout_sec", time.Second, 300 * time.Second},
			local: func(s Server) edit.Object {
				return edit.Object{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args(long)}, {Name: "tool_timeout_sec", Value: longSeconds}}
			},
			remote: func(s Server) edit.Object {
				return edit.Object{{Name: "url", Value: s.URL}, {Name: "bearer_token_env_var", Value: TokenVariable}, {Name: "tool_timeout_sec", Value: longSeconds}}
			},
			reference: TokenVariable,
		},
		{
			Name: "gemini", Title: "Gemini CLI", program: "gemini",
			Restart: words.Mark("It has it when it is started anew."),
			format:  edit.JSON, path: mcpServers, project: ".gemini/settings.json",
			user: home(".gemini", "settings.json"),
			// In milliseconds; 600 s is its limit otherwise. Trust means that it does
			// not ask before each question.
			limit: limit{"timeout", time.Millisecond, 600 * time.Second},
			local: func(s Server) edit.Object {
				return edit.Object{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args(long)}, {Name: "timeout", Value: longSeconds * 1000}, {Name: "trust", Value: true}}
			},
			remote:    func(s Server) edit.Object { return append(at("httpUrl")(s), edit.Member{Name: "trust", Value: true}) },
			reference: "$" + TokenVariable,
		},
		{
			Name: "antigravity", Title: "Antigravity", program: "agy",
			Restart: words.Mark("It has it when it is started anew."),
			format:  edit.JSON, path: mcpServers,
			user:  home(".gemini", "antigravity", "mcp_config.json"),
			local: plain, remote: at("serverUrl"),
		},
		{
			Name: "opencode", Title: "OpenCode", program: "opencode",
			Restart: words.Mark("It has it when it is started anew."),
			format:  edit.JSON, path: []string{"mcp"}, project: "opencode.json",
			user: func(p Place) string {
				path := filepath.Join(p.xdg(), "opencode", "opencode.json")
				if _, err := os.Stat(path + "c"); err == nil { // with remarks
					return path + "c"
				}
				return path
			},
			// Its limit starts anew with every sign of life.
			local: func(s Server) edit.Object {
				return edit.Object{{Name: "type", Value: "local"}, {Name: "command", Value: append([]string{s.Command}, s.args("")...)}, {Name: "enabled", Value: true}}
			},
			remote: func(s Server) edit.Object {
				return append(typed("remote")(s), edit.Member{Name: "enabled", Value: true})
			},
			reference: "{env:" + TokenVariable + "}",
		},
		{
			Name: "cursor", Title: "Cursor", program: "cursor",
			Restart: words.Mark("It asks whether to switch the server on."),
			format:  edit.JSON, path: mcpServers, project: ".cursor/mcp.json",
			user:  home(".cursor", "mcp.json"),
			local: plain, remote: at("url"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "vscode", Title: "VS Code", program: "code",
			Restart: words.Mark("It asks whether to start the server."),
			format:  edit.JSON, path: []string{"servers"}, project: ".vscode/mcp.json",
			user:  func(p Place) string { return filepath.Join(p.config(), "Code", "User", "mcp.json") },
			local: stdio, remote: typed("http"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "windsurf", Title: "Windsurf", program: "windsurf",
			Restart: words.Mark("It has it when its list of servers is refreshed."),
			format:  edit.JSON, path: mcpServers,
			user:  home(".codeium", "windsurf", "mcp_config.json"),
			local: plain, remote: at("serverUrl"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "zed", Title: "Zed", program: "zed",
			Restart: words.Mark("It has it at once."),
			format:  edit.JSON, path: []string{"context_servers"}, project: ".zed/settings.json",
			user: func(p Place) string {
				if p.OS == "windows" {
					return filepath.Join(p.config(), "Zed", "settings.json")
				}
				return filepath.Join(p.xdg(), "zed", "settings.json")
			},
			local: plain, remote: at("url"),
		},
		{
			Name: "goose", Title: "Goose", program: "goose",
			Restart: words.Mark("Sessions that are started from now on have it."),
			format:  edit.YAML, path: []string{"extensions"},
			user: func(p Place) string {
				if p.OS == "windows" {
					return filepath.Join(p.config(), "Block", "goose", "config", "config.yaml")
				}
				return filepath.Join(p.xdg(), "goose", "config.yaml")
			},
			limit: limit{"timeout", time.Second, 300 * time.Second},
			local: func(s Server) edit.Object {
				return edit.Object{
					{Name: "enabled", Value: true}, {Name: "type", Value: "stdio"}, {Name: "name", Value: Name},
					{Name: "cmd", Value: s.Command}, {Name: "args", Value: s.args(long)}, {Name: "timeout", Value: longSeconds},
				}
			},
			remote: func(s Server) edit.Object {
				return edit.Object{
					{Name: "enabled", Value: true}, {Name: "type", Value: "streamable_http"}, {Name: "name", Value: Name},
					{Name: "uri", Value: s.URL}, headers(s), {Name: "timeout", Value: longSeconds},
				}
			},
		},
		{
			Name: "crush", Title: "Crush", program: "crush",
			Restart: words.Mark("It has it when it is started anew."),
			format:  edit.JSON, path: []string{"mcp"}, project: "crush.json",
			user: func(p Place) string {
				if p.OS == "windows" {
					return filepath.Join(p.Getenv("LOCALAPPDATA"), "crush", "crush.json")
				}
				return filepath.Join(p.xdg(), "crush", "crush.json")
			},
			limit: limit{"timeout", time.Second, 0},
			local: func(s Server) edit.Object {
				return edit.Object{{Name: "type", Value: "stdio"}, {Name: "command", Value: s.Command}, {Name: "args", Value: s.args(long)}, {Name: "timeout", Value: longSeconds}}
			},
			remote: typed("http"), reference: "$" + TokenVariable,
		},
	}
}
