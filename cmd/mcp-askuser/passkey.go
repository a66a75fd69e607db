package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/ui/web"
)

func (a *app) passkeys() *cobra.Command {
	return family("passkey", "Manage the passkeys that sign your answers on the page",
		"  mcp-askuser passkey add laptop\n  mcp-askuser passkey list",
		a.passkeyAdd(), a.passkeyList(), a.passkeyRemove())
}

// asUser is withDesk for a command that agents may not run.
func (a *app) asUser(cmd *cobra.Command, do deskWork) *cobra.Command {
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		if !a.byUser() {
			return errors.New("only you can do this: run it in a terminal of your own")
		}
		return do(cmd, d, args)
	})
}

func (a *app) passkeyAdd() *cobra.Command {
	var o web.Options
	cmd := &cobra.Command{
		Use:   "add [NAME]",
		Short: "Register a passkey in your browser",
		Example: `  mcp-askuser passkey add laptop
  mcp-askuser passkey add --listen 0.0.0.0 --tls-cert cert.pem --tls-key key.pem`,
	}
	pageFlags(cmd, &o)
	return a.asUser(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		name, err := os.Hostname()
		if len(args) > 0 {
			name, err = args[0], nil
		}
		if err != nil {
			return err
		}
		return a.registerPasskey(cmd.Context(), d, o, name)
	})
}

// registerPasskey serves the page until the user has registered a passkey on it.
func (a *app) registerPasskey(ctx context.Context, d *desk.Desk, o web.Options, name string) error {
	presenter := a.presenter(d)
	defer presenter.Close(web.ErrStopped)
	a.setOptions(&o, d, presenter)
	add := func(key proof.Passkey) func(*proof.Keys) error {
		return func(keys *proof.Keys) error {
			if slices.ContainsFunc(keys.Passkeys,
				func(k proof.Passkey) bool { return k.ID == key.ID || k.Name == key.Name && k.Removed.IsZero() }) {
				return fmt.Errorf("there is a passkey %q already", key.Name)
			}
			if key.ID != "" {
				keys.Passkeys = append(keys.Passkeys, key)
			}
			return nil
		}
	}
	if _, err := d.Keys(add(proof.Passkey{Name: name})); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	registered := ""
	o.Proves = true
	o.AddPasskey = func(_ context.Context, key proof.Passkey) error {
		_, err := d.Keys(add(key))
		if err == nil {
			registered = key.Name
			end()
		}
		return err
	}
	server, err := web.Listen(ctx, o)
	if err != nil {
		return err
	}
	at := func(address string) string {
		return strings.Replace(address, "/?", "/passkey?"+url.Values{"name": {name}}.Encode()+"&", 1)
	}
	fmt.Fprintln(a.out, at(server.Address()))
	a.tell("Register the passkey in the browser, at this address; Ctrl+C ends it without one.")
	a.openBrowser(at(server.Invite()))
	if err := server.Serve(ctx); err != nil {
		return err
	}
	if registered == "" {
		return errors.New("no passkey was registered")
	}
	a.tellf("The passkey %s is registered: it signs your answers on the page.", registered)
	return nil
}

func (a *app) passkeyList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the passkeys that are trusted",
		Example: "  mcp-askuser passkey list\n  mcp-askuser passkey list --json > keys.json",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON, as verify --keys reads it")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		keys, err := d.Keys(nil)
		if err == nil {
			keys.Humans, err = d.Humans(cmd.Context())
		}
		if err != nil {
			return err
		}
		var t rows
		t.add("NAME", "PAGE", "ADDED", "REMOVED")
		for _, k := range keys.Passkeys {
			removed := ""
			if !k.Removed.IsZero() {
				removed = clock(k.Removed)
			}
			t.add(k.Name, k.Party, clock(k.Created), removed)
		}
		for _, name := range slices.Sorted(maps.Values(keys.Humans)) {
			t.add(name, "the shared desk", "", "")
		}
		return a.printList(*asJSON, keys, t, "There is none yet: mcp-askuser passkey add NAME")
	})
}

func (a *app) passkeyRemove() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove NAME",
		Short:   "Trust a passkey no more; what it has signed so far still counts",
		Example: "  mcp-askuser passkey remove laptop",
	}
	return a.asUser(cmd, func(_ *cobra.Command, d *desk.Desk, args []string) error {
		found := false
		_, err := d.Keys(func(keys *proof.Keys) error {
			i := slices.IndexFunc(keys.Passkeys, func(k proof.Passkey) bool { return k.Name == args[0] && k.Removed.IsZero() })
			if i >= 0 {
				keys.Passkeys[i].Removed, found = time.Now().UTC(), true
			}
			return nil
		})
		if err == nil && !found {
			err = fmt.Errorf("there is no passkey %q; mcp-askuser passkey list lists them", args[0])
		}
		return err
	})
}
