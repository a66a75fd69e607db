package elicit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// The hosts of this file do with a form what the real ones were seen to do,
// and a person in front of them who sees only what they show.

// property is one field of a form as a host reads it.
type property struct {
	key         string
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	OneOf       []row  `json:"oneOf"`
	Items       struct {
		AnyOf []row `json:"anyOf"`
	} `json:"items"`
	required bool
}

type row struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// properties returns the fields in the order in which they were sent.
func properties(p mcp.ElicitationParams) []property {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(encode(p.RequestedSchema), &schema); err != nil {
		panic(err)
	}
	var out []property
	in := json.NewDecoder(bytes.NewReader(schema.Properties))
	_, _ = in.Token() // {
	for in.More() {
		key, _ := in.Token()
		x := property{key: fmt.Sprint(key)}
		if err := in.Decode(&x); err != nil {
			panic(err)
		}
		x.required = slices.Contains(schema.Required, x.key)
		out = append(out, x)
	}
	return out
}

// hands is what a person does with a form. They see the rows of one list at a
// time, and say -1 where they would have none.
type hands interface {
	see(message string)
	pick(title string, rows []string) int
	write(title string) string
}

// stuck is what hosts bring whose form cannot be sent: in the end the user
// closes it.
var stuck = result("cancel", "")

// codex shows the fields sorted by key and repeats the message above each. The
// first row of a list is highlighted. A text cannot be left empty. An array or
// a number anywhere makes a bare question of the form, and its yes is an accept
// of nothing.
type codex struct {
	hands
	bare int
}

func (c *codex) Elicit(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	fields := properties(p)
	slices.SortFunc(fields, func(a, b property) int { return strings.Compare(a.key, b.key) })
	content := map[string]any{}
	for _, x := range fields {
		if x.Type == "array" || x.Type == "number" || x.Type == "integer" {
			c.bare++
			return result("accept", `{}`), slow, nil
		}
	}
	for _, x := range fields {
		c.see(p.Message)
		switch {
		case x.Type == "boolean":
			content[x.key] = c.pick(x.Title, []string{"True", "False"}) == 0
		case x.OneOf != nil:
			i := c.pick(x.Title, titles(x.OneOf, 0))
			content[x.key] = x.OneOf[max(i, 0)].Const // a row is highlighted, whatever one does
		default:
			text := c.write(x.Title)
			if text == "" {
				return stuck, slow, nil
			}
			content[x.key] = text
		}
	}
	return result("accept", string(encode(content))), slow, nil
}

// claude shows four rows of the message, or three of a longer one, and keeps the order of the fields. It
// cuts at the screen's width, and titles at 48 columns. What was not chosen is
// not sent. A letter finds the first row that begins with it.
type claude struct{ hands }

func (c *claude) Elicit(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	seen := strings.Split(p.Message, "\n")
	if len(seen) > 4 {
		seen = seen[:3]
	}
	for i := range seen {
		seen[i] = ansi.Truncate(seen[i], 80, "…")
	}
	content := map[string]any{}
	for _, x := range properties(p) {
		c.see(strings.Join(seen, "\n"))
		title := ansi.Truncate(x.Title, 48, "…")
		switch {
		case x.Type == "array":
			rows := titles(x.Items.AnyOf, 48)
			var chosen []string
			for i := c.pick(title, rows); i >= 0; i = c.pick(title, rows) {
				chosen = append(chosen, x.Items.AnyOf[i].Const)
				rows[i] = "✓ " + rows[i]
			}
			if chosen != nil {
				content[x.key] = chosen
			}
		case x.OneOf != nil:
			if i := c.pick(title, titles(x.OneOf, 48)); i >= 0 {
				content[x.key] = x.OneOf[i].Const
			}
		default:
			if text := c.write(title); text != "" {
				content[x.key] = text
			}
		}
	}
	return result("accept", string(encode(content))), slow, nil
}

// copilot shows the whole message. The cursor of a list begins on the first row: Enter
// sends it, and Space marks a row of an array. Below each list is a row of its own, where
// a text can be typed that is sent as the value.
type copilot struct{ hands }

