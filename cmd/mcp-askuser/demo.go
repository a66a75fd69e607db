package main

import (
	"embed"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

//go:embed texts/demo.*.json
var demoCalls embed.FS // one for each language

// demoWidth is the width of what demo prints, in cells.
const demoWidth = 79

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
			text := ansi.Wrap(question.Readable(wire.NewResult(rec).Text), demoWidth, "")
			return "The agent reads:\n\n" + text + "\n\nNext: mcp-askuser install", nil
		})
	})
}
