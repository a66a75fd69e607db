package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/ui/words"
)

// arguments checks the number of arguments: one if the usage line names one, which
// is optional [in brackets]; of NAME... as many as there are valid ones, or any number.
func arguments(cmd *cobra.Command, args []string) error {
	if cmd.Name() == "help" { // those of the command that it is about, which may be left out
		if cmd, args, _ = cmd.Root().Find(args); len(args) == 0 {
			return nil
		}
	}
	_, name, _ := strings.Cut(cmd.Use, " ")
	most := 1
	switch {
	case strings.Contains(name, "..."):
		if most = len(cmd.ValidArgs); most == 0 {
			most = math.MaxInt
		}
	case name == "", strings.HasPrefix(name, "--"):
		most = 0
	}
	var fault string
	switch {
	case len(args) == 0 && most > 0 && !strings.HasPrefix(name, "["):
		fault = words.T("missing argument: %s", name)
	case len(args) <= most:
		return nil
	case cmd.HasSubCommands():
		return unknownCommand(cmd, args[0])
	default:
		fault = words.T("unexpected argument %q", args[most])
	}
	return errors.New(words.T("%s\nUsage: %s", fault, usage(cmd)))
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	if near := settings.Nearest(name, known); near != "" {
		return fmt.Errorf(words.T("unknown command %q; did you mean %s?"), name, near)
	}
	return fmt.Errorf(words.T("unknown command %q; %s --help lists them all"), name, cmd.CommandPath())
}

// flagError rewords the library's errors about flags.
func flagError(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		takes := map[string]string{"int": words.T("a whole number"), "uint": words.T("a whole number, 0 or more"), "bool": words.T("true or false"), "duration": words.T("a time such as 90s or 10m")}[bad.GetFlag().Value.Type()]
		return fmt.Errorf(words.T("--%s is %q; it takes %s"), bad.GetFlag().Name, bad.GetValue(), cmp.Or(takes, bad.Unwrap().Error()))
	}
	if bad, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		what, _ := pflag.UnquoteUsage(bad.GetFlag())
		return errors.New(words.T("missing value: %s", "--"+bad.GetFlag().Name+" "+what))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		bad, _ := errors.AsType[*pflag.InvalidSyntaxError](err)
		return errors.New(words.T("%s is not a flag; %s --help lists them all", bad.GetSpecifiedFlag(), cmd.CommandPath()))
	}
	name := "-" + unknown.GetSpecifiedShortnames()
	if name == "-" {
		name = "--" + unknown.GetSpecifiedName()
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := settings.Nearest(unknown.GetSpecifiedName(), known); near != "" && name[1] == '-' {
		return errors.New(words.T("unknown flag: %s; did you mean --%s?", name, near))
	}
	return errors.New(words.T("unknown flag: %s; %s --help lists them all", name, cmd.CommandPath()))
}

// word is the value of a flag that takes one of some words.
type word struct {
	to    *string
	words []string
}

// addWordFlag gives a command such a flag. Its default is what to points to.
func addWordFlag(cmd *cobra.Command, to *string, name, help string, words ...string) {
	cmd.Flags().Var(word{to, words}, name, help)
	complete(cmd, name, words...)
}

func (w word) String() string { return *w.to }
func (w word) Type() string   { return "word" }

// Set implements pflag.Value. The error is the list of words, to follow "it takes".
func (w word) Set(text string) error {
	if !slices.Contains(w.words, text) {
		return errors.New(strings.Join(w.words, ", "))
	}
	*w.to = text
	return nil
}

// addFormatFlag gives a command the flag --format. The first format is the default.
func addFormatFlag(cmd *cobra.Command, to *string, formats []string) {
	*to = formats[0]
	addWordFlag(cmd, to, "format", "the `format`: "+strings.Join(formats, ", "), formats...)
}
