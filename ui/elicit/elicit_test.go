package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// client answers forms from a script, one result each, and keeps what it was
// sent.
type client struct {
	t       *testing.T
	results []*mcp.ElicitationResult
	err     error
	took    time.Duration
	sent    []string // the message and the schema of each form
}

func (c *client) Elicit(_ context.Context, p mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	schema, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		c.t.Error(err)
	}
	c.sent = append(c.sent, p.Message+"\n"+string(schema))
	if c.err != nil {
		return nil, c.took, c.err
	}
	if len(c.results) == 0 {
		c.t.Errorf("a form too many: %s", c.sent[len(c.sent)-1])
		return nil, c.took, errors.New("out of script")
	}
	r := c.results[0]
	c.results = c.results[1:]
	return r, c.took, nil
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

func accept(content string) *mcp.ElicitationResult { return result("accept", content) }

func choice(id, text string, typ question.Type, labels ...string) question.Question {
	q := question.Question{ID: id, Text: text, Type: typ, Required: true}
	for _, l := range labels {
		q.Options = append(q.Options, question.Option{ID: strings.ToLower(l), Label: l})
	}
	return q
}

func database() question.Question {
	q := choice("q1", "Which database?", question.SingleChoice, "PostgreSQL", "MongoDB")
	q.Header, q.AllowCustom = "Database", true
	q.Options[0].Description, q.Options[0].Default = "relational", true
	return q
}

func features() question.Question {
	return choice("q2", "Which features?", question.MultiChoice, "Caching", "Logging")
}

func goOn() question.Question {
	q := choice("q3", "Go on?", question.Boolean, "Yes", "No")
	q.Options[0].ID, q.Options[1].ID = question.YesID, question.NoID
	return q
}

func name() question.Question {
	return question.Question{ID: "q4", Text: "What name?", Type: question.Text, Required: true, Default: "Widget"}
}

func auth() question.Question {
	q := choice("a", "Auth?", question.SingleChoice, "OAuth", "None")
	p := choice("p", "Provider?", question.SingleChoice, "Google", "GitHub")
	p.Options[1].FollowUps = []question.Question{{ID: "org", Text: "Organisation?", Type: question.Text, Required: true}}
	q.Options[0].FollowUps = []question.Question{p}
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
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	return strings.Join(parts, " ")
}

// show runs the surface and returns what it committed, or its error.
func show(c *client, arrays bool, qs ...question.Question) string {
	rec := desk.Record{Set: question.Set{Questions: qs}}
	got := ""
	err := New(c, arrays).Show(context.Background(), rec, func(r question.Reply) error {
		checked, err := rec.Check(r)
		got = answersText(checked)
		return err
	})
	switch {
	case errors.Is(err, ui.ErrUnavailable):
		return "unavailable: " + err.Error() + got
	case err != nil:
		return "error: " + err.Error() + got
	}
	return got
}

