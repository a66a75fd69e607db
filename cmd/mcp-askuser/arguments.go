package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-askuser/cmd/mcp-askuser/settings"
)

// arguments checks the number of arguments: one if the usage line names one, which
// is optional [in brackets]; of NAME... any number.
func arguments(cmd *cobra.Command, args []string) error {
	_, name, _ := strings.Cut(cmd.Use, " ")
	optional, several := strings.HasPrefix(name, "["), strings.Contains(name, "...")
	check := cobra.ExactArgs(1)
	switch {
	case name == "", strings.HasPrefix(name, "--"):
		check = cobra.NoArgs
	case optional && several:
		check = cobra.ArbitraryArgs
	case optional:
		check = cobra.MaximumNArgs(1)
	case several:
		check = cobra.MinimumNArgs(1)
	}
	err := check(cmd, args)
	if err != nil && !cmd.HasSubCommands() { // else it names an unknown command
		err = fmt.Errorf("%w\nUsage: %s", err, cmd.UseLine())
	}
	return err
}

// flagError says what a flag takes, or where all are listed.
func flagError(cmd *cobra.Command, err error) error {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		hint := ""
		unknown, is := errors.AsType[*pflag.NotExistError](err)
		if is && unknown.GetSpecifiedShortnames() != "" { // perhaps a negative number
			hint = "; arguments that begin with - go behind --"
		}
		return fmt.Errorf("%w; %s --help lists all%s", err, cmd.CommandPath(), hint)
	}
	takes := map[string]string{
		"int": "a whole number", "uint": "a whole number, 0 or more", "bool": "true or false",
		"duration": "a time such as 90s or 10m",
	}[bad.GetFlag().Value.Type()]
	return fmt.Errorf("--%s is %q; it takes %s", bad.GetFlag().Name, bad.GetValue(), cmp.Or(takes, bad.Unwrap().Error()))
}

// parsedFlag gives a command a flag that parse reads, and returns its value. Takes says what
// it takes.
func parsedFlag[T any](cmd *cobra.Command, name, help, takes string, parse func(text string) (T, bool)) *T {
	value := new(T)
	cmd.Flags().Func(name, help, func(text string) error {
		v, ok := parse(text)
		if !ok {
			return errors.New(takes)
		}
		*value = v
		return nil
	})
	return value
}

// wordFlag gives a command a flag that takes one of some words, and returns its value.
func wordFlag(cmd *cobra.Command, name, fallback, help string, words ...string) *string {
	takes := strings.Join(words, ", ")
	word := parsedFlag(cmd, name, help, takes, func(text string) (string, bool) {
		return text, slices.Contains(words, text)
	})
	*word, cmd.Flag(name).DefValue = fallback, fallback
	complete(cmd, name, words...)
	return word
}

// oldTakes is what --older-than takes.
const oldTakes = "a time of an hour or more such as 90d, 12w or 36h"

// olderFlag gives a command the flag --older-than, and returns its value, 0 without one.
func olderFlag(cmd *cobra.Command, help string) *time.Duration {
	return parsedFlag(cmd, "older-than", help, oldTakes, settings.Age)
}

// sinceFlag gives a command the flag --since, and returns its value, zero without one.
func sinceFlag(cmd *cobra.Command) *time.Time {
	return parsedFlag(cmd, "since",
		"from this `time` on: how long ago, such as 2h or 3d, a day such as 2006-01-02, or 2006-01-02T15:04:05Z",
		"a time ago such as 2h or 3d, or a time such as 2006-01-02 or 2006-01-02T15:04:05Z",
		func(text string) (time.Time, bool) { return parseSince(text, time.Now()) })
}

// parseSince reads a time: how long ago, a date in this time zone, or RFC 3339. It is zero
// for an empty text.
func parseSince(text string, now time.Time) (time.Time, bool) {
	if text == "" {
		return time.Time{}, true
	}
	ago, ok := settings.Duration(text)
	if ok {
		return now.Add(-ago), true
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		t, err := time.ParseInLocation(layout, text, now.Location())
		if err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// formatFlag gives a command the flag --format. The first format is the default.
func formatFlag(cmd *cobra.Command, formats ...string) *string {
	return wordFlag(cmd, "format", formats[0], "the `format`: "+strings.Join(formats, ", "), formats...)
}
