package term

import (
	"strings"
	"testing"

	"mcp-askuser/question"
)

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
