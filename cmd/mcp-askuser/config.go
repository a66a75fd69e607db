package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk/spool"
	"mcp-askuser/ui/words"
)

func (a *app) configuration() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in effect and where each comes from",
		Long: `Print the settings in effect and where each comes from: a flag, else a
variable, else the configuration file, else the default. All errors in them go
to standard error.

The file is config.toml in the directory mcp-askuser of the platform's
directory for configuration, or what MCP_ASKUSER_CONFIG names. Its keys are
those that this command prints. For example:

  surface = ["tty", "inbox"]
  timeout = "10m"
  notify_command = ["notify-phone", "--title", "A question"]`,
		Example: "  mcp-askuser config\n  ASK_TIMEOUT=10m mcp-askuser config --json",
		RunE: func(*cobra.Command, []string) error {
			for _, s := range a.config.Rows {
				if s.Key == "dir" && s.From == settings.FromDefault {
					s.Value, _ = spool.DefaultDir(a.getenv) // whoever opens it says why there is none
				}
			}
			show := a.configTable
			if asJSON {
				show = a.configJSON
			}
			if err := show(); err != nil {
				return err
			}
			return a.config.Err()
		},
	}
	a.addFlags(cmd, "dir", "hold")
	a.addFlags(cmd, askKeys[:]...)
	a.addFlags(cmd, limitKeys[:]...)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) configJSON() error {
	return a.printJSON(struct {
		File     string              `json:"file"`
		Found    bool                `json:"found"`
		Settings []*settings.Setting `json:"settings"`
	}{a.config.File, a.config.Found, a.config.Rows})
}

func (a *app) configTable() error {
	t := table{rigid: true}
	t.add(words.T("SETTING"), words.T("VALUE"), words.T("FROM"))
	for _, s := range a.config.Rows {
		t.add(s.Key, settings.Text(s.Value), words.T(a.config.Source(s.Key)))
	}
	if err := a.printTable(t); err != nil {
		return err
	}
	file := a.config.File
	switch {
	case file == "":
		file = words.T("there is none")
	case !a.config.Found:
		file = words.T("%s (there is none)", file)
	case a.config.Unread != nil:
		file = words.T("%s (it cannot be read, and nothing in it counts)", file)
	}
	fmt.Fprintln(a.err, words.T("Configuration file: %s", file))
	return nil
}
