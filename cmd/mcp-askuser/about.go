package main

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/spf13/cobra"

	"mcp-askuser/tools/askuser/wire"
)

//go:embed texts/skill.md
var skillText []byte

// textCommand prints a text.
func (a *app) textCommand(use, short, example string, text func() []byte) *cobra.Command {
	return &cobra.Command{
		Use:     use,
		Short:   short,
		Example: example,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(text())
			return err
		},
	}
}

func (a *app) schema() *cobra.Command {
	cmd := a.textCommand("schema", "Print the JSON schema of ask_user_question's arguments",
		"  mcp-askuser schema --max-options 5", func() []byte {
			var b bytes.Buffer
			_ = json.Indent(&b, wire.Schemas(a.settings().Limits).Ask, "", "  ") // it is JSON
			b.WriteByte('\n')
			return b.Bytes()
		})
	a.addFlags(cmd, limitKeys[:]...)
	return a.withSettings(cmd, cmd.RunE)
}

func (a *app) skill() *cobra.Command {
	return a.textCommand("skill", "Print a SKILL.md that tells an agent when and how to ask",
		"  mkdir -p .claude/skills/ask-user-question\n  mcp-askuser skill > .claude/skills/ask-user-question/SKILL.md",
		func() []byte { return skillText })
}

func (a *app) version() *cobra.Command {
	return a.textCommand("version", "Print the version", "  mcp-askuser version",
		func() []byte { return []byte("mcp-askuser version " + buildVersion() + "\n") })
}
