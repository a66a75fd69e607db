package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/ui/words"
)

func (a *app) passkeys() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "passkey",
		Short:   "Manage the passkeys that sign your answers on the page",
		Example: "  mcp-askuser passkey add laptop\n  mcp-askuser passkey list",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.passkeyList(), a.passkeyRemove())
	return cmd
}

func (a *app) passkeyList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the passkeys that are trusted",
		Example: "  mcp-askuser passkey list\n  mcp-askuser passkey list --json > keys.json",
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as verify --keys reads it")
	cmd.RunE = a.checked(func(cmd *cobra.Command, _ []string) error {
		keys, err := a.trustedKeys(cmd.Context())
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.printJSON(keys)
		case len(keys.Passkeys) == 0:
			a.tell(words.T("There is none yet: mcp-askuser passkey add NAME"))
			return nil
		}
		t := table{}
		t.add(words.T("NAME"), words.T("PAGE"), words.T("ADDED"), words.T("REMOVED"))
		for _, k := range keys.Passkeys {
			removed := ""
			if !k.Removed.IsZero() {
				removed = clock(k.Removed)
			}
			t.add(k.Name, k.Party, clock(k.Created), removed)
		}
		a.printTable(t)
		return nil
	})
	return cmd
}

func (a *app) passkeyRemove() *cobra.Command {
	return a.withDesk(&cobra.Command{
		Use:     "remove NAME",
		Short:   "Trust a passkey no more; what it has signed so far still counts",
		Example: "  mcp-askuser passkey remove laptop",
	}, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		if d.Answerer(a.evidence(), desk.Asker{}).Kind != desk.UserAnswerer {
			return errors.New(words.T("only you can do this: run it in a terminal of your own"))
		}
		keys, err := a.trustedKeys(cmd.Context())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(keys.Passkeys, func(k proof.Passkey) bool { return k.Name == args[0] && k.Removed.IsZero() })
		if i < 0 {
			return fmt.Errorf(words.T("there is no passkey %q; mcp-askuser passkey list lists them"), args[0])
		}
		keys.Passkeys[i].Removed = time.Now().UTC()
		dir, err := a.storeFile(keysDir)
		if err != nil {
			return err
		}
		return proof.SavePasskeys(dir, keys.Passkeys)
	})
}
