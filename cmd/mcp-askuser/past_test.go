//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
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
					ID: "q1", Text: "Which database?", Header: "Database", Type: question.SingleChoice, Required: true,
					AllowCustom: true,
					Description: "It holds the orders.\n\n# Not a heading",
					Options: []question.Option{
						{ID: "pg", Label: "PostgreSQL", Description: "Relational", Default: true, FollowUps: []question.Question{
							{ID: "q1.pg.1", Text: "Who runs it?", Type: question.Text, Required: true},
						}},
						{ID: "mongo", Label: "MongoDB", Description: "Documents"},
					},
				},
				{ID: "q2", Text: "哪些功能?", Type: question.MultiChoice, AllowCustom: true,
					Options: []question.Option{{ID: "c", Label: "缓存"}, {ID: "l", Label: "日志"}}},
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
			ID: "01JD6Z0001AAAAAAAAAAAAAAAA", SessionID: "s1", Round: 2, Asker: agent, State: desk.Dismissed,
			CreatedAt: asked.Add(time.Hour),
			Set: question.Set{Questions: []question.Question{{ID: "q1", Text: "Delete\x1b[2J the \u202eold table?",
				Type: question.Boolean, Required: true, Options: yesNo}}},
			Outcome: outcome("01JD6Z0001ZZZZZZZZZZZZZZZZ", desk.Dismissed,
				&question.Reply{Dismissed: true, Reason: "Ask in #ops"}, ""),
		},
		{
			ID: "01JD6Z0002AAAAAAAAAAAAAAAA", Round: 1, Asker: desk.Asker{Client: "mcp-askuser", Via: "shell"},
			State: desk.Timeout, CreatedAt: asked.Add(2 * time.Hour),
			Set: question.Set{Questions: []question.Question{{ID: "q1", Text: "Anyone there?", Type: question.Boolean,
				Required: true, Options: yesNo}}},
			Outcome: &desk.Outcome{ID: "01JD6Z0002ZZZZZZZZZZZZZZZZ", Status: desk.Timeout, Reason: "1m0s",
				At: asked.Add(2*time.Hour + time.Minute)},
		},
		{
			ID: "01JD6Z0003AAAAAAAAAAAAAAAA", Round: 1, Asker: agent, State: desk.Answered, CreatedAt: asked.Add(3 * time.Hour),
			OnTimeout: "default",
			Set: question.Set{Questions: []question.Question{{ID: "q1", Text: "Deploy tonight?", Type: question.Boolean,
				Required: true, Options: yesNo}}},
			Outcome: &desk.Outcome{ID: "01JD6Z0003ZZZZZZZZZZZZZZZZ", Status: desk.Answered, Reply: &question.Reply{
				Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.NoID}, By: question.ByTimeout}},
			}, At: asked.Add(3*time.Hour + time.Minute)},
		},
		{
			ID: "01JD6Z0004AAAAAAAAAAAAAAAA", Round: 1, Asker: desk.Asker{Client: "codex", Directory: "/srv/docs", Via: "mcp"},
			State: desk.Discuss, CreatedAt: asked.Add(4 * time.Hour), Earlier: "01JD6Z0002AAAAAAAAAAAAAAAA",
			Set: question.Set{Questions: []question.Question{
				{ID: "q1", Text: "Publish?", Type: question.Boolean, Required: true, Options: yesNo},
				{ID: "q2", Text: "Where?", Type: question.Text, Required: true},
			}},
			Outcome: &desk.Outcome{ID: "01JD6Z0004ZZZZZZZZZZZZZZZZ", Status: desk.Discuss, Surface: "web",
				Reply: &question.Reply{Discuss: true, Note: "Is the licence settled?", Answers: []question.Answer{
					{QuestionID: "q1", Selected: []string{question.YesID}}, {QuestionID: "q2", Note: "Which of the two?"},
				}}, At: asked.Add(4*time.Hour + time.Minute)},
		},
	}
}

