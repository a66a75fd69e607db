package main

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
)

func (a *app) show() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show one question: who asked, what, and what became of it",
		Example: "  mcp-askuser show 01JD6Z00\n  mcp-askuser show 01JD6Z00 --json",
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return a.withRecord(cmd, true, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		if *asJSON {
			return a.printJSON(rec)
		}
		a.print(recordText(rec, a.out.width()))
		return nil
	})
}

// recordText shows a record as the inbox does. The texts of the agent and the user are
// indented, so that none of their lines can pass for one of ours. A width of 0 is any.
func recordText(rec desk.Record, width int) string {
	const column = 9
	shown := view.Local(rec)
	lines := term.Table(lipgloss.NewStyle(), column, shown.Details(time.Local), cmp.Or(width, unwrapped))
	return questionsText(rec, width) + strings.Join(lines, "\n") + "\n"
}

// unwrapped is the width of texts that are not for a terminal.
const unwrapped = 1 << 16

// questionsText shows the questions and answers of a record, indented.
func questionsText(rec desk.Record, width int) string {
	const indent = "   "
	var b strings.Builder
	for _, line := range term.DrawRecord(&term.Styles{}, rec, true, cmp.Or(width, unwrapped)-len(indent)) {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return b.String()
}

// capital begins a text with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
