package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/hooked"
	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/desk/spool"
	"mcp-askuser/install/edit"
	"mcp-askuser/mirror"
	"mcp-askuser/mirror/install"
	"mcp-askuser/question"
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

To set a host up for it, run mcp-askuser hook install HOST.`,
		Example:   "  mcp-askuser hook install claude-code --dry-run\n  mcp-askuser hook status claude-code",
		ValidArgs: mirror.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			host, err := hostNamed(args[0])
			if err != nil {
				return err
			}
			hooked.Run(host, f, a.config, a.getenv, func(dir string) (desk.Store, error) {
				s := a.settings()
				return home.Open(home.Options{Dir: dir, URL: s.Desk, Creds: s.DeskCreds, CA: s.DeskCA})
			})
			return nil
		},
	}
	f.Add(cmd.Flags(), a.config)
	cmd.AddCommand(
		a.hookChange("install HOST", "Set a host up to mirror its questions", false),
		a.hookChange("uninstall HOST", "Undo what hook install has set up", true),
		a.hookStatus())
	return cmd
}

func hostNamed(name string) (mirror.Host, error) {
	host, ok := mirror.ByName(name)
	if !ok {
		return host, fmt.Errorf(words.T("%q is no host whose questions can be mirrored; these are: %s"), name, strings.Join(mirror.Names(), ", "))
	}
	return host, nil
}

// setup is the file in which a host is set up, and how.
type setup struct {
	path        string
	permissions func([]byte) bool // whether they are mirrored, too
	change      func(permissions, out bool) (edit.Change, error)
	restart     string // what makes the host take it up
}

// hookSetup returns the setup of a host, for the user or for the project in
// this directory.
func (a *app) hookSetup(host string, project bool) (setup, error) {
	if _, err := hostNamed(host); err != nil {
		return setup{}, err
	}
	p := a.place(project)
	if !filepath.IsAbs(p.Root()) {
		return setup{}, errors.New(words.T("there is no home directory (HOME); use --project for the settings of this directory"))
	}
	program := a.hookProgram(host, project)
	if host == "opencode" {
		path := filepath.Join(p.OpenCode(), "plugins", "mcp-askuser.js")
		return setup{path, install.OpenCodePermissions, func(permissions, out bool) (edit.Change, error) {
			return install.ForOpenCode(path, program, permissions, out)
		}, words.T("OpenCode takes it up when it is started anew.")}, nil
	}
	path := p.ClaudeSettings()
	return setup{path, install.ClaudePermissions, func(permissions, out bool) (edit.Change, error) {
		return install.ForClaude(path, shellLine(program), permissions, out)
	}, words.T("Claude Code takes it up in sessions that are started from now on.")}, nil
}

// hookProgram is what a host runs: the small program where it lies beside this
// one. A project's settings are shared: there it is looked up on each machine.
func (a *app) hookProgram(host string, project bool) []string {
	program := []string{"mcp-askuser", "hook"}
	if self, err := os.Executable(); err == nil && !project {
		program[0] = self
		small := filepath.Join(filepath.Dir(self), "mcp-askuser-hook"+filepath.Ext(self))
		if _, err := os.Stat(small); err == nil {
			program = []string{small}
		}
	}
	program = append(program, host)
	if !project { // the host need not have our flags and variables; it has our file
		program = append(program, a.leading(settings.FromFlag, settings.FromEnvironment)...)
	}
	return program
}

// leading returns the flags that lead to the desk as it was said in these places.
func (a *app) leading(from ...string) (flags []string) {
	for _, row := range a.config.Rows {
		if row.Leads() && slices.Contains(from, row.From) {
			flags = append(flags, "--"+row.Flag(), row.String())
		}
	}
	return flags
}

// plainWord needs no quotes in any shell.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=-]+$`) })

// shellLine is a program and its arguments as a shell reads them.
func shellLine(words []string) string {
	out := slices.Clone(words)
	for i, word := range out {
		if !plainWord().MatchString(word) {
			out[i] = `'` + strings.ReplaceAll(word, `'`, `'\''`) + `'`
		}
	}
	return strings.Join(out, " ")
}

func (a *app) hookChange(use, short string, out bool) *cobra.Command {
	var project, dry, permissions bool
	cmd := &cobra.Command{
		Use:       use,
		Short:     short,
		Example:   "  mcp-askuser hook " + strings.Fields(use)[0] + " claude-code",
		ValidArgs: mirror.Names(),
		RunE: a.checked(func(_ *cobra.Command, args []string) error {
			return a.hookApply(args[0], project, permissions, dry, out)
		}),
	}
	cmd.Flags().BoolVar(&project, "project", false, "in the settings of this directory's project, not in the user's")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would change, and change nothing")
	if !out {
		cmd.Flags().BoolVar(&permissions, "permissions", false, "mirror the permissions that the host asks for, too: a yes on the page or in the inbox lets a tool run")
		a.addFlags(cmd, "dir")
	}
	return cmd
}

// hookApply shows, and unless dry makes, the change to a host's file.
func (a *app) hookApply(host string, project, permissions, dry, out bool) error {
	s, err := a.hookSetup(host, project)
	if err != nil {
		return err
	}
	c, err := s.change(permissions, out)
	if err != nil {
		return err
	}
	if c.Empty() {
		fmt.Fprintln(a.err, words.T("Nothing to change in %s.", c.Path))
		return nil
	}
	fmt.Fprintf(a.out, "%s\n%s", question.Line(c.Path), c.Diff())
	if dry {
		fmt.Fprintln(a.err, words.T("Nothing was changed; without --dry-run it is."))
		return nil
	}
	c.Root = a.place(project).Root()
	if err := c.Apply(); err != nil {
		return err
	}
	fmt.Fprintln(a.err, words.T("Done. %s", s.restart))
	return nil
}

func (a *app) hookStatus() *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use:       "status HOST",
		Short:     "Say whether a host's questions are mirrored",
		Example:   "  mcp-askuser hook status claude-code",
		ValidArgs: mirror.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.hookSetup(args[0], project)
			if err != nil {
				return err
			}
			now, err := edit.Read(s.path)
			if err != nil {
				return err
			}
			permissions := s.permissions(now.Before)
			c, err := s.change(permissions, false)
			state := words.T("set up")
			if permissions {
				state = words.T("set up, permissions too")
			}
			switch {
			case err != nil:
				return err
			case !c.Ours(c.Before):
				fmt.Fprintf(a.out, "%s: %s (%s)\n", args[0], words.T("not set up"), s.path)
				return nil
			case !c.Empty():
				state = words.T("%[1]s, but not as this version would: mcp-askuser hook install %[2]s brings it up to date", state, args[0])
			}
			fmt.Fprintf(a.out, "%s: %s (%s)\n", args[0], state, s.path)
			if dir, err := spool.DefaultDir(a.environ()); err == nil {
				fmt.Fprintln(a.out, words.T("Its questions are put into %s.", dir))
			}
			if err := a.config.Err(); err != nil {
				fmt.Fprintln(a.out, words.T("No question is mirrored as long as a setting is wrong: %v", err))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&project, "project", false, "in the settings of this directory's project, not in the user's")
	a.addFlags(cmd, "dir")
	return cmd
}
