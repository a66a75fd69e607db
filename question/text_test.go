package question

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSafeText(t *testing.T) {
	for _, tc := range []struct{ name, in, line, block string }{
		{"plain", "Which database?", "Which database?", "Which database?"},
		{"chinese and emoji", "选择功能 👩‍👩‍👧 é", "选择功能 👩‍👩‍👧 é", "选择功能 👩‍👩‍👧 é"},
		{"escape sequence", "\x1b[31mred", "␛[31mred", "␛[31mred"},
		{"OSC", "\x1b]52;c;AA==\x07", "␛]52;c;AA==␇", "␛]52;c;AA==␇"},
		{"C1 CSI", "\u009b2J", "[U+009B]2J", "[U+009B]2J"},
		{"delete", "a\x7f", "a␡", "a␡"},
		{"newline", "a\nb", "a␊b", "a\nb"},
		{"DOS newline", "a\r\nb", "a␊b", "a\nb"},
		{"lone return overwrites nothing", "safe\revil", "safe␍evil", "safe␍evil"},
		{"tab", "a\tb", "a b", "a    b"},
		{"bidi override", "a\u202egnp.exe", "a[U+202E]gnp.exe", "a[U+202E]gnp.exe"},
		{"bidi isolate", "\u2066x\u2069", "[U+2066]x[U+2069]", "[U+2066]x[U+2069]"},
		{"directional mark", "א\u200fב", "אב", "אב"},
		{"line separator", "a\u2028b", "a[U+2028]b", "a\nb"},
		{"zero width space", "a\u200bb", "a[U+200B]b", "a[U+200B]b"},
		{"Hangul filler", "\u3164", "[U+3164]", "[U+3164]"},
		{"tag character", "a\U000e0041", "a[U+E0041]", "a[U+E0041]"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Line(tc.in); got != tc.line {
				t.Errorf("Line(%q) = %q, want %q", tc.in, got, tc.line)
			}
			if got := Block(tc.in); got != tc.block {
				t.Errorf("Block(%q) = %q, want %q", tc.in, got, tc.block)
			}
			want := tc.block // but for what a reader needs as it is
			if tc.name == "tab" || tc.name == "directional mark" {
				want = tc.in
			}
			if got := Readable(tc.in); got != want || Readable(got) != got {
				t.Errorf("Readable(%q) = %q, want %q", tc.in, got, want)
			}
		})
	}
}

// Whatever goes in, nothing that acts on a terminal comes out.
func FuzzSafeText(f *testing.F) {
	for _, s := range []string{"a", "\x1b[2J", "\u202e", "\xc2\x9b", "\r\n\t\x00", "👩‍👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, out := range map[string]string{
			"Line": Line(s), "Block": strings.ReplaceAll(Block(s), "\n", ""),
			"Readable": strings.NewReplacer("\n", "", "\t", "", "\u200e", "", "\u200f", "", "\u061c", "").Replace(Readable(s)),
		} {
			if !utf8.ValidString(out) {
				t.Fatalf("%s(%q) is not UTF-8: %q", name, s, out)
			}
			for _, r := range out {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
					t.Fatalf("%s(%q) lets %U through: %q", name, s, r, out)
				}
			}
		}
	})
}

func TestCharactersAreWhatAReaderCounts(t *testing.T) {
	for _, tc := range []struct {
		in           string
		count        int
		shorten, cut string // to 3
	}{
		{"", 0, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 4, "ab…", "abc"},
		{"ab d", 4, "ab…", "ab "},
		{"选择功能", 4, "选择…", "选择功"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"},
		{"e\u0301e\u0301e\u0301e\u0301", 4, "e\u0301e\u0301…", "e\u0301e\u0301e\u0301"},
	} {
		if got := Count(tc.in); got != tc.count {
			t.Errorf("Count(%q) = %d, want %d", tc.in, got, tc.count)
		}
		if got := Shorten(tc.in, 3); got != tc.shorten {
			t.Errorf("Shorten(%q, 3) = %q, want %q", tc.in, got, tc.shorten)
		}
		if got := Cut(tc.in, 3); got != tc.cut {
			t.Errorf("Cut(%q, 3) = %q, want %q", tc.in, got, tc.cut)
		}
	}
	if got := Shorten("abc", 1); got != "…" {
		t.Errorf("Shorten to 1 = %q", got)
	}
}
