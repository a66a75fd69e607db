package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// script is a client that answers forms with prepared results, one each, and
// keeps what it was sent.
type script struct {
	t       *testing.T
	results []*mcp.ElicitationResult
	took    []time.Duration // of each; nil is slow
	err     error
	params  []mcp.ElicitationParams
	sent    []string // the message and the schema of each form
}

func (c *script) Elicit(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	form := p.Message + "\n" + string(encode(p.RequestedSchema))
	c.params, c.sent = append(c.params, p), append(c.sent, form)
	if err := p.Validate(); err != nil || strings.Contains(form, `"default"`) {
		c.t.Errorf("%v, or a preset answer: %s", err, form)
	}
	if c.err != nil {
		return nil, slow, c.err
	}
	if len(c.results) == 0 {
		c.t.Errorf("a form too many: %s", form)
		return nil, slow, errors.New("out of script")
	}
	r, took := c.results[0], slow
	c.results = c.results[1:]
	if c.took != nil {
		took, c.took = c.took[0], c.took[1:]
	}
	return r, took, nil
}

// stuck is what hosts bring whose form cannot be sent: in the end the user closes it.
var stuck = result("cancel", "")

// slow is how long a user takes at least.
const slow = 2 * time.Second

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func result(action, content string) *mcp.ElicitationResult {
	r := &mcp.ElicitationResult{}
	r.Action = mcp.ElicitationResponseAction(action)
	if content != "" {
		if err := json.Unmarshal([]byte(content), &r.Content); err != nil {
			panic(err)
		}
	}
	return r
}

// accepts are the results of a client whose user sends one form after the
// other.
func accepts(contents ...string) []*mcp.ElicitationResult {
	var out []*mcp.ElicitationResult
	for _, c := range contents {
		out = append(out, result("accept", c))
	}
	return out
}

func options(id, text string, typ question.Type, labels ...string) question.Question {
	q := question.Question{ID: id, Text: text, Type: typ, Required: true}
	for _, l := range labels {
		q.Options = append(q.Options, question.Option{ID: strings.ToLower(l), Label: l})
	}
	return q
}

func database() question.Question {
	q := options("q1", "Which database?", question.SingleChoice, "PostgreSQL", "MongoDB")
	q.Header, q.AllowCustom = "Database", true
	q.Options[0].Description = "relational"
	return q
}

func features() question.Question {
	q := options("q2", "Which features?", question.MultiChoice, "Caching", "Logging")
	q.AllowCustom = true
	return q
}

func goOn() question.Question {
	q := options("q3", "Go on?", question.Boolean, "Yes", "No")
	q.Options[0].ID, q.Options[1].ID = question.YesID, question.NoID
	return q
}

func name() question.Question {
	return question.Question{ID: "q4", Text: "What name?", Type: question.Text, Required: true}
}

func auth() question.Question {
	q := options("a", "Auth?", question.SingleChoice, "OAuth", "None")
	p := options("p", "Provider?", question.SingleChoice, "Google", "GitHub")
	p.Options[1].FollowUps = []question.Question{{ID: "org", Text: "Organisation?", Type: question.Text, Required: true}}
	q.Options[0].FollowUps = []question.Question{p}
	return q
}

func optional(q question.Question) question.Question {
	q.Required = false
	return q
}

// proposing declares the first option, or this text, as the default.
func proposing(q question.Question, text string) question.Question {
	q.Default = text
	if len(q.Options) > 0 {
		q.Options[0].Default = true
	}
	return q
}

func answersText(r question.Reply) string {
	if r.Dismissed {
		return "dismissed"
	}
	var parts []string
	for _, a := range r.Answers {
		parts = append(parts, a.QuestionID+"="+strings.Join(a.Selected, ",")+"|"+a.Custom)
	}
	return strings.TrimSpace("answered " + strings.Join(parts, " "))
}

// show runs the surface and returns what it committed, or its error.
func show(c Client, style Style, qs ...question.Question) string {
	rec := desk.Record{Round: 1, Asker: desk.Asker{Client: "codex", Directory: "/home/me/shop"}, Set: question.Set{Questions: qs}}
	got := ""
	err := New(c, style, nil).Show(context.Background(), rec, func(r question.Reply) error {
		checked, err := rec.Check(r)
		if err == nil {
			got += answersText(checked)
		}
		return err
	})
	switch {
	case errors.Is(err, ui.ErrUnavailable):
		return got + "unavailable: " + err.Error()
	case err != nil:
		return got + "error: " + err.Error()
	}
	return got
}

