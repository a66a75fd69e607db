package words

import (
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// clients names the programs that ask, by their names in `mcp-askuser install` and by
// those that they send, in lower case.
var clients = map[string]string{ //nolint:gochecknoglobals // a table, never written to
	"claude-code":    "Claude Code",
	"claude-desktop": "Claude Desktop", "claude-ai": "Claude Desktop",
	"codex":  "Codex",
	"gemini": "Gemini CLI", "gemini-cli": "Gemini CLI",
	"antigravity": "Antigravity", "antigravity-client": "Antigravity",
	"opencode": "OpenCode",
	"cursor":   "Cursor", "cursor-vscode": "Cursor",
	"vscode": "VS Code", "visual studio code": "VS Code", "visual-studio-code": "VS Code",
	"windsurf": "Windsurf", "windsurf-client": "Windsurf",
	"zed": "Zed", "goose": "Goose", "crush": "Crush",
	"copilot": "Copilot CLI", "copilot-cli": "Copilot CLI", "kiro": "Kiro", "kiro-cli": "Kiro",

	"mcp-askuser": Mark("the shell"), "askuserquestion": Mark("the shell"), // the commands
	UnknownClient: Mark("an agent"),
}

// UnknownClient is the name in records of a client that sent none.
const UnknownClient = "unknown client"

// ClientName is the user name of a program that asks: "Claude Code". A name that is
// not known stays.
func (l Language) ClientName(name string) string {
	name = strings.TrimSpace(question.Line(name))
	key, _, _ := strings.Cut(strings.ToLower(name), "-mcp-client") // codex-mcp-client
	if known := clients[key]; known != "" {
		return l.T(known)
	}
	return name
}

// Client names the program that asked, after the credential that it has on a shared desk and the
// agent whose token it showed.
func (l Language) Client(a desk.Asker) string {
	named := slices.DeleteFunc([]string{a.Credential, a.Agent}, func(s string) bool { return strings.Trim(s, "- ") == "" })
	name, agent := l.ClientName(a.Client), strings.TrimSpace(question.Line(strings.Join(named, "/")))
	switch {
	case agent != "" && name != "":
		return l.T("%[1]s (%[2]s)", agent, name)
	case agent+name != "":
		return agent + name
	}
	return l.T("an agent")
}
