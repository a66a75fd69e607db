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
)

// arguments checks the number of arguments: one if the usage line names one, which
// is optional [in brackets]; of NAME... as many as there are valid ones, or any number.
func arguments(cmd *cobra.Command, args []string) error {
	_, name, _ := strings.Cut(cmd.Use, " ")
	least, most := 1, 1
	switch {
	case strings.Contains(name, "...") && len(cmd.ValidArgs) > 0:
		most = len(cmd.ValidArgs)
	case strings.Contains(name, "..."):
		most = math.MaxInt
	case name == "", strings.HasPrefix(name, "--"):
		most = 0
	}
	if most == 0 || strings.HasPrefix(name, "[") {
		least = 0
	}
	switch {
	case len(args) < least:
		return fmt.Errorf("missing argument: %s\nUsage: %s", name, cmd.UseLine())
	case len(args) <= most:
		return nil
	case cmd.HasSubCommands():
		return cobra.NoArgs(cmd, args) // an unknown command
	}
	return fmt.Errorf("unexpected argument %q\nUsage: %s", args[most], cmd.UseLine())
}

// flagError says what a flag takes, or where all are listed.
func flagError(cmd *cobra.Command, err error) error {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return fmt.Errorf("%w; %s --help lists all", err, cmd.CommandPath())
	}
	takes := map[string]string{"int": "a whole number", "uint": "a whole number, 0 or more", "bool": "true or false", "duration": "a time such as 90s or 10m"}[bad.GetFlag().Value.Type()]
	return fmt.Errorf("--%s is %q; it takes %s", bad.GetFlag().Name, bad.GetValue(), cmp.Or(takes, bad.Unwrap().Error()))
}

// word is the value of a flag that takes one of some words.
type word struct {
	to    *string
	words []string
}

// wordFlag gives a command such a flag, and returns its value.
func wordFlag(cmd *cobra.Command, name, fallback, help string, words ...string) *string {
	cmd.Flags().Var(word{&fallback, words}, name, help)
	complete(cmd, name, words...)
	return &fallback
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

// formatFlag gives a command the flag --format. The first format is the default.
func formatFlag(cmd *cobra.Command, formats ...string) *string {
	return wordFlag(cmd, "format", formats[0], "the `format`: "+strings.Join(formats, ", "), formats...)
}
