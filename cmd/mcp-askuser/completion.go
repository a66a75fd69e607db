package main

import (
	"io"
	"strings"
)

// scripts writes the library's completion scripts, of which that for fish evaluates the command line: there
// "?" is a wildcard, and what a text in quotes has behind a semicolon a command. It quotes the words.
type scripts struct{ io.Writer }

func (s scripts) Write(script []byte) (int, error) {
	quoted := strings.ReplaceAll(string(script), "(commandline -opc)", "(string escape -- (commandline -opc))")
	_, err := io.WriteString(s.Writer, quoted)
	return len(script), err
}
