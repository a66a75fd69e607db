package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/config"
	"mcp-askuser/desk/spool"
)

func (a *app) configuration() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in effect and where each comes from",
		Long: `Print the settings in effect and where each comes from: a flag, else a
variable, else the configuration file, else the default. What is wrong with
them goes to standard error, all of it.

The file is config.toml in the directory mcp-askuser of the platform's
directory for configuration, or what MCP_ASKUSER_CONFIG names. Its keys are
those that this command prints. For example:

  surface = ["tty", "inbox"]
  timeout = "10m"
  notify_command = ["notify-phone", "--title", "A question"]`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := a.load(cmd)
			for i := range found.Settings {
				if s := &found.Settings[i]; s.Key == "dir" && s.From == config.FromDefault {
					s.Value, _ = spool.DefaultDir(a.getenv) // whoever opens it says why there is none
				}
			}
			show := a.configTable
			if asJSON {
				show = a.configJSON
			}
			if wrong := show(found); wrong != nil {
				return wrong
			}
			return err
		},
	}
	takes(cmd, "dir", "hold")
	takes(cmd, askKeys[:]...)
	takes(cmd, limitKeys[:]...)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) configJSON(found config.Effective) error {
	return a.printJSON(struct {
		File     string           `json:"file"`
		Found    bool             `json:"found"`
		Settings []config.Setting `json:"settings"`
	}{found.File, found.Found, found.Settings})
}

func (a *app) configTable(found config.Effective) error {
	t := table{rigid: true}
	t.add("SETTING", "VALUE", "FROM")
	for _, s := range found.Settings {
		from := s.Source
		if from == "" {
			from = string(s.From)
		}
		t.add(s.Key, settingText(s.Value), from)
	}
	if err := a.printTable(t); err != nil {
		return err
	}
	file := "there is none"
	switch {
	case found.Found:
		file = found.File
	case found.File != "":
		file = found.File + " (there is none)"
	}
	fmt.Fprintf(a.err, "Configuration file: %s\n", file)
	return nil
}

// settingText is a value as it would stand behind its variable.
func settingText(value any) string {
	list, ok := value.([]string)
	if !ok {
		return fmt.Sprint(value)
	}
	text, err := json.Marshal(list)
	if err != nil { // strings have no reason to fail
		panic(err)
	}
	return string(text)
}
