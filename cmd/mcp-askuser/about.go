package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcp-askuser/tools/askuser/wire"
)

//go:embed texts/ask.md
var askHelp string

//go:embed texts/skill.md
var skillText string

func (a *app) schema() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of ask_user_question's arguments",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.settings()
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := json.Indent(&b, wire.AskSchema(s.Limits), "", "  "); err != nil {
				return err
			}
			b.WriteByte('\n')
			if output != "" {
				return os.WriteFile(output, b.Bytes(), 0o644) //nolint:gosec // a public file
			}
			_, err = a.out.Write(b.Bytes())
			return err
		},
	}
	a.addFlags(cmd, limitKeys[:]...)
	cmd.Flags().StringVar(&output, "output", "", "write to this file instead")
	return cmd
}

func (a *app) skill() *cobra.Command {
	return &cobra.Command{
		Use:   "skill",
		Short: "Print a SKILL.md that tells an agent when and how to ask",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.out, skillText)
			return err
		},
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "mcp-askuser %s\n", buildVersion())
			return err
		},
	}
}
