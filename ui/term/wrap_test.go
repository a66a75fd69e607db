package form

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		in    string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"a\n\nb", 10, []string{"a", "", "b"}},
		{"  indented", 20, []string{"  indented"}},
		{"abcdefgh ij", 4, []string{"abcd", "efgh", "ij"}}, // a word too long for a line
		{"https://example.org/a-b", 12, []string{"https://", "example.org/", "a-b"}},
		{"用 PostgreSQL 数据库，好。", 12, []string{"用", "PostgreSQL", "数据库，好。"}},
		{"数据库数据库，好", 12, []string{"数据库数据", "库，好"}}, // no comma begins a line
		{"👨‍👩‍👧‍👦👍🏽", 2, []string{"👨‍👩‍👧‍👦", "👍🏽"}},
	}
	for _, tt := range tests {
		if got := wrap(tt.in, tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}
