package web

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/question"
)

// markdown knows emphasis, code, lists and quotes.
// HTML, links and images are not parsed at all, so they come out as the text
// they were written as, and an address shows where it leads. Of an agent's text
// only the number at which a list starts and the language of code become attributes.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	blocks := parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	)
	inlines := parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewEmphasisParser(), 500),
	)
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(blocks, inlines)),
		goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(
			util.Prioritized(plain{}, 100), // before the library's own
			util.Prioritized(html.NewRenderer(html.WithHardWraps()), 1000),
		))),
	)
})

// plain renders a heading as a line: the page has headings of its own.
type plain struct{}

func (plain) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</strong></p>\n"
		if entering {
			tag = "<p><strong>"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}

// What is larger than maxMarkdown characters, or nested deeper than maxNested,
// is shown as it was written. Parsing takes the square of the depth, and a
// browser as long to lay it out: 40,000 quotes in each other froze a page for
// 11 s.
const (
	maxMarkdown = 20000
	maxNested   = 32
)

// tooDeep matches a line that opens more than maxNested quotes and lists.
var tooDeep = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`(?m)^(?:[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$))){%d}`, maxNested+1))
})

// prose renders a description.
func prose(text string) g.Node {
	text = question.Block(text)
	if utf8.RuneCountInString(text) > maxMarkdown || tooDeep().MatchString(text) {
		return preformatted(text)
	}
	var b bytes.Buffer
	err := markdown().Convert([]byte(text), &b)
	if err != nil {
		return preformatted(text)
	}
	return g.Raw(b.String()) // markdown lets no HTML through
}

// preview renders an option's preview. One with a fenced code block is
// Markdown; any other is preformatted, because a drawn mock-up would lose its
// shape.
func preview(text string) g.Node {
	if strings.Contains(text, "```") {
		return prose(text)
	}
	return preformatted(question.Block(text))
}

func preformatted(text string) g.Node { return h.Pre(g.Text(strings.TrimRight(text, "\n"))) }