func TestReplies(t *testing.T) {
	slow := 2 * time.Second
	for _, tc := range []struct {
		name    string
		qs      []question.Question
		took    time.Duration
		flat    bool // the client cannot show arrays
		results []*mcp.ElicitationResult
		want    string
	}{
		{"choice", []question.Question{database()}, 0, false, []*mcp.ElicitationResult{accept(`{"q1":"MongoDB"}`)}, "q1=mongodb|"},
		{"other", []question.Question{database()}, 0, false, []*mcp.ElicitationResult{accept(`{"q1_other":"SQLite"}`)}, "q1=|SQLite"},
		{"other beside a choice", []question.Question{database()}, 0, false, []*mcp.ElicitationResult{accept(`{"q1":"PostgreSQL","q1_other":"16 please"}`)},
			`q1=|16 please (In answer to "Which database?" the form also had "PostgreSQL" marked.)`},
		{"several", []question.Question{features()}, 0, false, []*mcp.ElicitationResult{accept(`{"q2":["Logging","Caching"]}`)}, "q2=caching,logging|"},
		{"several as switches", []question.Question{features()}, 0, true, []*mcp.ElicitationResult{accept(`{"q2_caching":false,"q2_logging":true}`)}, "q2=logging|"},
		{"yes or no", []question.Question{goOn()}, 0, false, []*mcp.ElicitationResult{accept(`{"q3":"No"}`)}, "q3=false|"},
		{"text", []question.Question{name()}, 0, false, []*mcp.ElicitationResult{accept(`{"q4":" Gadget "}`)}, "q4=|Gadget"},
		{"all at once", []question.Question{database(), features(), goOn(), name()}, 0, false,
			[]*mcp.ElicitationResult{accept(`{"q1":"PostgreSQL","q2":["Caching"],"q3":"Yes","q4":"x"}`)}, "q1=postgresql| q2=caching| q3=true| q4=|x"},
		{"follow-ups, three levels", []question.Question{auth()}, 0, false,
			[]*mcp.ElicitationResult{accept(`{"a":"OAuth"}`), accept(`{"p":"GitHub"}`), accept(`{"org":"acme"}`)}, "a=oauth| p=github| org=|acme"},
		{"follow-up not asked for", []question.Question{auth()}, 0, false, []*mcp.ElicitationResult{accept(`{"a":"None"}`)}, "a=none|"},
		{"declined half way by a human", []question.Question{auth()}, slow, false,
			[]*mcp.ElicitationResult{accept(`{"a":"OAuth"}`), result("decline", "")}, "dismissed"},
		{"what is missing is asked again", []question.Question{database(), goOn()}, 0, false,
			[]*mcp.ElicitationResult{accept(`{"q3":"Yes"}`), accept(`{"q1":"MongoDB"}`)}, "q1=mongodb| q3=true|"},
		{"declined by a human", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{result("decline", "")}, "dismissed"},
		{"cancelled by a human", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{result("cancel", "")}, "dismissed"},

		// None of these is a human's answer (DESIGN, promise 1).
		{"instant decline", []question.Question{database()}, 999 * time.Millisecond, false, []*mcp.ElicitationResult{result("decline", "")}, "unavailable: the client answered decline by itself after 999ms"},
		{"instant cancel", []question.Question{database()}, time.Millisecond, false, []*mcp.ElicitationResult{result("cancel", "")}, "unavailable: the client answered cancel by itself after 1ms"},
		{"accept without content", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{accept("")}, "unavailable: the client accepted with empty content"},
		{"accept with empty content", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{accept(`{}`)}, "unavailable: the client accepted with empty content"},
		{"content of something else", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{accept(`{"x":1}`)}, "unavailable: the client accepted with content that does not fit the form"},
		{"a value that was not offered", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{accept(`{"q1":"Oracle"}`)}, `unavailable: the client accepted with content that does not fit the form at "q1"`},
		{"a value of another type", []question.Question{features()}, slow, false, []*mcp.ElicitationResult{accept(`{"q2":"Caching"}`)}, `unavailable: the client accepted with content that does not fit the form at "q2"`},
		{"content that is no object", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{accept(`[1]`)}, "unavailable: the client accepted with content that is no object"},
		{"unknown action", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{result("maybe", "")}, `unavailable: the client sent the unknown action "maybe"`},
		{"no result", []question.Question{database()}, slow, false, []*mcp.ElicitationResult{nil}, "unavailable: the client sent no result"},
		{"blank for ever", []question.Question{name()}, slow, false, []*mcp.ElicitationResult{accept(`{"q4":""}`), accept(`{"q4":" "}`), accept(`{"q4":""}`), accept(`{"q4":""}`)},
			"unavailable: the client's form brought no complete answer in 8 attempts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &client{t: t, took: tc.took, results: tc.results}
			if got := show(c, !tc.flat, tc.qs...); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if len(c.results) > 0 {
				t.Errorf("%d results were not asked for", len(c.results))
			}
		})
	}
}

