package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/hooked"
	"mcp-askuser/mirror"
)

func (a *app) hook() *cobra.Command {
	var f hooked.Flags
	cmd := &cobra.Command{
		Use:   "hook HOST",
		Short: "Mirror a question that a host asks in its own dialog",
		Long: `Mirror a question that a host asks in its own dialog. The host runs this
command with an event on standard input; while its dialog is open the question
also stands in the inbox and on the page, and the first answer counts, wherever
it is given. What is no such question is left alone without a word.

Hosts: ` + strings.Join(mirror.Names(), ", ") + `

mcp-askuser hook install HOST sets the host up for it.`,
		Args:      arguments(1, 1),
		ValidArgs: mirror.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			host, err := hostNamed(args[0])
			if err != nil {
				return err
			}
			hooked.Run(host, f, a.config, a.getenv)
			return nil
		},
	}
	f.Add(cmd.Flags(), a.config)
	return cmd
}

func hostNamed(name string) (mirror.Host, error) {
	host, ok := mirror.ByName(name)
	if !ok {
		return host, fmt.Errorf("%q is no host that can be mirrored; these are: %s", name, strings.Join(mirror.Names(), ", "))
	}
	return host, nil
}
