package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

func (a *app) confirm() *cobra.Command {
	var details, proposed string
	cmd := &cobra.Command{
		Use:   "confirm ACTION",
		Short: "Ask the user to confirm an action",
		Long: `Ask the user to confirm an action. Prints yes or no.

Exit status: 0 yes, 1 no, 2 closed without an answer, 3 no way to ask,
124 timeout, 130 interrupted. Only 0 is consent.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.askSettings(cmd)
			if err != nil {
				return err
			}
			var yes *bool
			switch proposed {
			case "":
			case "yes", "no":
				yes = new(bool)
				*yes = proposed == "yes"
			default:
				return fmt.Errorf("--default is %q; it takes yes or no", proposed)
			}
			if strings.TrimSpace(args[0]) == "" {
				return errors.New("the action is empty; say what would be done")
			}
			call := wire.Call{Timeout: s.Timeout, Set: question.Set{Questions: []question.Question{wire.Confirm(args[0], details, yes)}}}
			rec, err := a.put(cmd.Context(), call, s)
			if err != nil {
				return err
			}
			if rec.State != desk.Answered {
				return outcome(rec)
			}
			if rec.Outcome.Reply.Answers[0].Selected[0] != question.YesID {
				fmt.Fprintln(a.out, "no")
				return &exitError{exitBad, nil}
			}
			fmt.Fprintln(a.out, "yes")
			return nil
		},
	}
	a.askFlags(cmd)
	cmd.Flags().StringVar(&details, "details", "", "what the user should know to decide")
	cmd.Flags().StringVar(&proposed, "default", "", "the proposed answer: yes or no; still only the user gives it")
	return cmd
}
