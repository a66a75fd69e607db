package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// The settings that commands take as flags: every command the global ones.
var (
	globalKeys = [...]string{"dir", "accessible", "no_color"} // dir brings those of a shared desk along
	limitKeys  = [...]string{"max_questions", "max_options", "header_max_length", "question_max_length"}
	askKeys    = [...]string{"surface", "timeout", "max_rounds"}
)

func (a *app) addGlobalFlags(root *cobra.Command) {
	a.config.AddFlags(root.PersistentFlags(), globalKeys[:]...)
}

// addFlags gives a command the flags of settings.
func (a *app) addFlags(cmd *cobra.Command, keys ...string) {
	a.config.AddFlags(cmd.Flags(), keys...)
	for _, row := range a.config.Rows {
		if len(row.Words) > 0 && slices.Contains(keys, row.Key) {
			complete(cmd, row.Flag(), row.Words...)
		}
	}
}

// complete completes the words that a flag takes, also after a comma.
func complete(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		for _, word := range words {
			out = append(out, before+word)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil { // no such flag
		panic(err)
	}
}

func (a *app) settings() *settings.Values { return &a.config.Values }

type runE = func(cmd *cobra.Command, args []string) error

// checked runs a command if every setting is valid. The error names all that are not.
func (a *app) checked(run runE) runE {
	return func(cmd *cobra.Command, args []string) error {
		if err := a.config.Err(); err != nil {
			return err
		}
		return run(cmd, args)
	}
}

// environ is the environment with the settings in it, for rooms that read it themselves.
func (a *app) environ() func(string) string { return a.config.Environ(a.getenv) }

// storeFile is the path of a file in the directory of the store.
func (a *app) storeFile(name string) (string, error) {
	dir, err := spool.DefaultDir(a.environ())
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// desk opens the desk for a command of the user's, and prints new notices.
func (a *app) desk() (*desk.Desk, error) {
	d, store, err := a.openDesk()
	if joined, ok := store.(*home.Store); ok {
		a.printNotices(joined)
	}
	return d, err
}

func (a *app) openDesk() (*desk.Desk, desk.Store, error) { return a.deskTrusting(a.localKeys) }

// deskTrusting opens the desk with other keys than those beside the store.
func (a *app) deskTrusting(keys func(func(*proof.Keys) error) (proof.Keys, error)) (*desk.Desk, desk.Store, error) {
	s := a.settings()
	dir, err := spool.DefaultDir(a.environ())
	if err != nil {
		return nil, nil, err
	}
	store, err := home.Open(dir, nats.Options{URL: s.Desk, Creds: s.DeskCreds, CA: s.DeskCA, Log: a.log})
	if errors.Is(err, spool.ErrUnsafe) || err != nil && s.Desk == "" {
		return nil, nil, fmt.Errorf(words.T("the store cannot be used: %w (named by %s)"), err, a.config.Source("dir"))
	}
	if err != nil {
		return nil, nil, fmt.Errorf(words.T("the desk cannot be used: %w (named by %s)"), err, a.config.Source("desk"))
	}
	o := desk.Options{Log: a.log, Keep: s.Keep, KeepHistory: s.KeepHistory, MaxRounds: s.MaxRounds, Pause: s.RoundPause, Prove: desk.Policy(s.Prove), Keys: keys}
	if s.Desk != "" { // the history of a shared desk has other users' questions too
		if o.Own, err = spool.Open(dir); err != nil {
			return nil, nil, err
		}
	}
	return desk.New(store, o), store, nil
}

// printNotices reports, once, the answers that the user gave while the shared desk was
// out of reach, and that it has not accepted.
func (a *app) printNotices(joined *home.Store) {
	ctx := context.Background()
	notices, err := joined.Notices(ctx)
	for _, n := range notices {
		if n.First != nil {
			a.tell(words.T("Your answer to %s came too late and does not count: it was already %s.", n.ID, words.Local.Outcome(n.First)))
		} else {
			a.tell(words.T("Your answer to %[1]s does not count, as the desk did not take it: %[2]s. If the question is still open, answer it again: what you answered is offered.", n.ID, question.Line(n.Reason)))
		}
		err = errors.Join(err, joined.Told(ctx, n.ID))
	}
	if err != nil {
		a.tell(words.T("Answers that do not count cannot be told: %v", err))
	}
}

func (a *app) configuration() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Print the settings in effect and where each comes from",
		Example: "  mcp-askuser config\n  ASK_TIMEOUT=10m mcp-askuser config --json",
		RunE: func(*cobra.Command, []string) error {
			for _, s := range a.config.Rows {
				if s.Key == "dir" && s.From == settings.FromDefault {
					s.Value, _ = spool.DefaultDir(a.getenv) // opening the store reports the error
				}
			}
			if !asJSON {
				a.printSettings()
			} else if err := a.printJSON(struct {
				File     string              `json:"file"`
				Found    bool                `json:"found"`
				Settings []*settings.Setting `json:"settings"`
			}{a.config.File, a.config.Found, a.config.Rows}); err != nil {
				return err
			}
			return a.config.Err()
		},
	}
	a.serveFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) printSettings() {
	t := table{rigid: true}
	t.add(words.T("SETTING"), words.T("VALUE"), words.T("FROM"))
	for _, s := range a.config.Rows {
		t.add(s.Key, settings.Text(s.Value), words.T(a.config.Source(s.Key)))
	}
	a.printTable(t)
	file := a.config.File
	switch {
	case file == "":
		file = words.T("there is none")
	case !a.config.Found:
		file = words.T("%s (there is none)", file)
	case a.config.Unread != nil:
		file = words.T("%s (it cannot be read, and nothing in it counts)", file)
	}
	a.tell(words.T("Configuration file: %s", file))
}
