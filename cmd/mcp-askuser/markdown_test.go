package main

import (
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

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
