package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/server/tokens"
	"mcp-askuser/ui/words"
)

func (a *app) token() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Manage the tokens of agents that ask over HTTP",
		Long: `Manage the tokens of agents that ask over HTTP (mcp-askuser serve --http). Each
has one of its own, whose name stands beside what it asks, on the page and in
the history. A server that runs takes every change at once.`,
		Example: "  mcp-askuser token add laptop\n  mcp-askuser token list",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.tokenAdd(), a.tokenList(), a.tokenRemove())
	return cmd
}

func (a *app) tokenAdd() *cobra.Command {
	return a.onAgents(&cobra.Command{
		Use:   "add NAME",
		Short: "Make a token for an agent and print it, this once",
		Long: `Make a token for an agent and print it, this once: only a hash of it is kept.
The agent sends it as "Authorization: Bearer TOKEN".`,
		Example: "  mcp-askuser token add laptop",
	}, func(agents *tokens.Store, args []string) error {
		token, err := agents.Add(args[0])
		if errors.Is(err, tokens.ErrExists) {
			return fmt.Errorf(words.T("%w; mcp-askuser token remove %s takes it away"), err, args[0])
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, token)
		fmt.Fprintln(a.err, words.T("Keep it: it is not shown again. Whoever has it can ask in the name of %s.", args[0]))
		return nil
	})
}

func (a *app) tokenList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the agents that have a token",
		Example: "  mcp-askuser token list --json",
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return a.onAgents(cmd, func(agents *tokens.Store, _ []string) error {
		known, damaged := agents.List()
		if damaged != nil && !errors.Is(damaged, tokens.ErrDamaged) {
			return damaged
		}
		type row struct {
			Name    string    `json:"name"`
			Created time.Time `json:"created_at"`
		}
		rows := []row{}
		for _, t := range known {
			rows = append(rows, row{t.Name, t.Created})
		}
		if asJSON {
			return cmp.Or(a.printJSON(rows), damaged)
		}
		if len(rows) == 0 && damaged == nil {
			fmt.Fprintln(a.err, words.T("No agent has a token; mcp-askuser token add NAME makes one."))
		}
		for _, r := range rows {
			fmt.Fprintln(a.out, words.T("%s  since %s", r.Name, r.Created.Local().Format(words.T("2 Jan 2006 15:04"))))
		}
		return damaged
	})
}

func (a *app) tokenRemove() *cobra.Command {
	return a.onAgents(&cobra.Command{
		Use:   "remove NAME",
		Short: "Take an agent's token away",
		Long: `Take an agent's token away. Its calls end, and it cannot call again; what it has
asked stays open until you close it.`,
		Example:           "  mcp-askuser token remove laptop",
		ValidArgsFunction: a.completeAgents,
	}, func(agents *tokens.Store, args []string) error {
		err := agents.Remove(args[0])
		if errors.Is(err, tokens.ErrUnknown) {
			return fmt.Errorf(words.T("%w; mcp-askuser token list shows them"), err)
		}
		return err
	})
}

// completeAgents completes the name of an agent with a token.
func (a *app) completeAgents(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	agents, err := a.agents()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	known, _ := agents.List()
	for _, t := range known {
		names = append(names, t.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// onAgents completes a command on the tokens of this desk.
func (a *app) onAgents(cmd *cobra.Command, do func(agents *tokens.Store, args []string) error) *cobra.Command {
	return a.atDesk(cmd, func(_ *cobra.Command, _ *desk.Desk, args []string) error {
		agents, err := a.agents()
		if err != nil {
			return err
		}
		return do(agents, args)
	})
}

// agents are the tokens of those who may ask over the network. They stand in the
// directory of the store.
func (a *app) agents() (*tokens.Store, error) {
	path, err := a.beside("tokens")
	return tokens.New(path), err
}
