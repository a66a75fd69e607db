package tomlfile

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	if got, _, err := Decode([]byte("\ufeffkeep = 5\r\n")); err != nil || got["keep"] != int64(5) {
		t.Errorf("a byte order mark: %v, %v", got, err)
	}
	for _, tc := range []struct {
		text, want string
		line       int
	}{
		{"keep = 5\nkeep = 6\n", "key keep is already defined", 2},
		{"\ufeffkeep = 5\n\nsurface = [\n", "surface: array is incomplete", 3},
		{"a.b = 1\na = 2", "key a is already defined", 2},
		{"[a]\nx = \"secret\n", "x: ", 2},
		{"key value", "expected '=' after key", 1},
		{"a = 1\n[b", "", 2},
	} {
		got, line, err := Decode([]byte(tc.text))
		if got != nil || err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") || line != tc.line {
			t.Errorf("%q: %v, %v on line %d", tc.text, got, err, line)
		}
	}
}
