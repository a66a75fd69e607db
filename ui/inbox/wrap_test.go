package inbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one\n\ntwo", 8, []string{"one", "", "two"}},
		{"PostgreSQL 关系型数据库", 16, []string{"PostgreSQL 关系", "型数据库"}},
		{"合适的方案。好", 10, []string{"合适的方", "案。好"}},
		{"an abcdefghijklm z", 6, []string{"an", "abcdef", "ghijkl", "m z"}},
		{"数据", 1, []string{"数", "据"}},
	}
	for _, tt := range tests {
		if got := wrap(tt.text, tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

// FuzzWrap: no line is too wide, and no character is lost.
func FuzzWrap(f *testing.F) {
	f.Add("PostgreSQL 关系型数据库（推荐） 👍🏽", 12)
	f.Add("a  b   c\n d", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if width < 2 || width > 200 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }) {
			t.Skip()
		}
		lines := wrap(s, width)
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > width {
				t.Errorf("%q is %d cells wide, not %d", line, w, width)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := bare(strings.Join(lines, " ")); got != bare(s) {
			t.Errorf("%q became %q", s, got)
		}
	})
}
