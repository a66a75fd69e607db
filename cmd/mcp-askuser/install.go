package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk/local"
	"mcp-askuser/install"
	"mcp-askuser/internal/proc"
	"mcp-askuser/question"
)

// registration has the flags of install and uninstall.
type registration struct {
	project, dryRun, questions, permissions, remove bool
}

func (a *app) install() *cobra.Command {
	var r registration
	cmd := &cobra.Command{
		Use:   "install [CLIENT...]",
		Short: "Register with the clients that your agents run in",
		Example: `  mcp-askuser install claude-code --dry-run
  mcp-askuser install codex gemini
  mcp-askuser install cursor --project
  mcp-askuser install codex --desk nats://desk:4222 --desk-creds ~/bot.creds`,
		ValidArgsFunction: cobra.FixedCompletions(install.Names(), cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().BoolVar(&r.questions, "questions", false, "bring the client's own questions here, too")
	cmd.Flags().BoolVar(&r.permissions, "permissions", false,
		"the same with the permissions that it asks for: a yes on the page or in the inbox lets a tool run")
	a.registrationFlags(cmd, &r)
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) (err error) {
		r.questions = r.questions || r.permissions
		if len(args) == 0 {
			args, err = a.chooseClients(cmd.Context(), r)
		}
		if err != nil || len(args) == 0 {
			return err
		}
		err = a.register(args, r)
		if err == nil && !r.dryRun {
			a.tell("A question appears in the inbox or on the page where one is open, else in a tmux pane or the client's own " +
				"form; best keep `mcp-askuser inbox` open.")
		}
		return err
	})
}

func (a *app) uninstall() *cobra.Command {
	r := registration{remove: true}
	cmd := &cobra.Command{
		Use:               "uninstall CLIENT...",
		Short:             "Take the registration out of clients again",
		Example:           "  mcp-askuser uninstall claude-code",
		ValidArgsFunction: cobra.FixedCompletions(install.Names(), cobra.ShellCompDirectiveNoFileComp),
	}
	a.registrationFlags(cmd, &r)
	return a.withSettings(cmd, func(_ *cobra.Command, args []string) error {
		return a.register(args, r)
	})
}

func (a *app) registrationFlags(cmd *cobra.Command, r *registration) {
	cmd.Flags().BoolVar(&r.project, "project", false, "for this directory's project, not for the user")
	cmd.Flags().BoolVar(&r.dryRun, "dry-run", false, "show what would change, and change nothing")
}

func (a *app) place(project bool) install.Place {
	p := install.Place{OS: runtime.GOOS, Getenv: a.getenv}
	if project {
		p.Project = a.directory()
	}
	return p
}

// self is this program in the file of a client: its path, or in a project's file, which
// is shared, its name.
func self(project bool) string {
	if path, err := proc.Self(); err == nil && !project {
		return path
	}
	return "mcp-askuser"
}

// options are what is registered with a client.
func (a *app) options(client string, r registration) install.Options {
	o := install.Options{Questions: r.questions, Permissions: r.permissions}
	o.Server = install.Server{Command: self(r.project), Where: a.deskFlags(settings.FromFlag)}
	if a.config.Source("dir") == local.EnvDir && !r.project { // which few clients pass on
		o.Where = append(o.Where, "--dir", a.settings().Dir)
	}
	o.Hook = []string{self(r.project), "hook", client}
	if !r.project { // the hook reads our file, but not our flags and variables
		o.Hook = append(o.Hook, a.deskFlags(settings.FromFlag, settings.FromEnvironment)...)
	}
	return o
}

// deskFlags returns the flags that name the desk, of the settings from these places.
func (a *app) deskFlags(from ...string) (flags []string) {
	for _, row := range a.config.Rows {
		if row.NamesDesk() && slices.Contains(from, row.From) {
			flags = append(flags, "--"+row.Flag(), row.String())
		}
	}
	return flags
}

// register shows and makes the changes for clients: all of them, or none if one of them
// cannot be planned.
func (a *app) register(names []string, r registration) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var faults []error
	if strings.Contains(filepath.ToSlash(self(r.project)), "/go-build") && !r.remove {
		faults = append(faults,
			errors.New("go run removes this program when it ends; first run: go install ./cmd/mcp-askuser"))
	}
	plans := make([][]install.Change, len(names))
	for i, name := range names {
		var err error
		plans[i], err = a.plan(name, r)
		faults = append(faults, err)
	}
	err := errors.Join(faults...)
	if err != nil {
		return err
	}
	for i, name := range names {
		err := a.apply(name, plans[i], r)
		if err != nil {
			return err
		}
	}
	if r.dryRun {
		a.tell("Nothing was changed. Run it without --dry-run to apply this.")
	}
	return nil
}

