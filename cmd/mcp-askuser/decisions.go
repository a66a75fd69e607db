package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// writeDecisions writes records, oldest first, as a log of decisions in
// Markdown, to be committed: a heading for each project, and below it one for
// each question that was put, with the options considered, the decision, what
// was said beside it, and who decided where and when.
func writeDecisions(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	projects := map[string]*strings.Builder{} // by directory
	for rec, err := range records {
		if err != nil {
			return err
		}
		dir := rec.Asker.Directory
		if projects[dir] == nil {
			projects[dir] = &strings.Builder{}
		}
		writeRecord(projects[dir], view.Local(rec))
	}
	var log strings.Builder
	log.WriteString("# " + words.T("Decisions") + "\n")
	if len(projects) == 0 {
		log.WriteString("\n" + words.T("Nothing was asked.") + "\n")
	}
	dirs := slices.Sorted(maps.Keys(projects))
	if len(dirs) > 0 && dirs[0] == "" { // which comes last
		dirs = append(dirs[1:], "")
	}
	for _, dir := range dirs {
		title, where := words.T("In no project"), ""
		if dir != "" {
			title, where = inline(cmp.Or(words.Project(desk.Asker{Directory: dir}), dir)), "\n"+inline(dir)+"\n"
		}
		log.WriteString("\n## " + title + "\n" + where + projects[dir].String())
	}
	_, err := io.WriteString(w, log.String())
	return err
}

// writeRecord writes the decisions of one record.
func writeRecord(b *strings.Builder, rec view.Record) {
	asked := rec.Asked()
	for i := range asked {
		writeDecision(b, rec, &asked[i])
		if asked[i].Note != "" {
			b.WriteString("\n" + words.T("Beside it:") + "\n\n" + quoted(asked[i].Note))
		}
		if r := rec.Reply(); r != nil && r.Note != "" && i == len(asked)-1 { // it is about all of them
			b.WriteString("\n" + words.T("On the whole:") + "\n\n" + quoted(r.Note))
		}
		fmt.Fprintf(b, "\n*%s*\n", origin(rec))
	}
}

func writeDecision(b *strings.Builder, rec view.Record, q *question.Response) {
	fmt.Fprintf(b, "\n### %s\n", inline(q.Question.Text))
	if q.Description != "" {
		b.WriteString("\n" + quoted(q.Description))
	}
	if q.Chooses() {
		b.WriteString("\n" + words.T("Options considered:") + "\n\n")
		for i := range q.Options {
			b.WriteString("- " + inline(q.Options[i].Label))
			if about := q.Options[i].Description; about != "" {
				b.WriteString(" – " + inline(about))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("\n" + decision(rec, q))
}

// decision is the decision in words. Only what the user said is theirs.
func decision(rec view.Record, q *question.Response) string {
	o, who := rec.Outcome, words.T("the user")
	if o.FromProgram() {
		who = words.T("a program")
	}
	switch {
	case o.Status == desk.Dismissed && o.Reply.Reason != "":
		return words.T("**No decision:** %s closed the question. Their reason:", who) + "\n\n" + quoted(o.Reply.Reason)
	case o.Status == desk.Dismissed:
		return words.T("**No decision:** %s closed the question.", who) + "\n"
	case o.Status == desk.Timeout:
		return words.T("**No decision:** nobody answered in time.") + "\n"
	case o.Status == desk.Discuss && q.Answer == nil:
		return words.T("**To be discussed first.**") + "\n"
	case o.Status != desk.Answered && o.Status != desk.Discuss:
		return words.T("**No decision:** %[1]s (%[2]s).", inline(rec.Ended()), inline(o.Reason)) + "\n"
	case q.Answer == nil:
		return words.T("**No decision:** %s left it open.", who) + "\n"
	}
	text := words.T("**Decision:**")
	if o.Status == desk.Discuss {
		text = words.T("**To be discussed first; so far:**")
	}
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
	switch q.By() {
	case question.ByTimeout:
		text += "\n" + words.T("Nobody answered in time; as the asker and the configuration wanted, this is the default.") + "\n"
	case question.ByProgram:
		text += "\n" + words.T("A program answered, not the user.") + "\n"
	default:
	}
	return text
}

// origin says who asked, where and when, and how that ended.
func origin(rec view.Record) string {
	text := words.T("Asked by %[1]s at %[2]s; %[3]s at %[4]s; round %[5]d, %[6]s", inline(rec.Program()), stamp(rec.CreatedAt), inline(rec.Ended()), stamp(rec.Since()), rec.Round, inline(rec.ID))
	if rec.Earlier != "" {
		text = words.T("%[1]s; goes back to %[2]s", text, inline(rec.Earlier))
	}
	return text
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
