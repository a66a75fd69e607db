package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/question"
	"mcp-askuser/templates"
	"mcp-askuser/tools/askuser/wire"
)

// templateDirs are the directories of templates: that of the project, and the user's own.
func (a *app) templateDirs(directory string) []string {
	user := ""
	if a.config.File != "" {
		user = filepath.Join(filepath.Dir(a.config.File), "templates")
	}
	return templates.Dirs(directory, user)
}

func (a *app) templates() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "templates",
		Short:   "List the question templates that there are here",
		Example: "  mcp-askuser templates\n  mcp-askuser ask --template release --var version=1.2",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		dirs := a.templateDirs(a.directory())
		all, err := templates.List(dirs...)
		if err != nil && !*asJSON && len(all) == 0 {
			return err
		}
		var t rows
		t.add("TEMPLATE", "VARIABLES", "ABOUT")
		for _, x := range all {
			t.add(x.Name, strings.Join(x.Names(), ", "), x.Description)
		}
		none := fmt.Sprintf("There are none in %s.", strings.Join(dirs, " and "))
		return errors.Join(a.printList(*asJSON, append([]templates.Template{}, all...), t, none), err)
	}
	return cmd
}

// completeTemplates completes the flags --template and --var. The command reports what is
// wrong with a template.
func (a *app) completeTemplates(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("template", func(*cobra.Command, []string, string) (out []cobra.Completion,
		_ cobra.ShellCompDirective) {
		all, _ := templates.List(a.templateDirs(a.directory())...)
		for _, t := range all {
			out = append(out, cobra.CompletionWithDesc(t.Name, question.Line(t.Description)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("var", func(*cobra.Command, []string, string) (out []cobra.Completion,
		_ cobra.ShellCompDirective) {
		t, _ := templates.Load(cmd.Flag("template").Value.String(), a.templateDirs(a.directory())...)
		for _, v := range t.Variables {
			out = append(out, cobra.CompletionWithDesc(v.Name+"=", question.Line(v.Description)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// templateCall makes the call of a template, with variables given as NAME=VALUE.
func (a *app) templateCall(name string, variables, args []string) (wire.Call, error) {
	if len(args) > 0 {
		return wire.Call{}, errors.New("--template has its own questions; leave out the arguments")
	}
	dirs := a.templateDirs(a.directory())
	t, err := templates.Load(name, dirs...)
	if errors.Is(err, templates.ErrNone) {
		err = fmt.Errorf("%w in %s; mcp-askuser templates lists those that there are", err, strings.Join(dirs, " or "))
	}
	if err != nil {
		return wire.Call{}, err
	}
	values := map[string]string{}
	var faults []error
	for _, word := range variables {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			faults = append(faults, fmt.Errorf("--var %q is not NAME=VALUE", word))
		}
		values[key] = value
	}
	data, err := t.Call(values)
	if err := errors.Join(append(faults, err)...); err != nil {
		return wire.Call{}, err
	}
	call, err := wire.DecodeAsk(data, a.settings().Limits)
	if err != nil {
		err = fmt.Errorf("%s: %w", t.Path, err)
	}
	return call, err
}
