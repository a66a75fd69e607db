package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	g "maragu.dev/gomponents"
)

func markup(n g.Node) string { return fmt.Sprint(n) }

// A description has emphasis, code, lists and quotes; all else is text.
func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "One file, no server", "<p>One file, no server</p>"},
		{"emphasis and code", "*strong* `a<b`", "<p><em>strong</em> <code>a&lt;b</code></p>"},
		{"line breaks", "a\nb", "<p>a<br>\nb</p>"},
		{"lists", "- a\n\n7. b", "<ul>\n<li>a</li>\n</ul>\n<ol start=\"7\">\n<li>b</li>\n</ol>"},
		{"heading", "# Big", "<p><strong>Big</strong></p>"},
		{"fence", "```go\na < b\n```", "<pre><code class=\"language-go\">a &lt; b\n</code></pre>"},
		{"link", "[docs](https://example.org)", "<p>[docs](https://example.org)</p>"},
		{"image", "![x](https://example.org/x.png)", "<p>![x](https://example.org/x.png)</p>"},
		{"address", "<https://example.org>", "<p>&lt;https://example.org&gt;</p>"},
		{"HTML", "<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"},
		{"HTML block", "<script>\nalert(1)\n</script>", "<p>&lt;script&gt;<br>\nalert(1)<br>\n&lt;/script&gt;</p>"},
		{"entity", "&lt;b&gt; &#60;", "<p>&lt;b&gt; &lt;</p>"},
		{"control characters", "a\x1b[31m\u202eb", "<p>a␛[31m[U+202E]b</p>"},
	} {
		if got := strings.TrimSpace(markup(prose(tt.in))); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A preview is preformatted, unless it has a fence.
func TestPreview(t *testing.T) {
	mockup := "+---+\n| * | <b>\n+---+\n"
	if got, want := markup(preview(mockup)), "<pre>+---+\n| * | &lt;b&gt;\n+---+</pre>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := markup(preview("*Look*:\n```\nx\n```")); !strings.Contains(got, "<em>Look</em>") ||
		!strings.Contains(got, "<code>x") {
		t.Errorf("a fence is no Markdown: %s", got)
	}
}

// FuzzMarkdown: nothing but a few bare elements comes out, and no text of the
// agent's as anything but text.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"# a\n\n- b\n1. c\n> d\n\n***\n`e` *f* __g__\n", "```x onload=y\n<script>\n```",
		"```go\n\"<\" // </span>\nif 1 < 2 /* <b> */\n```", "<img src=x onerror=alert(1)>",
		"[a](javascript:b)", "[a]: javascript:b\n\n[a]", "    code", "a  \nb\\\n<!-- c", "&#x3c;script&#x3e;",
		"a\n===\n\x00",
	} {
		f.Add(s)
	}
	bare := regexp.MustCompile(`</?(p|br|em|strong|code|pre|ul|ol|li|blockquote|hr)>|` +
		`<ol start="[0-9]+">|<code class="language-[^"<>]*">`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{markup(prose(s)), markup(preview(s))} {
			if text := bare.ReplaceAllString(out, ""); strings.ContainsAny(text, "<>") {
				t.Fatalf("%q becomes %s", s, out)
			}
		}
	})
}

// TestMarkdownLimits: what nests too deeply, or is too large, is shown as it was written, whole.
func TestMarkdownLimits(t *testing.T) {
	for _, unit := range []string{"> ", ">", "- ", "1. ", "> - 1) + "} {
		html := markup(prose(strings.Repeat(unit, maxMarkdown/len(unit))))
		for _, block := range []string{"<blockquote>", "<ul>", "<ol>"} {
			if n := strings.Count(html, block); n > maxNested {
				t.Errorf("%q in each other: %d %s", unit, n, block)
			}
		}
	}
	deep := strings.Repeat("> ", maxNested+1)
	if got := markup(prose("a\n" + deep + "x")); !strings.HasPrefix(got, "<pre>a\n&gt; &gt;") {
		t.Errorf("too deep: %s", got)
	}
	if got := markup(prose(strings.Repeat("> ", maxNested) + "x")); strings.Count(got, "<blockquote>") != maxNested {
		t.Errorf("just not too deep: %s", got)
	}
	large := strings.Repeat("x", maxMarkdown-4) + "\n*y*"
	if got := markup(prose(large)); !strings.HasSuffix(got, "<em>y</em></p>\n") {
		t.Errorf("just not too large: %s", got[len(got)-20:])
	}
	if got := markup(prose("x" + large)); !strings.HasSuffix(got, "*y*</pre>") {
		t.Errorf("too large: %s", got[len(got)-20:])
	}
}