func (c *copilot) Elicit(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	content := map[string]any{}
	for _, x := range properties(p) {
		c.see(p.Message)
		value := func(rows []row) func(i int) string {
			return func(i int) string {
				if i == len(rows) {
					return c.write(x.Title)
				}
				return rows[i].Const
			}
		}
		switch {
		case x.Type == "array":
			rows, of := append(titles(x.Items.AnyOf, 0), ownWords), value(x.Items.AnyOf)
			chosen := []string{}
			for i := c.pick(x.Title, rows); i >= 0 && !strings.HasPrefix(rows[i], "✓"); i = c.pick(x.Title, rows) {
				chosen = append(chosen, of(i))
				rows[i] = "✓ " + rows[i]
			}
			content[x.key] = chosen
		case x.OneOf != nil:
			i := c.pick(x.Title, append(titles(x.OneOf, 0), ownWords))
			content[x.key] = value(x.OneOf)(max(i, 0))
		default:
			content[x.key] = c.write(x.Title)
		}
	}
	return result("accept", string(encode(content))), slow, nil
}

// ownWords is Copilot CLI's own row of a list.
const ownWords = "Other (type your answer)"

func titles(rows []row, width int) []string {
	var out []string
	for _, r := range rows {
		if width > 0 {
			r.Title = ansi.Truncate(r.Title, width, "…")
		}
		out = append(out, r.Title)
	}
	return out
}

// person knows what they want to answer to each question, by its id, and finds
// it out from what they see: which question it is, and which row begins with
// what they want. What is no row they write.
type person struct {
	t     *testing.T
	set   question.Set
	wants map[string][]string
	now   *question.Question
	shown string

	written []string // the questions with an answer in own words
}

func (p *person) see(message string) {
	p.now, p.shown = nil, message
	for _, q := range p.set.All() {
		if recognised(message, q.Text) {
			if p.now != nil {
				p.t.Fatalf("%q and %q look alike in %q", p.now.Text, q.Text, message)
			}
			p.now = q
		}
	}
	if p.now == nil {
		p.t.Fatalf("nobody can tell what is asked: %q", message)
	}
}

// recognised reports whether a message shows all of a question, or as much as
// fills it.
func recognised(message, text string) bool {
	if head, _, cut := strings.Cut(message, "…"); cut {
		message = head
	}
	message, text = squash(message), squash(text)
	return strings.HasPrefix(message, text) || strings.HasPrefix(text, message)
}

func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func (p *person) pick(title string, rows []string) int {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i] = strings.TrimPrefix(rows[i], bullet)
	}
	if len(rows) >= 2 && rows[0] == words.T("No") && rows[1] == words.T("Yes") && p.now.Several() { // an option to say yes or no to
		rows = []string{"", title}
		if i := p.wanted(rows); i > 0 {
			return i
		}
		return 0
	}
	return p.wanted(rows)
}

func (p *person) wanted(rows []string) int {
	for _, want := range p.wants[p.now.ID] {
		for i, row := range rows {
			if strings.HasPrefix(row, words.T(want)) {
				return i
			}
		}
	}
	if i := slices.Index(rows, ownWords); i >= 0 && !p.wrote(p.now.ID) {
		return i
	}
	return slices.Index(rows, words.T("Write an answer..."))
}

// wrote reports whether the person has written an answer to this question.
func (p *person) wrote(id string) bool { return slices.Contains(p.written, id) }

func (p *person) write(title string) string {
	wants := p.wants[p.now.ID]
	p.written = append(p.written, p.now.ID)
	if !strings.Contains(title, sign) {
		return wants[len(wants)-1]
	}
	return sign + p.named(wants)
}

// named is what stands before the rows that the person wants, of those that the
// message lists; what is no row they write.
func (p *person) named(wants []string) string {
	var out []string
	for _, want := range wants {
		own := true
		for line := range strings.Lines(p.shown) {
			if word, row, ok := strings.Cut(line, " "); ok && strings.HasPrefix(word, sign) && strings.HasPrefix(strings.TrimSpace(row), words.T(want)) {
				own = false
				if word != "=..." {
					out = append(out, strings.TrimPrefix(word, sign))
				}
			}
		}
		if own && !strings.HasPrefix(want, "Other") && !strings.HasPrefix(want, "Write") {
			out = append(out, want)
		}
	}
	return strings.Join(out, ", ")
}

