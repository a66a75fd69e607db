package elicit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// styles are those of the hosts whose forms the golden files hold.
var styles = map[string]Style{
	"claude": {Arrays: true, Typed: true, Rows: 4}, "codex": {Line: true, Rows: 14}, "copilot": {Arrays: true, OwnWords: true},
}

// shape is a set as agents ask it, what each host's user sends for the forms that it
// becomes, and the answer.
type shape struct {
	name                   string
	qs                     []question.Question
	claude, codex, copilot []string
	said                   string
}

func shapes() []shape {
	confirm := goOn()
	confirm.Text, confirm.Header, confirm.Description = "Delete 15 files?", "Confirm", "All of build/ and dist/.\nThere is no backup."
	sqlite := database()
	sqlite.Options = append(sqlite.Options, question.Option{ID: "sqlite", Label: "SQLite", Description: "a single file, nothing to run"})
	several := features()
	several.Options[0].Description, several.Options[1].Description = "keeps results in memory", "writes what happens to a file"
	yes := []string{`{"q3":"Yes"}`}
	return []shape{
		{
			name: "choice", qs: []question.Question{sqlite}, said: "answered q1=sqlite|",
			claude: []string{`{"q1":"SQLite"}`}, codex: []string{`{"q1":"=3"}`}, copilot: []string{`{"q1":"SQLite"}`},
		},
		{
			name: "several", qs: []question.Question{several}, said: "answered q2=logging|Search",
			claude: []string{`{"q2":["Logging","Other..."]}`, `{"q2_other":"Search"}`},
			codex:  []string{`{"q2":"=2, Search"}`}, copilot: []string{`{"q2":["Logging","Search"]}`},
		},
		{
			name: "text", qs: []question.Question{name()}, said: "answered q4=|Gadget",
			claude: []string{`{"q4":"Write an answer..."}`, `{"q4_other":"Gadget"}`},
			codex:  []string{`{"q4":"=Gadget"}`}, copilot: []string{`{"q4":"Gadget"}`},
		},
		{
			name: "boolean", qs: []question.Question{goOn()}, said: "answered q3=true|",
			claude: yes, codex: []string{`{"q3":"=yes"}`}, copilot: yes,
		},
		{
			name: "confirm", qs: []question.Question{confirm}, said: "answered q3=true|",
			claude: yes, codex: []string{`{"q3":"=yes"}`}, copilot: yes,
		},
		{
			name: "followups", qs: []question.Question{auth(), optional(goOn())}, said: "answered a=oauth| p=github| org=|acme",
			claude: []string{
				`{"a":"OAuth"}`, `{"p":"GitHub"}`, `{"org":"Write an answer..."}`, `{"org_other":"acme"}`, `{"q3":"(skip)"}`,
			},
			codex:   []string{`{"a":"=1"}`, `{"p":"=2"}`, `{"org":"=acme"}`, `{"q3":"=-"}`},
			copilot: []string{`{"a":"OAuth"}`, `{"p":"GitHub"}`, `{"org":"acme"}`, `{"q3":"(skip)"}`},
		},
		{
			name: "four", qs: []question.Question{sqlite, optional(several), goOn(), optional(proposing(name(), "Widget"))},
			said: "answered q1=|DuckDB q2=caching| q3=false| q4=|see the issue",
			claude: []string{
				`{"q1":"Other..."}`, `{"q1_other":"DuckDB"}`, `{"q2":["Caching"]}`, `{"q3":"No"}`,
				`{"q4":"Write an answer..."}`, `{"q4_other":"see the issue"}`,
			},
			codex:   []string{`{"q1":"=DuckDB"}`, `{"q2":"=1"}`, `{"q3":"=no"}`, `{"q4":"=see the issue"}`},
			copilot: []string{`{"q1":"DuckDB"}`, `{"q2":["Caching"]}`, `{"q3":"No"}`, `{"q4":"see the issue"}`},
		},
	}
}

// Every shape of question can be answered in every host, in two languages; what it is sent is in
// the golden files.
func TestHostsCanSendEveryShape(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	sent := map[string]map[string][]mcp.ElicitationParams{"claude": {}, "codex": {}, "copilot": {}}
	for _, words.Local = range []words.Language{words.English, words.Chinese} {
		for _, s := range shapes() {
			for host, contents := range map[string][]string{"claude": s.claude, "codex": s.codex, "copilot": s.copilot} {
				c := &script{t: t, results: accepts(translated(contents)...)}
				if got := show(c, styles[host], s.qs...); got != s.said || len(c.results) > 0 {
					t.Errorf("%s of %s in %s: got %s, want %s", s.name, host, words.Local, got, s.said)
				}
				if words.Local == words.English {
					sent[host][s.name] = c.params
				}
			}
		}
	}
	for host, forms := range sent {
		golden.Check(t, host+".json", pretty(t, forms))
	}
}

