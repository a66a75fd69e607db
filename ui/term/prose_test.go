package term

import (
	"slices"
	"strings"
	"testing"

	"mcp-askuser/question"
)

// TestProseIsLazy: of however long a text, no more is wrapped than twice what is
// looked at, and nothing again for the next look.
func TestProseIsLazy(t *testing.T) {
	for name, s := range map[string]string{
		"words": strings.Repeat("all of this has to be read ", 100_000), "no break": strings.Repeat("x", 3<<20),
		"lines": strings.Repeat("a\n", 500_000), "quotes": strings.Repeat("> ", 40_000), "marks": "a" + strings.Repeat("\u0301", 1_000_000),
	} {
		p := NewProse(s)
		if len(p.text) > 3*maxText {
			t.Errorf("%s: %d bytes are kept", name, len(p.text))
		}
		first := p.First(20, 76)
		if len(p.lines) > 40 {
			t.Errorf("%s: %d lines were wrapped for 20", name, len(p.lines))
		}
		if len(first) > 0 && &first[0] != &p.First(20, 76)[0] {
			t.Errorf("%s: wrapped again", name)
		}
	}
}

func TestProseIsWhole(t *testing.T) {
	s := strings.Repeat("one two, 数据库 three\n\n", 200)
	p, want := NewProse(s), Wrap(s, 10)
	for _, n := range []int{1, 5, 3, 100, 1 << 30} {
		if got := p.First(n, 10); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Fatalf("the first %d are %q", n, got)
		}
	}
	if got, want := p.First(4, 20), Wrap(s, 20)[:4]; !slices.Equal(got, want) {
		t.Errorf("in another width %q, want %q", got, want)
	}
}

func TestTame(t *testing.T) {
	for _, s := range []string{"", "plain", "字", "e\u0301", "नि", "ക്\u200d", "✅ 한국", strings.Repeat("数据", 1000)} {
		if got := Safe(s); got != s {
			t.Errorf("Tame(%q) = %q", s, got)
		}
	}
	for s, want := range map[string]string{ // what terminals differ about
		"👨🏽‍👩🏽‍👧🏽‍👦🏽": "👨", "👍🏽 ok": "👍 ok", "🗄️": "🗄", "1️⃣": "1", "❤️": "❤", "👨‍👩‍👧": "👨",
	} {
		if got := Safe(s); got != want || Line(s, 40) != want {
			t.Errorf("Tame(%q) = %q, want %q", s, got, want)
		}
	}
	for name, s := range map[string]string{
		"marks": "a" + strings.Repeat("\u0301", 1000) + "z",
		"jamo":  strings.Repeat("\u1100", 1000) + "z", "long": strings.Repeat("字", maxText),
	} {
		got := Safe(s)
		if len(got) > maxText+len("…") || !strings.Contains(got, "…") || name != "long" && (question.Count(got) > 3 || !strings.HasSuffix(got, "z")) {
			t.Errorf("%s: %d bytes, %d characters", name, len(got), question.Count(got))
		}
	}
	if got := Safe("a\x1b[2Jb\u202e"); got != "a␛[2Jb[U+202E]" {
		t.Errorf("not safe: %q", got)
	}
}

func TestLine(t *testing.T) {
	for s, want := range map[string]string{
		"abc": "abc", "abcd": "abcd", "abcde": "abc…", "数据库数据库": "数据库…",
	} {
		if got := Line(s, 4); got != want {
			t.Errorf("Line(%q) = %q, want %q", s, got, want)
		}
	}
	if got := Line("a"+strings.Repeat("\u0301", 1<<20), 4); len(got) > 5*maxCluster {
		t.Errorf("%d bytes of marks", len(got))
	}
}
