package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/install"
	"mcp-askuser/install/edit"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/words"
)

// registration is what the flags of install and uninstall say.
type registration struct {
	project, dry, questions bool
	address                 string
}

func (a *app) install() *cobra.Command {
	var r registration
	cmd := &cobra.Command{
		Use:   "install [CLIENT...]",
		Short: "Register with the clients that your agents run in",
		Long: `Register with the clients that your agents run in: an entry in each one's own
file, which keeps everything else as it stands. Without a client it shows those
that it finds on this machine, and asks which to use.

With --desk, --desk-creds and --desk-ca the entry leads to a shared desk.

Clients: ` + strings.Join(install.Names(), ", "),
		Example:   "  mcp-askuser install claude-code --dry-run\n  mcp-askuser install codex gemini\n  mcp-askuser install cursor --project\n  mcp-askuser install codex --desk nats://desk:4222 --desk-creds ~/bot.creds",
		ValidArgs: install.Names(),
		RunE: a.checked(func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				if args, err = a.chooseClients(cmd.Context(), r); err != nil || len(args) == 0 {
					return err
				}
			}
			return a.register(args, r, false)
		}),
	}
	cmd.Flags().StringVar(&r.address, "http", "", "register the server at this `address` instead of the program, as in https://desk.example:8443/mcp")
	cmd.Flags().BoolVar(&r.questions, "questions", false, "bring the client's own questions to the desk, too, as hook install does")
	a.registrationFlags(cmd, &r)
	a.addFlags(cmd, "dir", "accessible", "no_color")
	return cmd
}

func (a *app) uninstall() *cobra.Command {
	var r registration
	cmd := &cobra.Command{
		Use:       "uninstall CLIENT...",
		Short:     "Take the registration out of clients again",
		Long:      "Take the registration out of clients again. A file that nobody changed since is\nas it was before, to the byte.\n\nClients: " + strings.Join(install.Names(), ", "),
		Example:   "  mcp-askuser uninstall claude-code",
		ValidArgs: install.Names(),
		RunE: a.checked(func(_ *cobra.Command, args []string) error {
			return a.register(args, r, true)
		}),
	}
	cmd.Flags().BoolVar(&r.questions, "questions", false, "leave the client's own questions alone again, too, as hook uninstall does")
	a.registrationFlags(cmd, &r)
	return cmd
}

func (a *app) registrationFlags(cmd *cobra.Command, r *registration) {
	cmd.Flags().BoolVar(&r.project, "project", false, "for this directory's project, not for the user")
	cmd.Flags().BoolVar(&r.dry, "dry-run", false, "show what would change, and change nothing")
}

// place is where the files of this user's clients are.
func (a *app) place(project bool) install.Place {
	p := install.Place{OS: runtime.GOOS, Getenv: a.getenv}
	if project {
		p.Project = a.directory()
	}
	return p
}

// server is how a client reaches us. A project's file is shared: there the
// program is looked up on each machine.
func (a *app) server(r registration) install.Server {
	if r.address != "" {
		return install.Server{URL: r.address, Token: a.getenv(install.TokenVariable)}
	}
	s := install.Server{Command: "mcp-askuser", Where: a.leading(settings.FromFlag)}
	if self, err := os.Executable(); err == nil && !r.project {
		s.Command = self
	}
	return s
}