func TestDialogue(t *testing.T) {
	set := func(qs ...question.Question) []question.Question { return qs }
	for _, tc := range []struct {
		name    string
		qs      []question.Question
		flat    bool // the client has no arrays
		results []*mcp.ElicitationResult
		want    string
	}{
		{"other without a text leads back", set(database()), false, accepts(`{"q1":"Other..."}`, `{"q1_other":" "}`, `{"q1":"MongoDB"}`), "answered q1=mongodb|"},
		{"optional several left open", set(optional(features())), false, accepts(`{"q2":["(skip)"]}`), "answered"},
		{"back", set(database(), goOn()), false, accepts(`{"q1":"MongoDB"}`, `{"q3":"Back"}`, `{"q1":"PostgreSQL"}`, `{"q3":"Yes"}`), "answered q1=postgresql| q3=true|"},
		{"back over a follow-up", set(auth(), goOn()), false,
			accepts(`{"a":"OAuth"}`, `{"p":"Google"}`, `{"q3":"Back"}`, `{"p":"Back"}`, `{"a":"None"}`, `{"q3":"Yes"}`), "answered a=none| q3=true|"},
		{"back from several", set(goOn(), features()), false, accepts(`{"q3":"Yes"}`, `{"q2":["Caching","Back"]}`, `{"q3":"No"}`, `{"q2":["Caching"]}`), "answered q3=false| q2=caching|"},
		{"back from several as a line", set(goOn(), features()), true, accepts(`{"q3":"Yes"}`, `{"q2":"=<"}`, `{"q3":"No"}`, `{"q2":"=caching"}`), "answered q3=false| q2=caching|"},
		{"slips of another question count for themselves", set(goOn(), database()), false,
			accepts(`{}`, `{}`, `{}`, `{"q3":"No"}`, `{}`, `{}`, `{}`, `{"q1":"MongoDB"}`), "answered q3=false| q1=mongodb|"},
		{"dismissed half way", set(auth()), false, append(accepts(`{"a":"OAuth"}`), result("decline", "")), "dismissed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &script{t: t, results: tc.results}
			if got := show(c, Style{Arrays: !tc.flat}, tc.qs...); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if len(c.results) > 0 {
				t.Errorf("%d results were not asked for", len(c.results))
			}
		})
	}
}

// What was wrong stands first, in the words of the field.
func TestSlipsAreSaid(t *testing.T) {
	for _, tc := range []struct {
		name    string
		q       question.Question
		content string
		want    string
	}{
		{"nothing", database(), `{}`, "Still missing: Database."},
		{"open and not", optional(features()), `{"q2":["Caching","(skip)"]}`, "An answer cannot be skipped too: please choose one or the other."},
		{"another form's", database(), `{"q1":"MongoDB","q2":"x"}`, "That belongs to another form: please answer this one."},
		{"too long", name(), `{"q4":"` + strings.Repeat("字", 10_001) + `"}`, "Please answer again: must be at most 10000 characters long, is 10001."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &script{t: t, results: append(accepts(tc.content), result("cancel", ""))}
			show(c, Style{Arrays: true}, tc.q)
			first, second := c.sent[0], c.sent[1]
			if want := tc.want + "\n" + first; second != want {
				t.Errorf("got  %s\nwant %s", second, want)
			}
		})
	}
}

// What the store says of a reply is returned as it is.
func TestCommit(t *testing.T) {
	broken := errors.New("disk full")
	closed := &desk.ClosedError{}
	for _, tc := range []struct {
		name    string
		says    []error
		results []*mcp.ElicitationResult
		want    error
	}{
		{"stored", []error{nil}, accepts(`{"q1":"MongoDB"}`, `{"q3":"No"}`), nil},
		{"refused", []error{question.Violations{{Path: "note", Message: "too long"}}},
			accepts(`{"q1":"MongoDB"}`, `{"q3":"No"}`), question.Violations{{Path: "note", Message: "too long"}}},
		{"somebody was first", []error{closed}, accepts(`{"q1":"MongoDB"}`, `{"q3":"No"}`), closed},
		{"the store failed at a dismissal", []error{broken}, []*mcp.ElicitationResult{result("decline", "")}, broken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &script{t: t, results: tc.results}
			rec := desk.Record{Set: question.Set{Questions: []question.Question{database(), goOn()}}}
			says := tc.says
			err := New(c, Style{Arrays: true}, nil).Show(context.Background(), rec, func(question.Reply) error {
				err := says[0]
				says = says[1:]
				return err
			})
			if fmt.Sprint(err) != fmt.Sprint(tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if len(c.results)+len(says) > 0 {
				t.Errorf("%d results and %d commits were not asked for", len(c.results), len(says))
			}
		})
	}
}