func TestClientErrors(t *testing.T) {
	c := &client{t: t, err: errors.New("method not found")}
	if got, want := show(c, true, database()), "unavailable: the client did not show the form: method not found"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c = &client{t: t, err: ui.ErrCallEnded}
	if got, want := show(c, true, database()), "error: "+ui.ErrCallEnded.Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWithdrawnReturnsTheCause(t *testing.T) {
	cause := &desk.ClosedError{}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	c := &client{t: t, err: context.Canceled}
	err := New(c, true).Show(ctx, desk.Record{Set: question.Set{Questions: []question.Question{database()}}}, nil)
	if !errors.Is(err, error(cause)) {
		t.Errorf("got %v", err)
	}
}

func TestForm(t *testing.T) {
	long := database()
	long.ID, long.Header = "q9", ""
	long.Text = strings.Repeat("字", 60) + "?"
	long.Options[0].Label, long.Options[1].Label = strings.Repeat("x", 80)+"1", strings.Repeat("x", 80)+"2"
	for _, tc := range []struct {
		name   string
		qs     []question.Question
		arrays bool
		want   string
	}{
		{"choice", []question.Question{database()}, true,
			"[Database] Which database?\n- PostgreSQL: relational (proposed)\n- MongoDB\n" +
				`{"type":"object","properties":{"q1":{"type":"string","title":"Database","description":"Which database?","enum":["PostgreSQL","MongoDB"]},"q1_other":{"type":"string","title":"Database: Other","description":"Your own answer instead"}}}`},
		{"order and required", []question.Question{goOn(), features(), name()}, true,
			"1. Go on?\n\n2. Which features? (any number)\n- Caching\n- Logging\n\n3. What name?\n" +
				`{"type":"object","properties":{"q3":{"type":"string","title":"Go on?","description":"Go on?","enum":["Yes","No"]},"q2":{"type":"array","title":"Which features?","description":"Which features?","items":{"type":"string","enum":["Caching","Logging"]}},"q4":{"type":"string","title":"What name?","description":"What name? (proposed: Widget)"}},"required":["q3","q2","q4"]}`},
		{"switches", []question.Question{features()}, false,
			"Which features? (any number)\n- Caching\n- Logging\n" +
				`{"type":"object","properties":{"q2_caching":{"type":"boolean","title":"Caching","description":"Which features?"},"q2_logging":{"type":"boolean","title":"Logging","description":"Which features?"}}}`},
		{"long texts are shortened and stay apart", []question.Question{long}, true,
			strings.Repeat("字", 60) + "?\n- " + strings.Repeat("x", 80) + "1: relational (proposed)\n- " + strings.Repeat("x", 80) + "2\n" +
				`{"type":"object","properties":{"q9":{"type":"string","title":"` + strings.Repeat("字", 39) + `…","description":"` + strings.Repeat("字", 60) + `?","enum":["` + strings.Repeat("x", 59) + `…","` + strings.Repeat("x", 59) + `… (2)"]},"q9_other":{"type":"string","title":"` + strings.Repeat("字", 39) + `…: Other","description":"Your own answer instead"}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &client{t: t, err: errors.New("seen enough")}
			show(c, tc.arrays, tc.qs...)
			if c.sent[0] != tc.want {
				t.Errorf("got  %s\nwant %s", c.sent[0], tc.want)
			}
			if strings.Contains(c.sent[0], `"default"`) {
				t.Error("a default was sent: a client may accept it on the human's behalf")
			}
		})
	}
}

func TestHostileTextIsShownAsText(t *testing.T) {
	q := database()
	evil := "\x1b]52;c;x\x07\u202e"
	q.Header, q.Text, q.Options[0].Label, q.Options[0].Description, q.Options[0].Preview = evil, evil+"?", evil, evil, evil
	c := &client{t: t, err: errors.New("seen enough")}
	show(c, true, q)
	for _, bad := range []string{"\x1b", "\x07", "\u202e", `\u001b`, `\u0007`} {
		if strings.Contains(c.sent[0], bad) {
			t.Errorf("%q reaches the client: %q", bad, c.sent[0])
		}
	}
}

func TestSecretsStayOutOfForms(t *testing.T) {
	other := database()
	for _, tc := range []struct {
		text   string
		typ    question.Type
		secret bool
	}{
		{"What is your GitHub token?", question.Text, true},
		{"Please enter the database password:", question.Text, true},
		{"API key?", question.Text, true},
		{"Paste the SSH key", question.Text, true},
		{"请输入您的密码", question.Text, true},
		{"Enter your API key, or choose", question.SingleChoice, true},
		{"What is the minimum password length?", question.Text, false},
		{"Which token format do you prefer?", question.Text, false},
		{"Where should your app keep its tokens?", question.SingleChoice, false},
		{"Which authentication method: API keys or OAuth?", question.SingleChoice, false},
		{"What should the key metric be?", question.Text, false},
	} {
		q := question.Question{ID: "q", Text: tc.text, Type: tc.typ, Required: true}
		if tc.typ == question.SingleChoice {
			q = other
			q.Text = tc.text
		}
		c := &client{t: t, err: errors.New("shown")}
		got := show(c, true, q)
		if secret := len(c.sent) == 0; secret != tc.secret {
			t.Errorf("%s: kept out of the form: %v, want %v (%s)", tc.text, secret, tc.secret, got)
		}
	}
	nested := auth()
	nested.Options[0].FollowUps[0].Options[1].FollowUps[0].Text = "Your client secret?"
	c := &client{t: t, err: errors.New("shown")}
	if show(c, true, nested); len(c.sent) != 0 {
		t.Error("a secret in a follow-up reached the client's form")
	}
}

// Whatever a client sends back, the surface commits only what the set allows.
func FuzzContent(f *testing.F) {
	for _, s := range []string{`{"q1":"MongoDB","q2":["Caching"],"q3":"Yes","q4":"x"}`, `{"q1_other":"x"}`, `{"q2":[1]}`, `[]`, `{"q3":true}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		var v any
		if json.Unmarshal([]byte(content), &v) != nil {
			return
		}
		set := question.Set{Questions: []question.Question{database(), features(), goOn(), name()}}
		brought, err := newForm(set.Shown(nil), true).read(v)
		if err != nil {
			return
		}
		for _, g := range brought {
			q := set.Find(g.answer.QuestionID)
			if q == nil {
				t.Fatalf("%s: an answer to nothing", content)
			}
			for _, id := range g.answer.Selected {
				if q.Option(id) == nil {
					t.Fatalf("%s: chose %q, which is no option", content, id)
				}
			}
		}
	})
}