// shape is a set as agents ask it, and what a person wants to answer.
type shape struct {
	name  string
	qs    []question.Question
	wants map[string][]string
	said  string
}

func shapes() []shape {
	confirm := goOn()
	confirm.Text, confirm.Header, confirm.Description = "Delete 15 files?", "Confirm", "All of build/ and dist/.\nThere is no backup."
	sqlite := database()
	sqlite.Options = append(sqlite.Options, question.Option{ID: "sqlite", Label: "SQLite", Description: "a single file, nothing to run"})
	several := features()
	several.Options[0].Description, several.Options[1].Description = "keeps results in memory", "writes what happens to a file"
	write := []string{"Write an answer...", "see the issue"}
	return []shape{
		{"choice", []question.Question{sqlite}, map[string][]string{"q1": {"SQLite"}}, "answered q1=sqlite|"},
		{"several", []question.Question{several}, map[string][]string{"q2": {"Logging", "Other", "Search"}}, "answered q2=logging|Search"},
		{"text", []question.Question{name()}, map[string][]string{"q4": {"Gadget"}}, "answered q4=|Gadget"},
		{"boolean", []question.Question{goOn()}, map[string][]string{"q3": {"Yes"}}, "answered q3=true|"},
		{"confirm", []question.Question{confirm}, map[string][]string{"q3": {"Yes"}}, "answered q3=true|"},
		{"followups", []question.Question{auth(), optional(goOn())},
			map[string][]string{"a": {"OAuth"}, "p": {"GitHub"}, "org": {"acme"}, "q3": {"(skip)"}}, "answered a=oauth| p=github| org=|acme"},
		{"four", []question.Question{sqlite, optional(several), goOn(), optional(proposing(name(), "Widget"))},
			map[string][]string{"q1": {"Other", "DuckDB"}, "q2": {"Caching"}, "q3": {"No"}, "q4": write}, "answered q1=|DuckDB q2=caching| q3=false| q4=|see the issue"},
	}
}

// Every shape of question can be answered in every host, from what it shows;
// what it is sent is in the golden files.
func TestHostsCanSendEveryShape(t *testing.T) {
	sent := map[string]map[string][]mcp.ElicitationParams{"claude": {}, "codex": {}, "copilot": {}}
	for _, language := range []words.Language{words.English, words.Chinese} {
		for _, s := range shapes() {
			for host := range sent {
				t.Run(string(language)+"/"+s.name+"/"+host, func(t *testing.T) {
					words.Local = language
					defer func() { words.Local = words.English }()
					you := &person{t: t, set: question.Set{Questions: s.qs}, wants: s.wants}
					bare := &codex{hands: you}
					c := &recorder{Client: bare}
					switch host {
					case "claude":
						c.Client = &claude{you}
					case "copilot":
						c.Client = &copilot{you}
					}
					if got := show(c, styles[host], s.qs...); got != s.said {
						t.Errorf("got %s, want %s", got, s.said)
					}
					if bare.bare > 0 {
						t.Error("the form became a bare question")
					}
					for _, p := range c.sent {
						checkForm(t, p)
					}
					if language == words.English {
						sent[host][s.name] = c.sent
					}
				})
			}
		}
	}
	for host, forms := range sent {
		golden.Check(t, host+".json", pretty(t, forms))
	}
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

// recorder keeps what is sent to a client.
type recorder struct {
	Client
	sent []mcp.ElicitationParams
}

func (r *recorder) Elicit(ctx context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	r.sent = append(r.sent, p)
	return r.Client.Elicit(ctx, p)
}

// checkForm checks what holds of every form.
func checkForm(t *testing.T, p mcp.ElicitationParams) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	schema := string(encode(p.RequestedSchema))
	for _, bad := range []string{`"default"`, `"boolean"`, `"number"`} {
		if strings.Contains(schema, bad) {
			t.Errorf("%s in %s", bad, schema)
		}
	}
	fields := properties(p)
	if !slices.IsSortedFunc(fields, func(a, b property) int { return strings.Compare(a.key, b.key) }) {
		t.Errorf("the fields are not in the order of their keys: %s", schema)
	}
	for _, x := range fields {
		if !x.required {
			t.Errorf("%s is not required", x.key)
		}
		for _, r := range slices.Concat(x.OneOf, x.Items.AnyOf) {
			if question.Count(strings.TrimPrefix(r.Title, bullet)) > maxTitle {
				t.Errorf("%q is too long", r.Title)
			}
			if strings.HasSuffix(r.Title, "…") || strings.Contains(r.Title, "  ") {
				t.Errorf("Claude Code puts %q into quotation marks", r.Title)
			}
			if strings.Contains(p.Message, "\n- ") || r.Title != r.Const && strings.Contains(p.Message, r.Title) {
				t.Errorf("the message lists options: %s", p.Message)
			}
		}
	}
}