type clientFunc func(mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error)

func (f clientFunc) Elicit(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	return f(p)
}

func TestWithdrawn(t *testing.T) {
	cause := &desk.ClosedError{}
	rec := desk.Record{Set: question.Set{Questions: []question.Question{database()}}}
	for _, tc := range []struct {
		name      string
		result    *mcp.ElicitationResult
		err       error
		committed bool
	}{
		{"the form is taken back", nil, context.Canceled, false},
		{"the host closes the form by itself", result("cancel", ""), nil, false},
		{"an answer that was on its way goes to the desk", accepts(`{"q1":"MongoDB"}`)[0], nil, true},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		committed := false
		err := New(clientFunc(func(mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
			cancel(cause)
			return tc.result, slow, tc.err
		}), Style{Arrays: true}, nil).Show(ctx, rec, func(question.Reply) error { committed = true; return cause })
		if !errors.Is(err, error(cause)) || committed != tc.committed {
			t.Errorf("%s: got %v, committed %v", tc.name, err, committed)
		}
	}
}

// What a form says beside its rows. Where four rows of the message are shown, the details stand in them, and
// the rest in the field's one row.
func TestMessage(t *testing.T) {
	preview := proposing(database(), "")
	preview.Options[1].Preview = "db.createCollection()"
	preview.Description = "It holds orders.\nAbout 2 GB."
	example := proposing(name(), "one\ntwo")
	example.Placeholder = "Widget"
	long := options("q9", strings.Repeat("很长的问题", 20)+"？", question.SingleChoice, "A", "B")
	confirm := func(action, details string) question.Question {
		q := goOn()
		q.Text, q.Description = action, details
		return q
	}
	const action, details = "Delete 23 unused files?", "cd web\nrm -rf build\ngit clean -fdx"
	const longAction = "Delete every file that no other file of the project has mentioned in the last year?"
	all, claude := Style{Arrays: true}, styles["claude"]
	for _, tc := range []struct {
		name        string
		style       Style
		q           question.Question
		want, aside string
	}{
		{"question, context, description", all, preview,
			"Which database?\nIt holds orders.\nAbout 2 GB.\n" +
				"proposed: PostgreSQL · previews: mcp-askuser inbox · asked by Codex in\nshop", ""},
		{"example and proposal", all, example,
			"What name?\nproposed: one␊two · for example: Widget · asked by Codex in shop", ""},
		{"rows that fit a host that cuts them", all, long,
			strings.Repeat("很长的问题", 7) + "很\n" + "长的问题" + strings.Repeat("很长的问题", 6) + "很长\n的问题" +
				strings.Repeat("很长的问题", 4) + "很长的问题？\nasked by Codex in shop", ""},
		{"details that fit", claude, confirm(action, details), action + "\n" + details, "asked by Codex in shop"},
		{"long details", claude, confirm(action, details+"\ncd .."), action + "\n" + details + "\ncd ..",
			"in full: mcp-askuser inbox · asked by Codex in shop"},
		{"long action and details", claude, confirm(longAction, details),
			"Delete every file that no other file of the project has mentioned in th…\n" + details +
				"\nDelete every file that no other file of the project has mentioned in the\nlast year?",
			"in full: mcp-askuser inbox · asked by Codex in shop"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &script{t: t, err: ui.ErrCallEnded}
			show(c, tc.style, tc.q)
			if got := c.params[0].Message; got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			for _, field := range properties(c.params[0]) {
				if aside, _ := field["description"].(string); aside != tc.aside {
					t.Errorf("beside it %q, want %q", aside, tc.aside)
				}
			}
		})
	}
}

