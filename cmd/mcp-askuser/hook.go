package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/hooked"
	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/mirror"
	"mcp-askuser/ui/words"
)

func (a *app) hook() *cobra.Command {
	var f hooked.Flags
	cmd := &cobra.Command{
		Use:   "hook HOST",
		Short: "Mirror the questions that a host asks in its own dialog",
		Long: `Mirror the questions that a host, the program that an agent runs in, asks in its
own dialog. The host runs this command with an event on standard input; while
its dialog is open the question also stands in the inbox and on the page, and
the first answer counts, wherever it is given. All else is left alone.

Hosts: ` + strings.Join(mirror.Names(), ", ") + `

To set a host up for it, run mcp-askuser install HOST --questions.`,
		Example:   "  mcp-askuser hook claude-code < event.json",
		ValidArgs: mirror.Names(),
		Hidden:    true, // for hosts to call
		RunE: func(_ *cobra.Command, args []string) error {
			host, ok := mirror.ByName(args[0])
			if !ok {
				return fmt.Errorf(words.T("%q is no host whose questions can be mirrored; these are: %s"), args[0], strings.Join(mirror.Names(), ", "))
			}
			hooked.Run(host, f, a.config, a.getenv, func(dir string) (desk.Store, error) {
				s := a.settings()
				return home.Open(home.Options{Dir: dir, URL: s.Desk, Creds: s.DeskCreds, CA: s.DeskCA})
			})
			return nil
		},
	}
	f.Add(cmd.Flags(), a.config)
	return cmd
}
