package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/both"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/shared"
)

// The settings that commands take as flags: every command the global ones.
var (
	globalKeys = [...]string{"dir", "desk", "desk_creds", "desk_ca", "accessible", "no_color"}
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

// complete completes the words that a flag takes.
func complete(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil { // no such flag
		panic(err)
	}
}

func (a *app) settings() *settings.Values { return &a.config.Values }

// withSettings completes a command that runs if every setting is valid. The error names
// all that are not.
func (a *app) withSettings(cmd *cobra.Command, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.config.Err(); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

// environ is the environment with the settings in it, for rooms that read it themselves.
func (a *app) environ() func(string) string { return a.config.Environ(a.getenv) }

// storeFile is the path of a file in the directory of the store.
func (a *app) storeFile(name string) (string, error) {
	dir, err := local.DefaultDir(a.environ())
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// desk opens the desk.
func (a *app) desk() (*desk.Desk, error) { return a.deskTrusting(a.localKeys) }

// deskTrusting opens the desk with other keys than those beside the store.
func (a *app) deskTrusting(keys func(func(*proof.Keys) error) (proof.Keys, error)) (*desk.Desk, error) {
	s := a.settings()
	dir, err := local.DefaultDir(a.environ())
	if err != nil {
		return nil, fmt.Errorf("the store cannot be used: %w (named by %s)", err, a.config.Source("dir"))
	}
	o := desk.Options{
		Log: a.log, Keep: s.Keep, KeepHistory: s.KeepHistory, MaxRounds: s.MaxRounds, Pause: s.RoundPause,
		Prove: desk.Policy(s.Prove), Keys: keys,
	}
	d, err := a.openDesk(dir, o)
	if err != nil {
		return nil, fmt.Errorf("the desk cannot be used: %w (named by %s)", err, a.config.Source("desk"))
	}
	return d, nil
}

// openDesk opens the desk over the store in a directory, joined with the shared desk that
// the settings name.
func (a *app) openDesk(dir string, o desk.Options) (*desk.Desk, error) {
	near := local.Open(dir)
	a.stores = append(a.stores, near)
	o.Copies = filepath.Join(dir, "files")
	if a.settings().Desk == "" {
		return desk.New(near, o), nil
	}
	far, err := shared.Open(a.sharedOptions())
	if err != nil {
		return nil, err
	}
	a.stores = append(a.stores, far)
	o.Credential = far
	return desk.New(both.Join(near, far, a.log), o), nil
}

// sharedOptions locate the shared desk that the settings name.
func (a *app) sharedOptions() shared.Options {
	s := a.settings()
	return shared.Options{URL: s.Desk, Creds: s.DeskCreds, CA: s.DeskCA, Log: a.log}
}

func (a *app) configuration() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Print the settings in effect and where each comes from",
		Example: "  mcp-askuser config\n  ASK_TIMEOUT=10m mcp-askuser config --json",
	}
	a.serveFlags(cmd)
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		for _, s := range a.config.Rows {
			if s.Key == "dir" && s.From == settings.FromDefault {
				s.Value, _ = local.DefaultDir(a.getenv) // opening the store reports the error
			}
		}
		if !*asJSON {
			a.printSettings()
		} else if err := a.printJSON(struct {
			File     string              `json:"file"`
			Found    bool                `json:"found"`
			Settings []*settings.Setting `json:"settings"`
		}{a.config.File, a.config.Found, a.config.Rows}); err != nil {
			return err
		}
		return a.config.Err()
	}
	return cmd
}

func (a *app) printSettings() {
	var t rows
	t.add("SETTING", "VALUE", "FROM")
	for _, s := range a.config.Rows {
		t.add(s.Key, s.Value, a.config.Source(s.Key))
	}
	fmt.Fprint(a.out, t.text(0)) // whole, as it is to be copied
	file := a.config.File
	switch {
	case file == "":
		file = "there is none"
	case !a.config.Found:
		file = fmt.Sprintf("%s (there is none)", file)
	case a.config.Unread != nil:
		file = fmt.Sprintf("%s (it cannot be read, and nothing in it counts)", file)
	}
	a.tellf("Configuration file: %s", file)
}