// plan returns the changes for one client.
func (a *app) plan(name string, r registration) ([]install.Change, error) {
	c, ok := install.ByName(name)
	if !ok {
		return nil, fmt.Errorf("unknown client %q; these are known: %s", name, strings.Join(install.Names(), ", "))
	}
	o, p := a.options(name, r), a.place(r.project)
	_, can, _ := c.Questions(p, o.Hook)
	if r.questions && !can {
		return nil, fmt.Errorf("the questions that %s asks itself cannot be brought here; leave out --questions", c.Title())
	}
	return c.Plan(p, o, r.remove)
}

// apply shows the changes for a client and makes them, unless this is a dry run.
func (a *app) apply(name string, changes []install.Change, r registration) error {
	c, _ := install.ByName(name)
	title, p := c.Title(), a.place(r.project)
	for _, change := range changes {
		fmt.Fprintf(a.out, "%s\n%s\n", question.Line(change.Path), change.Diff())
		if r.dryRun {
			continue
		}
		err := change.Apply()
		if err != nil {
			return fmt.Errorf("%s was not changed: %w", change.Path, err)
		}
	}
	path, _ := c.File(p)
	switch {
	case c.Pasted() && r.remove:
		a.tellf("%s, %s: take out the entry %s; this file is not changed for you.", title, path, install.Name)
	case c.Pasted():
		lines, err := c.Lines(a.options(name, r).Server)
		if err != nil {
			return err
		}
		fmt.Fprint(a.out, lines)
		a.tellf("%s, %s: add these lines; this file is not changed for you. %s", title, path, c.Restart)
	case len(changes) == 0:
		a.tellf("%s: nothing to change.", title)
	case !r.dryRun && r.remove:
		a.tellf("%s: taken out.", title)
	case !r.dryRun:
		a.tellf("%s: done. %s", title, c.Restart)
	}
	if r.remove {
		return nil
	}
	questions, can, err := c.Questions(p, a.options(name, r).Hook)
	if err == nil && can && !questions.Installed && !r.questions {
		a.tellf("%s asks in a dialog of its own, too: with --questions that comes here.", title)
	}
	return nil
}

// chooseClients lists the clients of this machine. On a terminal the user chooses those to
// register with: all whose files can be read are ticked.
func (a *app) chooseClients(ctx context.Context, r registration) (chosen []string, err error) {
	p := a.place(r.project)
	var options []huh.Option[string]
	var list rows
	for _, c := range install.Clients() {
		_, can, _ := c.Questions(p, nil)
		if !c.Found(p) || r.questions && !can {
			continue
		}
		about, _ := c.File(p)
		now, err := c.Registered(p)
		if now.What != "" {
			about = "Already has: " + now.What
		}
		if err != nil {
			about = err.Error()
		} else { // a broken file would keep all from being set up
			chosen = append(chosen, c.Name)
		}
		list.add(c.Name, about)
		options = append(options, huh.NewOption(question.Line(c.Title()+" – "+about), c.Name))
	}
	if len(options) == 0 {
		return nil, fmt.Errorf("no supported client was found on this machine; name one anyway: %s",
			strings.Join(install.Names(), ", "))
	}
	screen, _ := a.err.(*os.File)
	width, height, _ := term.GetSize(int(screen.Fd())) // 0 where it is no terminal
	if width == 0 || !term.IsTerminal(int(a.in.Fd())) || a.settings().Accessible ||
		a.getenv("TERM") == "dumb" {
		fmt.Fprint(a.out, list.text(0))
		a.tell("Name those to register with: mcp-askuser install CLIENT...")
		return nil, nil
	}
	for i := range options { // huh would scroll by lines that it does not wrap
		options[i].Key = ansi.Truncate(options[i].Key, width-len("> [x] ")-2, "…")
	}
	field := huh.NewMultiSelect[string]().Options(options...).Value(&chosen).Filterable(false).
		Title("Register with which clients?").Description("Space marks or unmarks a line, Enter registers, Ctrl+C leaves.").
		Height(min(len(options)+3, height)) // else it shows no row, or not the one with the cursor
	err = huh.NewForm(huh.NewGroup(field)).WithShowHelp(false).WithTheme(huh.ThemeFunc(huh.ThemeBase)).
		WithInput(a.in).WithOutput(screen).RunWithContext(ctx)
	if errors.Is(err, huh.ErrUserAborted) || err == nil && len(chosen) == 0 {
		a.tell("Nothing was chosen, and nothing was changed.")
		return nil, &exitError{exitClosed, nil}
	}
	return chosen, err
}
