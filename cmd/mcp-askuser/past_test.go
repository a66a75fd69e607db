//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/api"
)

// past is a dialogue of two rounds, and questions of no session that ended in
// every other way. Some of it is hostile.
func past() []desk.Record {
	asked := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	agent := desk.Asker{Client: "claude-code", Version: "2.1.329", Directory: "/srv/shop", Via: "mcp"}
	yesNo := []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}}
	outcome := func(id string, status desk.Status, reply *question.Reply, reason string) *desk.Outcome {
		return &desk.Outcome{ID: id, Status: status, Reply: reply, Reason: reason, Surface: "tty", At: asked.Add(time.Minute)}
	}
	return []desk.Record{
		{
			ID: "01JD6Z0000AAAAAAAAAAAAAAAA", SessionID: "s1", Round: 1, Asker: agent, State: desk.Answered, CreatedAt: asked,
			Set: question.Set{Questions: []question.Question{
				{
					ID: "q1", Text: "Which database?", Header: "Database", Type: question.SingleChoice, Required: true, AllowCustom: true,
					Description: "It holds the orders.\n\n# Not a heading",
					Options: []question.Option{
						{ID: "pg", Label: "PostgreSQL", Description: "Relational", Default: true, FollowUps: []question.Question{
							{ID: "q1.pg.1", Text: "Who runs it?", Type: question.Text, Required: true},
						}},
						{ID: "mongo", Label: "MongoDB", Description: "Documents"},
					},
				},
				{ID: "q2", Text: "哪些功能?", Type: question.MultiChoice, AllowCustom: true, Options: []question.Option{{ID: "c", Label: "缓存"}, {ID: "l", Label: "日志"}}},
				{ID: "q3", Text: "Anything else?", Type: question.Text},
			}},
			Outcome: outcome("01JD6Z0000ZZZZZZZZZZZZZZZZ", desk.Answered, &question.Reply{
				Answers: []question.Answer{
					{QuestionID: "q1", Selected: []string{"pg"}, By: question.ByUser},
					{QuestionID: "q1.pg.1", Custom: "We do:\n\n1. backups\n- @ops looks after it", By: question.ByUser},
					{QuestionID: "q2", Selected: []string{"c", "l"}, Custom: "*more*", By: question.ByUser},
				},
				Note: "Until <b>spring</b>",
			}, ""),
		},
		{
			ID: "01JD6Z0001AAAAAAAAAAAAAAAA", SessionID: "s1", Round: 2, Asker: agent, State: desk.Dismissed, CreatedAt: asked.Add(time.Hour),
			Set:     question.Set{Questions: []question.Question{{ID: "q1", Text: "Delete\x1b[2J the \u202eold table?", Type: question.Boolean, Required: true, Options: yesNo}}},
			Outcome: outcome("01JD6Z0001ZZZZZZZZZZZZZZZZ", desk.Dismissed, &question.Reply{Dismissed: true, Reason: "Ask in #ops"}, ""),
		},
		{
			ID: "01JD6Z0002AAAAAAAAAAAAAAAA", Round: 1, Asker: desk.Asker{Client: "mcp-askuser", Via: "shell"}, State: desk.Timeout, CreatedAt: asked.Add(2 * time.Hour),
			Set:     question.Set{Questions: []question.Question{{ID: "q1", Text: "Anyone there?", Type: question.Boolean, Required: true, Options: yesNo}}},
			Outcome: &desk.Outcome{ID: "01JD6Z0002ZZZZZZZZZZZZZZZZ", Status: desk.Timeout, Reason: "1m0s", At: asked.Add(2*time.Hour + time.Minute)},
		},
		{
			ID: "01JD6Z0003AAAAAAAAAAAAAAAA", Round: 1, Asker: agent, State: desk.Answered, CreatedAt: asked.Add(3 * time.Hour), OnTimeout: "default",
			Set: question.Set{Questions: []question.Question{{ID: "q1", Text: "Deploy tonight?", Type: question.Boolean, Required: true, Options: yesNo}}},
			Outcome: &desk.Outcome{ID: "01JD6Z0003ZZZZZZZZZZZZZZZZ", Status: desk.Answered, Reply: &question.Reply{
				Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.NoID}, By: question.ByTimeout}},
			}, At: asked.Add(3*time.Hour + time.Minute)},
		},
		{
			ID: "01JD6Z0004AAAAAAAAAAAAAAAA", Round: 1, Asker: desk.Asker{Client: "codex", Directory: "/srv/docs", Via: "mcp"}, State: desk.Discuss, CreatedAt: asked.Add(4 * time.Hour), Earlier: "01JD6Z0002AAAAAAAAAAAAAAAA",
			Set: question.Set{Questions: []question.Question{
				{ID: "q1", Text: "Publish?", Type: question.Boolean, Required: true, Options: yesNo},
				{ID: "q2", Text: "Where?", Type: question.Text, Required: true},
			}},
			Outcome: &desk.Outcome{ID: "01JD6Z0004ZZZZZZZZZZZZZZZZ", Status: desk.Discuss, Surface: "web", Reply: &question.Reply{Discuss: true, Note: "Is the licence settled?", Answers: []question.Answer{
				{QuestionID: "q1", Selected: []string{question.YesID}}, {QuestionID: "q2", Note: "Which of the two?"},
			}}, At: asked.Add(4*time.Hour + time.Minute)},
		},
	}
}

