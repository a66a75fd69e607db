package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

func (a *app) confirm() *cobra.Command {
	var details, proposed string
	cmd := &cobra.Command{
		Use:   "confirm ACTION",
		Short: "Ask the user to confirm an action",
		Long: `Ask the user to confirm an action. Prints yes or no.

Exit status: 0 yes, 1 no, 2 closed without an answer, 3 no way to ask,
124 timeout, 130 interrupted, 134 the program broke. Only 0 is consent.`,
		Example: `  mcp-askuser confirm "Delete 23 files?" && rm -r build
  mcp-askuser confirm "Deploy?" --details "12 changes" --default no`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.checked(func(cmd *cobra.Command, args []string) error {
			var yes *bool
			if proposed != "" {
				yes = new(proposed == "yes")
			}
			if strings.TrimSpace(args[0]) == "" {
				return errors.New(words.T("the action is empty; say what would be done"))
			}
			call := wire.Call{Timeout: a.settings().Timeout, Set: question.Set{Questions: []question.Question{wire.Confirm(args[0], details, yes)}}}
			said := ""
			err := a.deliver(cmd, call, func(rec desk.Record) (string, error) {
				if rec.State == desk.Answered {
					said = map[any]string{true: "yes", false: "no"}[rec.Asked()[0].Value()]
				}
				return said, nil
			})
			if err == nil && said != "yes" {
				return &exitError{exitBad, nil}
			}
			return err
		}),
	}
	a.askFlags(cmd)
	cmd.Flags().StringVar(&details, "details", "", "what the user should know to decide, as `text`")
	takesWord(cmd, &proposed, "default", "the proposed `answer`: yes or no; still only the user gives it", "yes", "no")
	return cmd
}
