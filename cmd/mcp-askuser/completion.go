package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"
)

// quoteForFish has fish's completion script quote the words of the command line. The library's script
// evaluates them as they are: the "?" of a question is a wildcard there, and what a text in quotes has
// behind a semicolon a command.
func quoteForFish(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	fish, _, err := root.Find([]string{"completion", "fish"})
	if err != nil { // the library names it
		panic(err)
	}
	fish.RunE = func(cmd *cobra.Command, _ []string) error {
		var script bytes.Buffer
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err == nil {
			err = root.GenFishCompletion(&script, !plain)
		}
		if err != nil {
			return err
		}
		quoted := strings.NewReplacer("(commandline -opc)", "(string escape -- (commandline -opc))")
		_, err = quoted.WriteString(cmd.OutOrStdout(), script.String())
		return err
	}
}
