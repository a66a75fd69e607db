package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/server/tokens"
)

func (a *app) token() *cobra.Command {
	return family("token", "Manage the tokens of agents and of your front ends",
		"  mcp-askuser token add laptop\n  mcp-askuser token add wall-panel --answers\n  mcp-askuser token list",
		a.tokenAdd(), a.tokenList(), a.tokenRemove())
}

func (a *app) tokenAdd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "add NAME",
		Short:   "Make a token for an agent or a front end and print it, this once",
		Example: "  mcp-askuser token add laptop\n  mcp-askuser token add wall-panel --answers",
	}
	answers := cmd.Flags().Bool("answers", false, "the token of a front end, through which you answer")
	prove := cmd.Flags().Bool("prove", false, "have you sign each answer to a confirmation of this agent")
	cmd.MarkFlagsMutuallyExclusive("answers", "prove")
	return a.withDesk(cmd, func(_ *cobra.Command, _ *desk.Desk, args []string) error {
		store, frontEnds, err := a.tokens()
		note := "Keep it: it is not shown again. Its holder can ask in the name of %s."
		if *answers {
			if !a.byUser() {
				return errors.New("only you can let a front end answer for you: run this in a terminal of your own")
			}
			store, note = frontEnds, "Keep it: it is not shown again. Its holder can answer in your name; the answers name %s."
		}
		if err != nil {
			return err
		}
		known, _ := a.readTokens()
		if slices.ContainsFunc(known, func(r tokenRow) bool { return r.Name == args[0] }) {
			return fmt.Errorf("%w; mcp-askuser token remove %s takes it away", tokens.ErrExists, args[0])
		}
		token, err := store.Add(args[0], *prove)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, token)
		a.tellf(note, args[0])
		return nil
	})
}

func (a *app) tokenList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the agents and front ends that have a token",
		Example: "  mcp-askuser token list --json",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return a.withDesk(cmd, func(*cobra.Command, *desk.Desk, []string) error {
		known, err := a.readTokens()
		if err != nil && len(known) == 0 {
			return err
		}
		var t rows
		t.add("NAME", "MAY", "SINCE")
		for _, r := range known {
			may := "ask"
			if r.Answers {
				may = "answer for you"
			} else if r.Prove {
				may = "ask, and you sign answers"
			}
			t.add(r.Name, may, r.Created.Local().Format("2006-01-02 15:04"))
		}
		return cmp.Or(a.printList(*asJSON, known, t, "No agent has a token; mcp-askuser token add NAME makes one."), err)
	})
}

func (a *app) tokenRemove() *cobra.Command {
	return a.withDesk(&cobra.Command{
		Use:     "remove NAME",
		Short:   "Take the token of an agent or a front end away",
		Example: "  mcp-askuser token remove laptop",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			rows, _ := a.readTokens()
			for _, r := range rows {
				if len(args) == 0 {
					names = append(names, r.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}, func(_ *cobra.Command, _ *desk.Desk, args []string) error {
		agents, frontEnds, err := a.tokens()
		if err == nil {
			err = agents.Remove(args[0])
		}
		if errors.Is(err, tokens.ErrUnknown) {
			err = frontEnds.Remove(args[0])
		}
		if errors.Is(err, tokens.ErrUnknown) {
			return fmt.Errorf("%w; mcp-askuser token list shows them", err)
		}
		return err
	})
}

// tokens are those of agents, which ask over HTTP, and of front ends, which answer for the
// user. They are in the directory of the store.
func (a *app) tokens() (agents, frontEnds *tokens.Store, err error) {
	dir, err := local.DefaultDir(a.environ())
	return tokens.New(filepath.Join(dir, "tokens")), tokens.New(filepath.Join(dir, "front-ends")), err
}

type tokenRow struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created_at"`
	Answers bool      `json:"answers,omitempty"`
	Prove   bool      `json:"prove,omitempty"`
}

// readTokens returns all tokens, sorted by name. An error that names damaged files does not
// keep it from returning the others.
func (a *app) readTokens() ([]tokenRow, error) {
	agents, frontEnds, err := a.tokens()
	if err != nil {
		return nil, err
	}
	rows := []tokenRow{}
	for _, store := range []*tokens.Store{agents, frontEnds} {
		known, wrong := store.List()
		err = errors.Join(err, wrong)
		for _, t := range known {
			rows = append(rows, tokenRow{t.Name, t.Created, store == frontEnds, t.Prove})
		}
	}
	slices.SortFunc(rows, func(x, y tokenRow) int { return cmp.Compare(x.Name, y.Name) })
	return rows, err
}

// frontEnd returns the name of the front end with this token.
func (a *app) frontEnd(token string) (name string, ok bool) {
	_, frontEnds, err := a.tokens()
	if err != nil {
		return "", false
	}
	t, ok, err := frontEnds.Check(token)
	if err != nil {
		a.log.Error("the tokens of front ends cannot be read", "error", err)
	}
	return t.Name, ok
}
