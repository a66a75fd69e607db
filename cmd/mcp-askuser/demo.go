package main

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/tools/askuser/wire"
)

//go:embed texts/demo.json
var demoCall []byte

func (a *app) demo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Ask a sample set here and print what an agent would get",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.askSettings(cmd)
			if err != nil {
				return err
			}
			call, err := wire.DecodeAsk(demoCall, s.Limits)
			if err != nil {
				return err
			}
			call.Timeout = s.Timeout
			rec, err := a.put(cmd.Context(), call, s)
			if err != nil {
				return err
			}
			result := wire.NewResult(rec)
			structured, err := json.MarshalIndent(result, "", "  ")
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s\n\n%s\n", result.Message, structured)
			return outcome(rec)
		},
	}
	a.askFlags(cmd)
	return cmd
}
