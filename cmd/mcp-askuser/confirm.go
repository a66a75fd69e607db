package main

import (
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/tools/askuser/wire"
)

func (a *app) confirm() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "confirm ACTION",
		Short: "Ask the user to confirm an action",
		Example: `  mcp-askuser confirm "Delete 23 files?" && rm -r build
  mcp-askuser confirm "Deploy?" --details "12 changes" --default no`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.askFlags(cmd)
	details := cmd.Flags().String("details", "", "what the user should know to decide, as `text`")
	proposed := wordFlag(cmd, "default", "", "the proposed `answer`: yes or no; still only the user gives it", "yes", "no")
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) error {
		var yes *bool
		if *proposed != "" {
			yes = new(*proposed == "yes")
		}
		call, err := wire.ConfirmCall(args[0], *details, yes, a.settings().Limits)
		if err != nil {
			return err
		}
		call.Timeout = a.settings().Timeout
		answer := ""
		err = a.deliver(cmd, call, func(_ *desk.Desk, rec desk.Record) (string, error) {
			if rec.State == desk.Answered {
				answer = map[any]string{true: "yes", false: "no"}[rec.Asked()[0].Value()]
			}
			return answer, nil
		})
		if err == nil && answer != "yes" {
			return &exitError{exitBad, nil}
		}
		return err
	})
}