// enter is somebody who presses Enter and nothing else.
type enter struct{}

func (enter) see(string)                {}
func (enter) pick(string, []string) int { return 0 }
func (enter) write(string) string       { return "" }

// Enter, Enter, Enter says no yes that was not declared.
func TestEnterConfirmsNothing(t *testing.T) {
	want := map[string]string{
		"choice":    "answered q1=postgresql|", // the asker's first, as a list has to begin with something
		"several":   "unavailable: the client's form brought no complete answer in 4 attempts",
		"text":      "dismissed",
		"boolean":   "answered q3=false|",
		"confirm":   "answered q3=false|",
		"followups": "answered a=oauth| p=google| q3=false|",
		"four":      "answered q1=postgresql| q3=false| q4=|Widget", // which is declared
	}
	for _, s := range shapes() {
		if got := show(&codex{hands: enter{}}, Style{}, s.qs...); got != want[s.name] {
			t.Errorf("%s: got %s, want %s", s.name, got, want[s.name])
		}
		if got := show(&codex{hands: enter{}}, styles["codex"], s.qs...); got != "dismissed" {
			t.Errorf("%s in Codex: got %s", s.name, got)
		}
		if got := show(&copilot{enter{}}, styles["copilot"], s.qs...); !strings.HasPrefix(got, "unavailable") {
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
		if got := show(&codex{hands: enter{}}, Style{}, tc.q); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

// styles are those of the hosts of this file.
var styles = map[string]Style{"claude": {Arrays: true, Typed: true, Rows: 4}, "codex": {Line: true, Rows: 14}, "copilot": {Arrays: true, OwnWords: true}}

// typist types a sentence at each field of Claude Code's form, and presses Enter until
// the form is sent: a list has a row that begins with one of the words, or none.
type typist struct {
	sentence string
	typed    int
}

func (*typist) see(string) {}

func (x *typist) pick(_ string, rows []string) int {
	if x.typed++; x.typed > 20 {
		return -1
	}
	for word := range strings.FieldsSeq(x.sentence) {
		if i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(strings.ToLower(row), word[:1]) }); i >= 0 {
			return i
		}
	}
	return -1
}

func (x *typist) write(string) string { return x.sentence }

// A sentence that is typed to Claude Code while our form is open chooses no row and
// fills no text.
func TestTypingAtLists(t *testing.T) {
	for _, s := range shapes() {
		for _, sentence := range []string{"yes, update the 2 docs", "no", "write it", "oauth please", "search caching"} {
			if got := show(&claude{&typist{sentence: sentence}}, styles["claude"], s.qs...); strings.HasPrefix(got, "answered") {
				t.Errorf("%q to %s: %s", sentence, s.name, got)
			}
			if got := show(&claude{&typist{sentence: "yes or no"}}, Style{Arrays: true}, goOn()); !strings.HasPrefix(got, "answered") {
				t.Errorf("the typist types nothing: %s", got)
			}
		}
	}
}
