package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

//go:embed texts/skill.md
var skillText []byte

// textCommand prints a text.
func (a *app) textCommand(use, short, example string, text func() ([]byte, error)) *cobra.Command {
	return &cobra.Command{
		Use:     use,
		Short:   short,
		Example: "  mcp-askuser " + example,
		RunE: func(*cobra.Command, []string) error {
			data, err := text()
			_, _ = a.out.Write(data)
			return err
		},
	}
}

func (a *app) schema() *cobra.Command {
	cmd := a.textCommand("schema", "Print the JSON schema of ask_user_question's arguments", "schema --max-options 5", func() ([]byte, error) {
		var b bytes.Buffer
		if err := json.Indent(&b, wire.Schemas(a.settings().Limits).Ask, "", "  "); err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		return b.Bytes(), nil
	})
	cmd.RunE = a.checked(cmd.RunE)
	a.addFlags(cmd, limitKeys[:]...)
	return cmd
}

func (a *app) skill() *cobra.Command {
	return a.textCommand("skill", "Print a SKILL.md that tells an agent when and how to ask", "skill > .claude/skills/ask-user-question/SKILL.md", func() ([]byte, error) { return skillText, nil })
}

func (a *app) completion() *cobra.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands in a shell",
		Example: `  source <(mcp-askuser completion bash)
  mcp-askuser completion zsh > "${fpath[1]}/_mcp-askuser"
  mcp-askuser completion fish > ~/.config/fish/completions/mcp-askuser.fish`,
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			case "zsh":
				return root.GenZshCompletion(a.out)
			}
			return errors.New(words.T("unknown shell %q; these are known: %s", args[0], strings.Join(shells, ", ")))
		},
	}
}

func (a *app) version() *cobra.Command {
	return a.textCommand("version", "Print the version", "version", func() ([]byte, error) { return []byte("mcp-askuser " + buildVersion() + "\n"), nil })
}
