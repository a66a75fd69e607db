package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// writeDecisions writes records, oldest first, as a log of decisions in Markdown: a
// heading for each project, and below it one for each question that was asked, with its
// options, decision, notes and origin.
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
	log.WriteString("# Decisions\n")
	if len(projects) == 0 {
		log.WriteString("\nNothing was asked.\n")
	}
	dirs := slices.Sorted(maps.Keys(projects))
	if len(dirs) > 0 && dirs[0] == "" { // no project is last
		dirs = append(dirs[1:], "")
	}
	for _, dir := range dirs {
		title, where := "In no project", ""
		if dir != "" {
			title, where = inline(cmp.Or(words.Project(desk.Asker{Directory: dir}), dir)), "\n"+inline(dir)+"\n"
		}
		log.WriteString("\n## " + title + "\n" + where + projects[dir].String())
	}
	_, err := io.WriteString(w, log.String())
	return err
}

func writeRecord(b *strings.Builder, rec view.Record) {
	asked := rec.Asked()
	for i := range asked {
		writeDecision(b, rec, &asked[i])
		if asked[i].Note != "" {
			b.WriteString("\nNote:\n\n" + quoted(asked[i].Note))
		}
		if r := rec.Reply(); r != nil && r.Note != "" && i == len(asked)-1 { // it is about all of them
			b.WriteString("\nNote on all answers:\n\n" + quoted(r.Note))
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
		b.WriteString("\nOptions considered:\n\n")
		for i := range q.Options {
			b.WriteString("- " + inline(q.Options[i].Label))
			if description := q.Options[i].Description; description != "" {
				b.WriteString(" – " + inline(description))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("\n" + decision(rec, q))
}

func decision(rec view.Record, q *question.Response) string {
	discuss := rec.State == desk.Discuss
	switch {
	case discuss && q.Answer == nil:
		return "**To be discussed first.**\n"
	case !discuss && rec.State != desk.Answered:
		text := fmt.Sprintf("**No decision:** %s.\n", inline(rec.Ended()))
		if rec.Reason() != "" {
			text += "\n" + quoted(rec.Reason())
		}
		return text
	case q.Answer == nil:
		return "**No decision:** skipped.\n"
	}
	text := "**Decision:**"
	if discuss {
		text = "**To be discussed first; so far:**"
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
		text += "\nNobody answered in time; as the agent and the configuration wanted, this is the default.\n"
	case question.ByProgram:
		text += "\nA program answered, not the user.\n"
	default:
	}
	return text
}

// origin says which program asked and when, and how that ended.
func origin(rec view.Record) string {
	text := fmt.Sprintf("Asked by %[1]s at %[2]s; %[3]s at %[4]s; %[5]s", inline(rec.Program()), utc(rec.CreatedAt), inline(rec.Ended()), utc(rec.Since()), inline(rec.ID))
	if rec.Earlier != "" {
		text = fmt.Sprintf("%[1]s; goes back to %[2]s", text, inline(rec.Earlier))
	}
	return text
}

func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// inline returns Markdown that shows a text on one line and has no other effect.
func inline(text string) string {
	return escapeMarkdown(question.Line(strings.Join(strings.Fields(text), " ")))
}

// quoted returns a block quote that keeps the lines of a text.
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

// line is one line of a transcript: a call or a result as in the log of an agent. It
// points to the line before it in its session.
type line struct {
	Type          string       `json:"type"` // assistant or user
	UUID          string       `json:"uuid"`
	ParentUUID    *string      `json:"parentUuid"` // null at the start of a session
	SessionID     string       `json:"sessionId"`
	Timestamp     time.Time    `json:"timestamp"`
	CWD           string       `json:"cwd,omitempty"` // the project that the asker works in
	Message       turn         `json:"message"`
	ToolUseResult *wire.Result `json:"toolUseResult,omitempty"`
}

// turn is a message as in the model's interface.
type turn struct {
	Role    string `json:"role"`
	Content [1]any `json:"content"`
}

type toolUse struct {
	Type  string `json:"type"` // tool_use
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input any    `json:"input"` // a question.Set or confirmInput
}

type toolResult struct {
	Type      string `json:"type"` // tool_result
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error,omitempty"`
}

// lines are the call and its result. They update last, the last id of each session.
func lines(rec desk.Record, last map[string]*string) (out []line) {
	add := func(kind, role string, when time.Time, content any) *line {
		session := cmp.Or(rec.SessionID, rec.ID)
		id := nameUUID(rec.ID + "/" + kind)
		out = append(out, line{
			Type: role, UUID: id, ParentUUID: last[session], SessionID: session,
			Timestamp: when, CWD: rec.Asker.Directory, Message: turn{role, [1]any{content}},
		})
		last[session] = &id
		return &out[len(out)-1]
	}
	use := cmp.Or(rec.ToolUse, "toolu_"+rec.ID)
	tool, input := callOf(rec)
	add("tool_use", "assistant", rec.CreatedAt, toolUse{"tool_use", use, tool, input})
	result := wire.NewResult(rec)
	add("tool_result", "user", rec.Outcome.At, toolResult{"tool_result", use, result.Text, result.IsError()}).ToolUseResult = result
	return out
}

// writeTranscript writes records, oldest first, as chains of messages, one for each
// session; a record without a session is a chain of its own. The ids are derived from
// the records: every transcript has the same.
func writeTranscript(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	last := map[string]*string{}
	for rec, err := range records {
		if err != nil {
			return err
		}
		for _, m := range lines(rec, last) {
			if err := writeJSON(w, m, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameUUID derives an id from a name (RFC 9562, version 5).
func nameUUID(name string) string { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String() }

// callOf returns a tool that asks what the record asks, and its arguments. A record does
// not store its tool: a question that confirm_action could ask counts as asked by it.
func callOf(rec desk.Record) (tool string, input any) {
	if len(rec.Questions) == 1 && rec.Metadata == nil && rec.OnTimeout == "" {
		q := rec.Questions[0]
		c := confirmInput{Action: q.Text, Details: q.Description}
		for _, o := range q.Options {
			if o.Default {
				c.Default = new(o.ID == question.YesID)
			}
		}
		if reflect.DeepEqual(q, wire.Confirm(c.Action, c.Details, c.Default)) {
			return "confirm_action", c
		}
	}
	return "ask_user_question", rec.Set // a set in a record is written as a call
}

type confirmInput struct {
	Action  string `json:"action"`
	Details string `json:"details,omitempty"`
	Default *bool  `json:"default,omitempty"`
}
