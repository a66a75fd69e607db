package main

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// writeDecisions writes records, oldest first, as a log of decisions in Markdown, in English as it is
// shared: a heading for each question that was asked, with its options, answer, notes and origin.
// Each text of an agent's or the user's is one line.
func writeDecisions(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	var log strings.Builder
	log.WriteString("# Decisions\n")
	for rec, err := range records {
		if err != nil {
			return err
		}
		writeRecord(&log, view.Of(rec, words.English))
	}
	_, err := io.WriteString(w, log.String())
	return err
}

func writeRecord(b *strings.Builder, rec view.Record) {
	for _, q := range rec.Asked() {
		paragraph := func(format string, texts ...string) {
			for i := range texts {
				texts[i] = inline(texts[i])
			}
			if strings.Join(texts, "") != "" {
				fmt.Fprintf(b, "\n"+format+"\n", any(strings.Join(texts, " – ")))
			}
		}
		paragraph("## %s", q.Question.Text)
		paragraph("%s", q.Description)
		if len(q.Options) > 0 {
			b.WriteByte('\n')
		}
		for _, o := range q.Options {
			b.WriteString(strings.TrimSuffix("- "+inline(o.Label)+" – "+inline(o.Description), " – ") + "\n")
		}
		paragraph("**%s**", decision(rec, &q))
		paragraph("%s", rec.Reason())
		paragraph("Note: %s", q.Note)
		paragraph("Note on all answers: %s", rec.Note())
		origin := fmt.Sprintf("Asked by %s at %s; %s at %s; %s", rec.Program(), utc(rec.CreatedAt), rec.Ended(),
			utc(rec.Since()), rec.ID)
		if rec.Asker.Directory != "" {
			origin += "; in " + rec.Asker.Directory
		}
		if rec.Earlier != "" {
			origin += "; goes back to " + rec.Earlier
		}
		paragraph("*%s*", origin)
	}
}

// decision is the answer to a question, with its answerer where that was not the user, or why
// it has none.
func decision(rec view.Record, q *question.Response) string {
	switch {
	case q.State == question.StateDelegated:
		return "No decision: left to the agent"
	case q.Answer == nil && rec.State == desk.Answered:
		return "No decision: skipped"
	case q.Answer == nil || rec.State != desk.Answered && rec.State != desk.Discuss:
		return "No decision: " + rec.Ended()
	case rec.State == desk.Discuss:
		return "To be discussed first; so far: " + q.Text()
	case q.By() == question.ByTimeout:
		return "The default, as nobody answered in time: " + q.Text()
	case q.By() == question.ByProgram:
		return "A program's answer, not the user's: " + q.Text()
	}
	return "Decision: " + q.Text()
}

func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// inline returns Markdown that shows a text on one line and has no other effect.
func inline(text string) string {
	return escapeMarkdown(question.Line(strings.Join(strings.Fields(text), " ")))
}

// escapeMarkdown escapes every character that Markdown reads, at any place in a line. A
// backslash does not undo a mention (@name) on a forge; an empty comment does.
func escapeMarkdown(line string) string {
	var b strings.Builder
	for i, r := range line {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>&~|#$^", r):
			b.WriteByte('\\')
		case i == 0 && strings.ContainsRune("-+=", r):
			b.WriteByte('\\')
		case (r == '.' || r == ')') && i > 0 && strings.Trim(line[:i], "0123456789") == "":
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if r == '@' {
			b.WriteString("<!-- -->")
		}
	}
	return b.String()
}