// register shows and makes the changes for clients, all of them or, where one
// cannot be made, none.
func (a *app) register(names []string, r registration, out bool) error {
	var clients []install.Client
	var plans [][]edit.Change
	var faults []error
	switch v := a.config.Values; {
	case out, len(a.leading(settings.FromFlag)) == 0:
	case r.address != "":
		faults = append(faults, errors.New(words.T("--http registers a server that has a desk of its own: leave out either --http, or --desk and what goes with it")))
	case v.Desk != "":
		if _, err := nats.Open(nats.Options{URL: v.Desk, Creds: v.DeskCreds, CA: v.DeskCA}); err != nil {
			faults = append(faults, err)
		}
	}
	for _, name := range names {
		c, ok := install.ByName(name)
		if !ok {
			near := settings.Nearest(name, install.Names())
			if near != "" {
				faults = append(faults, errors.New(words.T("%q is no client that this program knows; did you mean %s?", name, near)))
				continue
			}
			faults = append(faults, errors.New(words.T("%q is no client that this program knows. These are: %s", name, strings.Join(install.Names(), ", "))))
			continue
		}
		if _, mirrored := mirror.ByName(name); r.questions && !mirrored {
			faults = append(faults, fmt.Errorf(words.T("the questions that %s asks itself cannot be brought here; leave out --questions"), c.Title))
		}
		steps, err := c.Plan(a.place(r.project), a.server(r), out)
		if err != nil {
			faults = append(faults, err)
		}
		clients, plans = append(clients, c), append(plans, steps)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for i, c := range clients {
		if err := a.change(c, plans[i], r, out); err != nil {
			return err
		}
	}
	if r.dry {
		fmt.Fprintln(a.err, words.T("Nothing was changed; without --dry-run it is."))
	}
	return nil
}

// change makes the changes for one client, with those for its own questions;
// what was put in last is taken out first.
func (a *app) change(c install.Client, plan []edit.Change, r registration, out bool) (err error) {
	if r.questions && out {
		if err = a.hookApply(c.Name, r.project, false, r.dry, out); err != nil {
			return err
		}
		if plan, err = c.Plan(a.place(r.project), a.server(r), out); err != nil {
			return err
		}
	}
	if err = a.apply(c, plan, r, out); err == nil && r.questions && !out {
		err = a.hookApply(c.Name, r.project, false, r.dry, out)
	}
	return err
}

// apply shows the changes for one client and, unless they are only shown, makes
// them.
func (a *app) apply(c install.Client, plan []edit.Change, r registration, out bool) error {
	plan = slices.DeleteFunc(plan, func(c edit.Change) bool { return c.Empty() })
	for _, step := range plan {
		fmt.Fprintf(a.out, "%s\n%s\n", question.Line(step.Path), step.Diff())
		if r.dry {
			continue
		}
		step.Root = a.place(r.project).Root()
		if err := step.Apply(); err != nil {
			return err
		}
	}
	switch {
	case len(plan) == 0:
		fmt.Fprintln(a.err, words.T("%s: nothing to change.", c.Title))
	case !r.dry && out:
		fmt.Fprintln(a.err, words.T("%s: taken out.", c.Title))
	case !r.dry:
		fmt.Fprintln(a.err, words.T("%[1]s: done. %[2]s", c.Title, words.T(c.Restart)))
	}
	return nil
}

// chooseClients shows the clients of this machine and asks which to register
// with, where a person sits at a terminal.
func (a *app) chooseClients(ctx context.Context, r registration) ([]string, error) {
	p := a.place(r.project)
	q := question.Question{ID: "clients", Header: words.T("Clients"), Text: words.T("Which clients should be able to ask you?"), Type: question.MultiChoice}
	for _, c := range install.Clients() {
		if !c.Found(p) {
			continue
		}
		o := question.Option{ID: c.Name, Label: c.Title}
		switch now, err := c.Registered(p); {
		case err != nil:
			o.Description = err.Error()
		case now.What != "":
			o.Description = words.T("Already has: %s", now.What)
		default:
			o.Description, _ = c.File(p)
		}
		q.Options = append(q.Options, o)
	}
	if len(q.Options) == 0 {
		return nil, fmt.Errorf(words.T("none of the clients that this program knows is on this machine; name one all the same: %s"), strings.Join(install.Names(), ", "))
	}
	if !term.IsTerminal(int(a.in.Fd())) {
		for _, o := range q.Options {
			fmt.Fprintf(a.out, "%-14s %s\n", o.ID, question.Line(o.Description))
		}
		fmt.Fprintln(a.err, words.T("Name those to register with: mcp-askuser install CLIENT..."))
		return nil, nil
	}
	rec := desk.Record{Set: question.Set{Questions: []question.Question{q}}, Asker: desk.Asker{Client: "mcp-askuser", Directory: a.directory(), Via: desk.ViaShell}, State: desk.Pending}
	var chosen []string
	a.opened = true
	form := tty.New(tty.Options{Getenv: a.environ(), Turn: a.turn, Opened: true, Interrupted: desk.Dismissed}) // nothing stays open
	err := form.Show(ctx, rec, func(reply question.Reply) error {
		checked, err := rec.Check(reply)
		if answer := checked.Answer(q.ID); err == nil && answer != nil {
			chosen = answer.Selected
		}
		return err
	})
	interrupted := errors.Is(err, ui.ErrInterrupted)
	if interrupted || err == nil && len(chosen) == 0 {
		fmt.Fprintln(a.err, words.T("No client was chosen, and nothing was changed."))
	}
	if interrupted {
		return nil, &exitError{exitClosed, nil}
	}
	return chosen, err
}