func TestDecisionLog(t *testing.T) {
	var b bytes.Buffer
	fatal.If(t, writeDecisions(&b, yielded(past())))
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

// streamed is what history prints of records in a format.
func streamed(records iter.Seq2[desk.Record, error], format string) (string, error) {
	var b strings.Builder
	a := &app{out: &output{Writer: &b}}
	err := a.stream(records, format)
	return b.String(), err
}

// A history that cannot be read whole is an error in every format.
func TestBrokenHistory(t *testing.T) {
	lost := errors.New("lost")
	broken := func(yield func(desk.Record, error) bool) { _ = yield(past()[0], nil) && yield(desk.Record{}, lost) }
	for _, format := range []string{"json", "jsonl", "md"} {
		out, err := streamed(broken, format)
		if !errors.Is(err, lost) || format == "json" && json.Valid([]byte(out)) {
			t.Errorf("%s: %v, and printed is\n%s", format, err, out)
		}
	}
}

// The transcript is a chain of the calls and results of each session. A call has the id that
// it has in the agent's own transcript, where that is known, and can be asked again.
func TestTranscript(t *testing.T) {
	records := past()
	slices.Reverse(records)
	out, err := streamed(yielded(records), "jsonl")
	fatal.If(t, err)
	golden.Check(t, "golden/transcript.jsonl", out)
	for _, rec := range records {
		rec.ToolUse = "toolu_1"
		both := lines(rec, map[string]*string{})
		use, result := both[0].Message.Content[0].(toolUse), both[1].Message.Content[0].(toolResult)
		if use.ID != "toolu_1" || result.ToolUseID != "toolu_1" {
			t.Errorf("the call has the id %q, its result %q", use.ID, result.ToolUseID)
		}
		input, err := json.Marshal(use.Input)
		fatal.If(t, err)
		call, err := wire.DecodeAsk(input, question.DefaultLimits())
		if err != nil {
			t.Fatalf("%s cannot be asked again: %v", input, err)
		}
		want, _ := json.Marshal(rec.Set)
		if got, _ := json.Marshal(call.Set); !bytes.Equal(got, want) {
			t.Errorf("it asks\n%s\nwant\n%s", got, want)
		}
	}
}

// Every format names the verified proof of an answer, and none has the signature.
func TestPastProof(t *testing.T) {
	rec := past()[0]
	rec.Outcome.Proof = &question.Proof{Kind: question.PasskeyProof, Key: "k1", Name: "laptop", At: rec.Outcome.At,
		Verified: true, Signature: []byte("s"), ClientData: []byte("c")}
	for format, want := range map[string]string{
		"json": `"verified": true`, "jsonl": `"proof":{"kind":"passkey","key":"k1","name":"laptop",`,
		"md": "signed with the passkey laptop",
	} {
		got, err := streamed(yielded([]desk.Record{rec}), format)
		if err != nil || !strings.Contains(got, want) || strings.Contains(got, "signature") ||
			strings.Contains(got, "client_data") {
			t.Errorf("%s: %v\n%s", format, err, got)
		}
	}
	if got := historyTable([]desk.Record{rec}, 0).text(0); !strings.Contains(got, "signed with the passkey") {
		t.Errorf("history prints:\n%s", got)
	}
}

// Markdown renders any text as that text: in the one element that the document has for it, and
// without a tag of the text's own.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"plain", "# heading", "- item\n- item", "1. one", "1) one", "> quote", "```\ncode\n```", "    code",
		"*a* _b_ **c** `d` ~~e~~",
		"[x](javascript:1)", "![x](y)", "<script>alert(1)</script>", "<!-- x -->", "&lt;&#64;", "a\nb", "a\n===", "a\n---",
		"| a | b |\n|---|---|",
		"@everyone", "a@b.c", "\\*a\\*", "trailing\\", "\x1b[31m\u202e", "+ x", "=", "- [ ] todo", "[x]: /y", "[^1]: note",
		"www.example.org", "\t* x", "a  \nb", "…\u00a0 #1",
	} {
		f.Add(seed)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList,
		extension.Footnote, extension.DefinitionList))
	f.Fuzz(func(t *testing.T, s string) {
		for name, tc := range map[string]struct{ source, want string }{
			"heading": {"## " + inline(s) + "\n", inlineText(s)},
			"item":    {"- " + inline(s) + "\n", inlineText(s)},
			"text":    {inline(s) + "\n", inlineText(s)},
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
			fatal.If(t, err)
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
