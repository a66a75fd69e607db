package term

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
		{"用 PostgreSQL 数据库，好。", 12, []string{"用", "PostgreSQL", "数据库，好。"}},
		{"数据库数据库，好", 12, []string{"数据库数据", "库，好"}}, // no comma begins a line
		{"PostgreSQL 关系型数据库", 16, []string{"PostgreSQL 关系", "型数据库"}},
		{"한국어 텍스트", 8, []string{"한국어", "텍스트"}},
		{"an abcdefghijklm z", 6, []string{"an", "abcdef", "ghijkl", "m z"}},
		{"run git commit --amend", 12, []string{"run git", "commit", "--amend"}},
		{"a well-known path /etc/hosts", 12, []string{"a well-known", "path", "/etc/hosts"}},
		{"用 git-lfs 吗", 8, []string{"用", "git-lfs", "吗"}},
		{"数据", 1, []string{"数", "据"}},
		{"👨‍👩‍👧‍👦👍🏽", 2, []string{"👨‍👩‍👧‍👦", "👍🏽"}},
	}
	for _, tt := range tests {
		if got := Wrap(tt.in, tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}
