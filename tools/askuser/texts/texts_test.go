package texts

import (
	"regexp"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		values     map[string]string
	}{
		{"failed", Text("failed"), nil},
		{"dismissed", "User dismissed the question without answering. Go on without assuming that any option was chosen.", nil},
		{"dismissed", `User dismissed the question without answering. Their reason: "x". Go on without assuming that any option was chosen.`, map[string]string{"reason": `"x"`}},
		{"answered", `Left open by the user: "${note}", "$open", "$". The user adds: "%s".`, map[string]string{"open": `"${note}", "$open", "$"`, "answers": "", "note": `"%s"`}},
	} {
		if got := Fill(tc.name, tc.values); got != tc.want {
			t.Errorf("%s with %q:\ngot  %s\nwant %s", tc.name, tc.values, got, tc.want)
		}
	}
}

// A dollar or a brace that is no placeholder would be lost.
func TestPlaceholdersAreWhole(t *testing.T) {
	files, err := files.ReadDir(".")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text := Text(strings.TrimSuffix(f.Name(), ".md"))
		if left := regexp.MustCompile(`\$\{[a-z]+\}`).ReplaceAllString(text, ""); text == "" || strings.ContainsAny(left, "${}") {
			t.Errorf("%s: %q", f.Name(), text)
		}
	}
}