func TestDecisionLog(t *testing.T) {
	var b bytes.Buffer
	if err := writeDecisions(&b, yielded(past())); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "golden/decisions.md", b.String())
}

// yielded yields records as a desk does.
func yielded(records []desk.Record) iter.Seq2[desk.Record, error] {
	return func(yield func(desk.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// An array that is written as it comes is the same as one that is there, and
// one that breaks off is none.
func TestArray(t *testing.T) {
	for n := range past() {
		records := past()[:n]
		var whole, streamed bytes.Buffer
		a := &app{out: &output{Writer: &whole}}
		projected := []desk.Record{}
		for _, rec := range records {
			projected = append(projected, api.NewStored(rec))
		}
		if err := errors.Join(a.printJSON(projected), writeArray(&streamed, yielded(records))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(whole.Bytes(), streamed.Bytes()) {
			t.Errorf("%d records:\n%s\nand\n%s", n, whole.Bytes(), streamed.Bytes())
		}
	}
	var b bytes.Buffer
	lost := errors.New("lost")
	broken := func(yield func(desk.Record, error) bool) { _ = yield(past()[0], nil) && yield(desk.Record{}, lost) }
	if err := writeArray(&b, broken); !errors.Is(err, lost) || json.Valid(b.Bytes()) {
		t.Errorf("%v, and printed is\n%s", err, b.Bytes())
	}
}

func TestTranscript(t *testing.T) {
	var b bytes.Buffer
	a := &app{out: &output{Writer: &b}}
	records := past()
	slices.Reverse(records)
	if err := a.stream(yielded(records), "jsonl"); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "golden/transcript.jsonl", b.String())
}

// Every format names the verified proof of an answer, and none has the signature.
func TestPastProof(t *testing.T) {
	rec := past()[0]
	rec.Outcome.Proof = &question.Proof{Kind: question.PasskeyProof, Key: "k1", Name: "laptop", At: rec.Outcome.At, Verified: true, Signature: []byte("s"), ClientData: []byte("c")}
	for format, want := range map[string]string{
		"json": `"verified": true`, "jsonl": `"proof":{"kind":"passkey","key":"k1","name":"laptop",`, "md": "signed with the passkey laptop",
	} {
		var b bytes.Buffer
		a := &app{out: &output{Writer: &b}}
		if err := a.stream(yielded([]desk.Record{rec}), format); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, want) || strings.Contains(got, "signature") || strings.Contains(got, "client_data") {
			t.Errorf("%s:\n%s", format, got)
		}
	}
	var b bytes.Buffer
	a := &app{out: &output{Writer: &b}}
	a.printTable(historyTable([]desk.Record{rec}))
	if got := b.String(); !strings.Contains(got, "signed with the passkey") {
		t.Errorf("history prints:\n%s", got)
	}
}

// The call has the id that it has in the agent's own transcript, where that is known.
func TestTranscriptKeepsToolUseIDs(t *testing.T) {
	rec := past()[0]
	rec.ToolUse = "toolu_1"
	both := lines(rec, map[string]*string{})
	use, result := both[0].Message.Content[0].(toolUse), both[1].Message.Content[0].(toolResult)
	if use.ID != "toolu_1" || result.ToolUseID != "toolu_1" {
		t.Errorf("the call has the id %q, its result %q", use.ID, result.ToolUseID)
	}
}

// Each message points to the one before it in its session, and what the tool
// was asked can be asked again.
func TestTranscriptHoldsTogether(t *testing.T) {
	records := past()
	seen := map[string]string{} // session by id of the message
	last := map[string]*string{}
	var messages []line
	for _, rec := range records {
		messages = append(messages, lines(rec, last)...)
	}
	for i, m := range messages {
		if _, twice := seen[m.UUID]; twice {
			t.Errorf("message %d: id %s stands for two", i, m.UUID)
		}
		if m.ParentUUID != nil && seen[*m.ParentUUID] != m.SessionID {
			t.Errorf("message %d: its parent is not in its session", i)
		}
		if m.ParentUUID == nil && i != 0 && i != 4 && i != 6 && i != 8 {
			t.Errorf("message %d: starts a chain", i)
		}
		seen[m.UUID] = m.SessionID
		use, ok := m.Message.Content[0].(toolUse)
		if !ok {
			continue
		}
		input, err := json.Marshal(use.Input)
		if err != nil {
			t.Fatal(err)
		}
		call, err := wire.DecodeAsk(input, question.DefaultLimits())
		if err != nil {
			t.Fatalf("message %d cannot be asked again: %v", i, err)
		}
		want, _ := json.Marshal(records[i/2].Set)
		if got, _ := json.Marshal(call.Set); !bytes.Equal(got, want) {
			t.Errorf("message %d asks\n%s\nwant\n%s", i, got, want)
		}
	}
	if len(seen) != 2*len(records) {
		t.Errorf("%d messages", len(seen))
	}
}

// A confirmation stands as the call of confirm_action, as it comes from the
// store; what only looks like one does not.
func TestConfirmationsInTheTranscript(t *testing.T) {
	yes, no := true, false
	for _, tc := range []struct {
		q     question.Question
		tool  string
		input string
	}{
		{wire.Confirm("Delete?", "", nil), "confirm_action", `{"action":"Delete?"}`},
		{wire.Confirm("Delete?", "3 files", &no), "confirm_action", `{"action":"Delete?","details":"3 files","default":false}`},
		{wire.Confirm("Delete?", "", &yes), "confirm_action", `{"action":"Delete?","default":true}`},
		{past()[1].Questions[0], "ask_user_question", ""},
	} {
		d := openDesk(t, t.TempDir())
		rec, err := desktest.Ask(t.Context(), d, question.Set{Questions: []question.Question{tc.q}}, "", desk.Asker{Via: "mcp"})
		if err != nil {
			t.Fatal(err)
		}
		if rec, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
			t.Fatal(err)
		}
		if rec, err = d.Get(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		use := lines(rec, map[string]*string{})[0].Message.Content[0].(toolUse)
		input, err := json.Marshal(use.Input)
		if err != nil || use.Name != tc.tool || tc.input != "" && string(input) != tc.input {
			t.Errorf("%s %s, %v; want %s %s", use.Name, input, err, tc.tool, tc.input)
		}
	}
}

// Whatever is in a text, it comes out of Markdown as that text: no other
// element than the one that it stands in, and no tag of its own.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"plain", "# heading", "- item\n- item", "1. one", "1) one", "> quote", "```\ncode\n```", "    code", "*a* _b_ **c** `d` ~~e~~",
		"[x](javascript:1)", "![x](y)", "<script>alert(1)</script>", "<!-- x -->", "&lt;&#64;", "a\nb", "a\n===", "a\n---", "| a | b |\n|---|---|",
		"@everyone", "a@b.c", "\\*a\\*", "trailing\\", "\x1b[31m\u202e", "+ x", "=", "- [ ] todo", "[x]: /y", "[^1]: note", "www.example.org", "\t* x", "a  \nb", "…\u00a0 #1",
	} {
		f.Add(seed)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.DefinitionList))
	f.Fuzz(func(t *testing.T, s string) {
		for name, tc := range map[string]struct{ source, want string }{
			"heading": {"## " + inline(s) + "\n", inlineText(s)},
			"item":    {"- " + inline(s) + "\n", inlineText(s)},
			"quote":   {quoted(s), inlineText(question.Block(s))},
		} {
			source := []byte(tc.source)
			var got strings.Builder
			err := ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				switch n := n.(type) {
				case *ast.Document, *ast.List, *ast.ListItem, *ast.TextBlock, *ast.Blockquote:
				case *ast.Paragraph:
					got.WriteByte(' ')
				case *ast.Heading:
					if name != "heading" {
						t.Errorf("%s: a heading in %q", name, source)
					}
				case *ast.Text:
					got.Write(n.Segment.Value(source))
					if n.SoftLineBreak() || n.HardLineBreak() {
						got.WriteByte(' ')
					}
				case *ast.RawHTML:
					if tag := n.Segments.Value(source); string(tag) != "<!-- -->" {
						t.Errorf("%s: the tag %s in %q", name, tag, source)
					}
				default:
					t.Errorf("%s: %s in %q", name, n.Kind(), source)
				}
				return ast.WalkContinue, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := unescape(got.String()); strings.Join(strings.Fields(got), " ") != tc.want {
				t.Errorf("%s shows %q, want %q", tc.source, got, tc.want)
			}
		}
	})
}

