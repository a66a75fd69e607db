package texts

import (
	"regexp"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		pairs      []string
	}{
		{"failed", Text("failed"), nil},
		{"dismissed", "User dismissed the question without answering. Go on without assuming that any option was chosen.", nil},
		{"dismissed", `User dismissed the question without answering. Their reason: "x". Go on without assuming that any option was chosen.`, []string{"reason", `"x"`}},
		{"answered", `Left open by the user: "{note}", "{open}", "{". The user adds: "%s".`, []string{"open", `"{note}", "{open}", "{"`, "answers", "", "note", `"%s"`}},
	} {
		if got := Fill(tc.name, tc.pairs...); got != tc.want {
			t.Errorf("%s with %q:\ngot  %s\nwant %s", tc.name, tc.pairs, got, tc.want)
		}
	}
}

// A brace that does not close, or is empty, would take its line along.
func TestPlaceholdersAreWhole(t *testing.T) {
	files, err := files.ReadDir(".")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text := Text(strings.TrimSuffix(f.Name(), ".md"))
		if left := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(text, ""); text == "" || strings.ContainsAny(left, "{}") {
			t.Errorf("%s: %q", f.Name(), text)
		}
	}
}
