package agenthost

import (
	"strings"
	"testing"
)

// A host's command line tells whether a user sits at it.
func TestUnattended(t *testing.T) {
	for line, want := range map[string]string{
		"claude":                             "host",
		"claude --resume":                    "host",
		"claude -p fix|it":                   "alone",
		"/usr/bin/claude --print":            "alone",
		"claude --output-format=stream-json": "alone",
		"node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p":             "alone",
		"node /usr/lib/node_modules/@google/gemini-cli/dist/index.js":                "host",
		"node /usr/lib/node_modules/@google/gemini-cli/dist/index.js --prompt hello": "alone",
		"node --no-warnings --enable-source-maps /usr/bin/claude -p":                 "alone",
		"codex":                       "host",
		"codex --model x exec do|it":  "alone",
		"/opt/codex/codex app-server": "host",
		"opencode":                    "host",
		"opencode run hello":          "alone",
		"opencode --log run":          "alone",
		"goose run -t hello":          "alone",
		"goose session":               "host",
		"kiro-cli chat":               "host",
		"/usr/bin/kiro-cli-chat chat --no-interactive hello": "alone",
		"kiro-cli-term":  "",
		"bash -c claude": "",
		"vim claude.md":  "",
		"node server.js": "",
	} {
		args := strings.Split(line, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "|", " ")
		}
		got := ""
		alone, ok := Of(args)
		if alone {
			got = "alone"
		} else if ok {
			got = "host"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
