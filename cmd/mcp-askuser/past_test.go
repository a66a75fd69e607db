//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	"mcp-askuser/question/questiontest"
	"mcp-askuser/tools/askuser/wire"
)

// past is a dialogue of two rounds, and questions of no session that ended in
// every other way. Some of it is hostile.
func past() []desk.Record {
	ended := func(n int, by desk.Asker, set question.Set, o desk.Outcome) desk.Record {
		at := time.Date(2026, 11, 21, 9+n, 30, 0, 0, time.UTC)
		o.ID, o.At = fmt.Sprintf("01JD6Z000%dZZZZZZZZZZZZZZZZ", n), at.Add(time.Minute)
		return desk.Record{ID: fmt.Sprintf("01JD6Z000%dAAAAAAAAAAAAAAAA", n), Round: 1, Asker: by, State: o.Status,
			CreatedAt: at, Set: set, Outcome: &o}
	}
	agent := desk.Asker{Client: "claude-code", Version: "2.1.329", Directory: "/srv/shop", Via: "mcp"}
	database := questiontest.Database()
	database.Description = "It holds the orders.\n\n# Not a heading"
	database.Options[0].FollowUps = []question.Question{{ID: "who", Text: "Who runs it?", Type: question.Text}}
	all := []desk.Record{
		ended(0, agent, question.Set{Questions: []question.Question{database, questiontest.Features(), questiontest.Name()}},
			desk.Outcome{Status: desk.Answered, Surface: "tty", Reply: &question.Reply{
				Answers: []question.Answer{
					{QuestionID: "db", Selected: []string{"pg"}, By: question.ByUser},
					{QuestionID: "who", Custom: "We do:\n\n1. backups\n- @ops looks after it", By: question.ByUser},
					{QuestionID: "features", Selected: []string{"search", "audit"}, Custom: "*more*", By: question.ByUser},
				},
				Note: "Until <b>spring</b>",
			}, Proof: &question.Proof{Kind: question.PasskeyProof, Key: "k1", Name: "laptop", Verified: true,
				Signature: []byte("s"), ClientData: []byte("c")}}),
		ended(1, agent, confirmation("Delete\x1b[2J the \u202eold table?", ""), desk.Outcome{Status: desk.Dismissed,
			Surface: "tty", Reply: &question.Reply{Dismissed: true, Reason: "Ask in #ops"}}),
		ended(2, desk.Asker{Client: "mcp-askuser", Via: "shell"}, confirmation("Anyone there?", ""),
			desk.Outcome{Status: desk.Timeout, Reason: "1m0s"}),
		ended(3, agent, confirmation("Deploy tonight?", ""), desk.Outcome{Status: desk.Answered, Reply: &question.Reply{
			Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.NoID}, By: question.ByTimeout}}}}),
		ended(4, desk.Asker{Client: "codex", Directory: "/srv/docs", Via: "mcp"},
			question.Set{Questions: []question.Question{confirmation("Publish?", "").Questions[0], questiontest.Name()}},
			desk.Outcome{Status: desk.Discuss, Surface: "web", Reply: &question.Reply{Discuss: true,
				Note: "Is the licence settled?", Answers: []question.Answer{
					{QuestionID: "q1", Selected: []string{question.YesID}},
					{QuestionID: "name", Delegated: true, Note: "Of what?"},
				}}}),
	}
	all[0].SessionID, all[1].SessionID, all[1].Round, all[4].Earlier = "s1", "s1", 2, all[2].ID
	return all
}

func TestDecisionLog(t *testing.T) {
	out, err := streamed(yielded(past()), "md")
	fatal.If(t, err)
	golden.Check(t, "golden/decisions.md", out)
}

// The records as JSON name the verified proof, and have no signature.
func TestPastProof(t *testing.T) {
	out, err := streamed(yielded(past()), "json")
	if err != nil || !strings.Contains(out, `"verified": true`) || strings.Contains(out, "signature") {
		t.Errorf("%v: %s", err, out)
	}
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
