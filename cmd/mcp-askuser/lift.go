package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
)

func (a *app) lift() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lift SESSION",
		Short: "Let a session ask again that has reached the limit of rounds in a row",
		Long: `Let a session ask again that has reached the limit of rounds in a row
(max_rounds). The limit is lifted for this session and for good. The error
that the agent got names the session, and so does show.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.openDesk()
			if err != nil {
				return err
			}
			err = d.Lift(cmd.Context(), args[0])
			if errors.Is(err, desk.ErrNoSession) {
				return fmt.Errorf("%w; show ID names the session of a question", err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(a.err, "The session may ask again.")
			return nil
		},
	}
	a.addFlags(cmd, "dir")
	return cmd
}