// The rows of a list, in order.
func TestRows(t *testing.T) {
	yesFirst := options("q", "Overwrite?", question.SingleChoice, "Yes, all", "No, keep", "Ask me")
	long := options("q", "Which?", question.SingleChoice, strings.Repeat("x", 120)+"1", strings.Repeat("x", 120)+"2", "Back", "Other...")
	long.AllowCustom, long.Options[2].Description = true, strings.Repeat("字", 300)
	worded := database()
	worded.Other = &question.Option{Label: "Something else", Description: "say what"}
	multiline := proposing(name(), "one\ntwo")
	for _, tc := range []struct {
		name string
		q    question.Question
		want []string
	}{
		{"a refusal among others first", yesFirst, []string{"No, keep", "Yes, all", "Ask me"}},
		{"the asker's words for other", worded, []string{"PostgreSQL: relational", "MongoDB", "Something else: say what"}},
		{"what cannot be seen whole is not offered", multiline, nil},
		{"alike and long", long, []string{strings.Repeat("x", 97) + "...", strings.Repeat("x", 97) + "... (2)", "Back: " + strings.Repeat("字", 191) + "...", "Other...", "Other... (2)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newConversation(desk.Record{Set: question.Set{Questions: []question.Question{tc.q}}}, Style{Arrays: true})
			var got []string
			values := map[string]bool{}
			for _, e := range c.form(c.current()).entries {
				got = append(got, e.Title)
				values[e.Value] = true
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			if len(values) != len(got) {
				t.Errorf("two rows send the same: %v", values)
			}
		})
	}
}

// What a client shows of the message counts as well: three rows hold an action of one
// row and two of details, or one of two and one.
func TestCuts(t *testing.T) {
	confirm := func(action, details string) question.Question {
		q := goOn()
		q.Text, q.Description = action, details
		return q
	}
	two := strings.Repeat("delete the old table ", 6)
	for _, tt := range []struct {
		name string
		q    question.Question
		rows int
		want bool
	}{
		{"an action with details", confirm("Delete the table?", "It has 12 rows."), 3, false},
		{"a long action with two lines of details", confirm(two, "It has 12 rows.\nNobody has a copy."), 3, true},
		{"three lines of details", confirm("Delete the table?", "It has 12 rows.\nNobody has a copy.\nIt is gone for good."), 3, true},
		{"two long lines of details", confirm("Delete the table?", two+"\n"+two), 3, true},
		{"a client that shows all", confirm(two, two), 0, false},
	} {
		if got := (Style{Rows: tt.rows}).Cuts(&question.Set{Questions: []question.Question{tt.q}}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A row that a form cuts may end like another: the form says where all of it is, and a pane comes first.
func TestCutRows(t *testing.T) {
	long := strings.Repeat("x", 150)
	for _, cut := range []question.Option{
		{ID: "a", Label: long},
		{ID: "a", Label: long, Description: "short"},
		{ID: "a", Label: "A", Description: long + long},
	} {
		q := database()
		q.Options = append(q.Options, cut)
		for _, style := range []Style{{}, {Line: true, Rows: 14}, {Typed: true, Rows: 4}} {
			c := &script{t: t, results: []*mcp.ElicitationResult{result("cancel", "")}}
			show(c, style, q)
			if n := strings.Count(c.sent[0], "in full: mcp-askuser inbox"); n != 1 {
				t.Errorf("%+v: said %d times in %s", style, n, c.sent[0])
			}
			if !style.Cuts(&question.Set{Questions: []question.Question{q}}) {
				t.Errorf("%+v: shows all of %+v", style, cut)
			}
		}
	}
}

func TestHostileTextIsShownAsText(t *testing.T) {
	q := optional(database())
	evil := "\x1b]52;c;x\x07\u202e"
	q.ID, q.Header, q.Text, q.Description, q.Placeholder = evil, evil, evil+"?", evil, evil
	q.Options[0].Label, q.Options[0].Description, q.Options[0].Preview, q.Options[0].Default = evil, evil, evil, true
	q.Other = &question.Option{Label: evil + "2", Description: evil}
	for _, style := range []Style{{Arrays: true}, {}, {Line: true}, {Typed: true, Rows: 3}, {Arrays: true, OwnWords: true}} {
		for _, typ := range []question.Type{question.SingleChoice, question.MultiChoice} {
			q.Type = typ
			c := &script{t: t, err: errors.New("seen enough")}
			show(c, style, q)
			for _, bad := range []string{"\x1b", "\x07", "\u202e", `\u001b`, `\u0007`} {
				if strings.Contains(c.sent[0], bad) {
					t.Errorf("%q reaches the client: %q", bad, c.sent[0])
				}
			}
		}
	}
}

// A set that asks for a secret, in whatever place, is sent to no client.
func TestSecretsStayOutOfForms(t *testing.T) {
	nested := auth()
	nested.Options[0].FollowUps[0].Options[1].FollowUps[0].Text = "Your client secret?"
	for _, q := range []question.Question{nested, {ID: "q", Text: "API key?", Type: question.Text}} {
		c := &script{t: t, err: errors.New("shown")}
		if show(c, Style{Arrays: true}, q); len(c.sent) != 0 {
			t.Errorf("%s reached the client's form", q.Text)
		}
	}
}

// An accept that comes too early brings the form again, once: keys that were meant for another program
// arrive like that. A client whose user has answered a form does not close the next by itself, however soon.
func TestPace(t *testing.T) {
	const ms, mongo = time.Millisecond, `{"q1":"MongoDB"}`
	const said = "That was too quick to be an answer: please answer again.\nWhich database?"
	for _, tc := range []struct {
		name    string
		style   Style
		results []*mcp.ElicitationResult
		took    []time.Duration
		want    string
		second  string // how the second form begins
	}{
		{
			"one too early, then a user's", Style{}, accepts(mongo, mongo),
			[]time.Duration{599 * ms, 600 * ms}, "answered q1=mongodb|", said,
		},
		{"two too early", Style{}, accepts(mongo, mongo), []time.Duration{300 * ms, 599 * ms}, "unavailable", said},
		{
			"sentences in a hurry, then an answer", Style{Line: true},
			accepts(`{"q1":"run 4 tests"}`, `{"q1":"1"}`, `{"q1":"ests"}`, `{"q1":"=mongodb"}`),
			[]time.Duration{150 * ms, 300 * ms, 450 * ms, 600 * ms}, "answered q1=mongodb|", "Nothing was sent",
		},
		{
			"closed soon after another form", Style{}, append(accepts(`{"q1":"Other..."}`), stuck),
			[]time.Duration{slow, 500 * ms}, "dismissed", "Which database?",
		},
	} {
		c := &script{t: t, results: tc.results, took: tc.took}
		if got, _, _ := strings.Cut(show(c, tc.style, database()), ":"); got != tc.want || len(c.results) > 0 {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
		if !strings.HasPrefix(c.sent[1], tc.second) {
			t.Errorf("%s: the second form is %s", tc.name, c.sent[1])
		}
	}
}

// What the user has sent in a form outlasts a call that ends before the last one: the next form
// names it, other surfaces begin with it, and a program's part of it is not called the user's.
func TestAnswersSoFarAreKept(t *testing.T) {
	d := desktest.Open(t, t.TempDir())
	set := question.Set{Questions: []question.Question{database(), name(), goOn()}}
	rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "codex"})
	fatal.If(t, err)
	given := []question.Answer{{QuestionID: "q4", Custom: "web"}}
	fatal.If(t, d.KeepAnswers(t.Context(), rec.ID, given, question.ByProgram))
	forms := 0
	ends := clientFunc(func(mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
		if forms++; forms > 1 {
			return nil, 0, ui.ErrCallEnded
		}
		return accepts(`{"q1":"MongoDB"}`)[0], slow, nil
	})
	if err := New(ends, Style{}, d).Show(t.Context(), rec, nil); !errors.Is(err, ui.ErrCallEnded) {
		t.Fatal(err)
	}
	kept, _, err := d.Draft(t.Context(), rec.ID)
	fatal.If(t, err)
	if got := answersText(kept); got != "answered q4=|web q1=mongodb|" || kept.Answer("q1").By != question.ByUser {
		t.Errorf("kept %s", got)
	}
	c := &script{t: t, results: append(accepts(`{"q1":"PostgreSQL"}`), result("cancel", ""))}
	fatal.If(t, New(c, Style{}, d).Show(t.Context(), rec, func(question.Reply) error { return nil }))
	if !strings.Contains(c.sent[0], "you said: MongoDB") || strings.Contains(c.sent[1], "you said") {
		t.Errorf("the next forms say %q", c.sent)
	}
}
