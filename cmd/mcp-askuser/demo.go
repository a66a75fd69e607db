package main

import (
	"embed"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

//go:embed texts/demo.*.json
var demoCalls embed.FS // one for each language

func (a *app) demo() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Ask sample questions here and print what an agent would get",
		Example: "  mcp-askuser demo\n  mcp-askuser demo --surface web",
	}
	a.askFlags(cmd)
	return a.withSettings(cmd, func(cmd *cobra.Command, _ []string) error {
		sample, err := demoCalls.ReadFile("texts/demo." + string(words.Local) + ".json")
		if err != nil {
			return err
		}
		call, err := wire.DecodeAsk(sample, a.settings().Limits)
		if err != nil {
			return err
		}
		call.Timeout = a.settings().Timeout
		a.opened = true
		return a.deliver(cmd, call, func(_ *desk.Desk, rec desk.Record) (string, error) {
			result := wire.NewResult(rec)
			structured, err := encodeJSON(result, "", "  ")
			return fmt.Sprintf("%s\n\n%s", question.Readable(result.Text), structured), err
		})
	})
}
