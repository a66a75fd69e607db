package main

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// writeDecisions writes records, oldest first, as a log of decisions in
// Markdown: a heading for each question that was put, the options considered,
// the decision, and who decided where and when (D22).
func writeDecisions(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	log := "# Decisions\n"
	none := "\nNothing was asked.\n"
	for rec, err := range records {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, log+decisions(rec)); err != nil {
			return err
		}
		log, none = "", ""
	}
	_, err := io.WriteString(w, log+none)
	return err
}

// decisions are those of one record.
func decisions(rec desk.Record) string {
	var b strings.Builder
	asked := rec.Asked()
	for i := range asked {
		writeDecision(&b, rec.Outcome, &asked[i])
		if r := rec.Reply(); r != nil && r.Note != "" && i == len(asked)-1 { // it is about all of them
			b.WriteString("\nNote of the user:\n\n" + quoted(r.Note))
		}
		fmt.Fprintf(&b, "\n*%s*\n", origin(rec))
	}
	return b.String()
}

func writeDecision(b *strings.Builder, o *desk.Outcome, q *question.Response) {
	fmt.Fprintf(b, "\n## %s\n", inline(q.Question.Text))
	if q.Description != "" {
		b.WriteString("\n" + quoted(q.Description))
	}
	if q.Chooses() {
		b.WriteString("\nOptions considered:\n\n")
		for i := range q.Options {
			writeOption(b, &q.Options[i])
		}
	}
	b.WriteString("\n" + decision(o, q))
}

func writeOption(b *strings.Builder, o *question.Option) {
	b.WriteString("- " + inline(o.Label))
	if o.Description != "" {
		b.WriteString(" – " + inline(o.Description))
	}
	b.WriteByte('\n')
}

// decision is the decision in words. Only what the user said is theirs.
func decision(o *desk.Outcome, q *question.Response) string {
	switch {
	case o.Status == desk.Dismissed && o.Reply.Reason != "":
		return "**No decision:** the user closed the question. Their reason:\n\n" + quoted(o.Reply.Reason)
	case o.Status == desk.Dismissed:
		return "**No decision:** the user closed the question.\n"
	case o.Status == desk.Timeout:
		return "**No decision:** nobody answered in time.\n"
	case o.Status != desk.Answered:
		return fmt.Sprintf("**No decision:** %s (%s).\n", inline(words.Outcome(o)), inline(o.Reason))
	case q.Answer == nil:
		return "**No decision:** the user left it open.\n"
	}
	text := "**Decision:**"
	for i, word := range q.Words() {
		switch {
		case strings.Contains(word, "\n"): // the free text, the last
			text += "\n\n" + strings.TrimSuffix(quoted(word), "\n")
		case i == 0:
			text += " " + inline(word)
		default:
			text += ", " + inline(word)
		}
	}
	text += "\n"
	if q.By() == question.ByTimeout {
		text += "\nNobody answered in time; as the asker and the configuration wanted, this is the default.\n"
	}
	return text
}

// origin says who asked, where and when, and how that ended.
func origin(rec desk.Record) string {
	o := rec.Outcome
	by := inline(strings.TrimSpace(rec.Asker.Client + " " + rec.Asker.Version))
	if rec.Asker.Directory != "" {
		by += " in " + inline(rec.Asker.Directory)
	}
	return fmt.Sprintf("Asked by %s at %s; %s at %s; round %d, %s", by, stamp(rec.CreatedAt), inline(words.Outcome(o)), stamp(o.At), rec.Round, inline(rec.ID))
}

// stamp is a time that means the same to every reader.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// inline makes a text from outside a piece of one line of Markdown that shows
// as that text and nothing else.
func inline(text string) string {
	return escapeMarkdown(question.Line(strings.Join(strings.Fields(text), " ")))
}

// quoted makes it a block quote that keeps its lines.
func quoted(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(question.Block(text)), "\n") {
		line = strings.TrimSpace(line)
		if i > 0 && line != "" && !strings.HasSuffix(b.String(), ">") {
			b.WriteString("  ") // a hard line break; a backslash would meet one in the text
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSpace("> " + escapeMarkdown(line)))
	}
	return b.String() + "\n"
}

// escapeMarkdown keeps every character of a line from meaning anything,
// wherever in a line it stands. A mention of somebody on a forge is not undone
// by a backslash, only by something between.
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
