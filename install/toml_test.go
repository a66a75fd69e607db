package install

import (
	"strings"
	"testing"
)

// An entry is taken out in every form in which TOML has it, and replaced; all other lines stay as
// they are.
func TestFormsOfATable(t *testing.T) {
	for _, tc := range []struct{ before, ours, after string }{
		{"a = 1\n\n", "[mcp_servers.\"askuser\"]\ncommand = \"x\"\n", "[z]\n\n\n"},
		{"a = 1\n", "[ mcp_servers . askuser ]\ncommand = \"x\"\n[mcp_servers.askuser.env]\nA = \"b\"\n", "# of z\n[z]"},
		{"# mine\n", "mcp_servers.askuser.command = \"x\"\nmcp_servers.askuser.args = [\n  # one\n  \"a\",\n]\n", "b = 1\n"},
		{"[mcp_servers]\nb = {command = \"b\"}\n", "askuser = {command = \"x\"}\n", "# of c\nc = {command = \"c\"}\n"},
		{"a = \"\"\"\n[mcp_servers.askuser]\nb = \"mine\"\n\"\"\"\n", "[mcp_servers.askuser]\ncommand = \"x\"\n", "[z]\n"},
		{"a = 1\n", "[mcp_servers.askuser]\ncommand = \"x\"\n", "\n# the end\n# and more"},
	} {
		file := tc.before + tc.ours + tc.after
		got, err := tomlFile.take([]byte(file), "mcp_servers", "askuser")
		if err != nil || string(got) != tc.before+tc.after {
			t.Errorf("%v\n got %q\nwant %q", err, got, tc.before+tc.after)
		}
		got, err = tomlFile.put([]byte(file), server, "mcp_servers", "askuser")
		if err != nil || !strings.HasPrefix(string(got), strings.TrimRight(tc.before+tc.after, "\n")) {
			t.Errorf("%v\n got %q", err, got)
		}
	}
}