// translated are contents with our own rows as the user reads them.
func translated(contents []string) (out []string) {
	var pairs []string
	for _, row := range []string{"Yes", "No", "(skip)", "Other...", "Write an answer..."} {
		pairs = append(pairs, `"`+row+`"`, `"`+words.T(row)+`"`)
	}
	for _, content := range contents {
		out = append(out, strings.NewReplacer(pairs...).Replace(content))
	}
	return out
}

// pretty is the forms of each shape as a golden file has them.
func pretty(t *testing.T, forms map[string][]mcp.ElicitationParams) string {
	t.Helper()
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	fatal.If(t, out.Encode(forms))
	return b.String()
}

// properties are the fields of a form, by key.
func properties(p mcp.ElicitationParams) map[string]map[string]any {
	out := map[string]map[string]any{}
	for key, x := range p.RequestedSchema.(map[string]any)["properties"].(map[string]any) {
		out[key] = x.(map[string]any)
	}
	return out
}

// pressesEnter is a client whose user presses Enter and nothing else: a list sends its first
// row, and a text cannot be left empty.
func pressesEnter(p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	content := map[string]any{}
	for key, x := range properties(p) {
		if items, ok := x["items"].(map[string]any); ok {
			content[key] = []string{items["anyOf"].([]entry)[0].Value}
			continue
		}
		rows, ok := x["oneOf"].([]entry)
		if !ok {
			return stuck, slow, nil
		}
		content[key] = rows[0].Value
	}
	return result("accept", string(encode(content))), slow, nil
}

// Enter, Enter, Enter says no yes that was not declared.
func TestEnterConfirmsNothing(t *testing.T) {
	want := map[string]string{
		"choice":    "answered q1=postgresql|", // the asker's first, as a list has to begin with something
		"several":   "dismissed",               // a line
		"text":      "dismissed",
		"boolean":   "answered q3=false|",
		"confirm":   "answered q3=false|",
		"followups": "answered a=oauth| p=google| q3=false|",
		"four":      "dismissed",
	}
	for _, s := range shapes() {
		if got := show(clientFunc(pressesEnter), Style{}, s.qs...); got != want[s.name] {
			t.Errorf("%s: got %s, want %s", s.name, got, want[s.name])
		}
		if got := show(clientFunc(pressesEnter), styles["codex"], s.qs...); got != "dismissed" {
			t.Errorf("%s in Codex: got %s", s.name, got)
		}
		if got := show(clientFunc(pressesEnter), styles["copilot"], s.qs...); !strings.HasPrefix(got, "unavailable") {
			t.Errorf("%s in Copilot CLI: got %s", s.name, got)
		}
	}
	for _, tc := range []struct {
		name string
		q    question.Question
		want string
	}{
		{"a declared yes", proposing(goOn(), ""), "answered q3=true|"},
		{"an optional yes", optional(goOn()), "answered q3=false|"},
		{"a choice with yes first", options("q", "Overwrite?", question.SingleChoice, "Yes", "No"), "answered q=no|"},
		{"a choice in Chinese with yes first", options("q", "覆盖吗？", question.SingleChoice, "是", "否"), "answered q=否|"},
	} {
		if got := show(clientFunc(pressesEnter), Style{}, tc.q); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

// The rows of Claude Code's form are searched by typing: a sentence that is typed while our form is
// open begins no row, and the first field takes no text.
func TestTypingAtLists(t *testing.T) {
	for _, s := range shapes() {
		c := &script{t: t, results: accepts(s.claude...)}
		show(c, styles["claude"], s.qs...)
		for i, form := range c.sent {
			for key, field := range properties(c.params[i]) {
				if field["oneOf"] == nil && field["items"] == nil && !strings.HasSuffix(key, "_other") {
					t.Errorf("%s: %s takes a text", s.name, key)
				}
			}
			if strings.Count(form, `"title":"`) != strings.Count(form, `"title":"`+bullet)+1 { // that of the field
				t.Errorf("%s: typing finds a row of %s", s.name, form)
			}
		}
	}
}