// inlineText is a text as inline is to show it.
func inlineText(s string) string {
	return strings.Join(strings.Fields(question.Line(strings.Join(strings.Fields(s), " "))), " ")
}

// unescape takes away the backslashes of Markdown, which the parser leaves in
// its segments.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestHistoryTable(t *testing.T) {
	table := historyTable(past())
	rows := table.rows[1:]
	for i, want := range []string{"PostgreSQL; We do: 1. backups - @ops looks after it; 缓存, 日志, *more*", "dismissed in a terminal", "closed, because the time was up", "No", "put back to be discussed first on the web page"} {
		if got := rows[i][4]; got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
}

// deskOfPast returns the directory of a desk on which so many questions were withdrawn.
func deskOfPast(t *testing.T, questions int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	d := openDesk(t, dir)
	for i := range questions {
		set := question.Set{Questions: []question.Question{{ID: "q1", Text: fmt.Sprintf("Question %d?", i), Type: question.Text}}}
		rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "agent", Via: "mcp"})
		if err == nil {
			_, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "no longer needed"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The list says that it leaves questions out; the other formats are whole unless a limit
// is named.
func TestHistoryIsWhole(t *testing.T) {
	dir := deskOfPast(t, 52)
	for _, tc := range []struct {
		args []string
		want int
		note bool
	}{
		{nil, 50, true},
		{[]string{"--limit", "52"}, 52, false},
		{[]string{"--limit", "51"}, 51, true},
		{[]string{"--limit", "0"}, 52, false},
		{[]string{"--json"}, 52, false},
		{[]string{"--format", "md"}, 52, false},
		{[]string{"--format", "md", "--limit", "3"}, 3, false},
	} {
		cmd := program(t, dir, append([]string{"history"}, tc.args...)...)
		var note strings.Builder
		cmd.Stderr = &note
		out, err := cmd.Output()
		got := len(regexp.MustCompile(`Question \d+\?`).FindAllString(string(out), -1))
		if err != nil || got != tc.want || strings.Contains(note.String(), "--limit 0") != tc.note {
			t.Errorf("%v: %d questions, %v, %q", tc.args, got, err, note.String())
		}
	}
}

// A history that cannot be read whole is an error, never a shorter history.
func TestHistoryThatCannotBeRead(t *testing.T) {
	dir := deskOfPast(t, 8)
	for files := 4; files < 20; files++ {
		cmd := program(t, dir)
		cmd = &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" history --json`, files), cmd.Path}, Env: cmd.Env}
		out, err := cmd.Output()
		if got := strings.Count(string(out), `"created_at"`); err == nil && got != 8 {
			t.Errorf("with %d files: %d questions of 8, and no error", files, got)
		}
	}
}

// One damaged question hides no other, and is no success.
func TestHistoryWithADamagedQuestion(t *testing.T) {
	dir := deskOfPast(t, 3)
	for rec, err := range openDesk(t, dir).History(t.Context(), desk.Query{Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		desktest.Overwrite(t, dir, rec.ID, desktest.Asked, func([]byte) []byte { return []byte("{") })
	}
	for _, args := range [][]string{{"history"}, {"history", "--json"}} {
		cmd := program(t, dir, args...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		got := len(regexp.MustCompile(`Question \d+\?`).FindAllString(string(out), -1))
		if got != 2 || exitStatus(err) != exitBad || !strings.Contains(said.String(), "1 question is damaged") {
			t.Errorf("%v: %d questions, %v, %q", args, got, err, said.String())
		}
	}
}
