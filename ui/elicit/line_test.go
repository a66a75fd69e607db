package elicit

import (
	"strconv"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// What a line says, to each type of question. Nothing but an answer behind the
// sign is one: no sentence, no rest of one, no row's number alone.
func TestLine(t *testing.T) {
	numbered := options("q5", "How many?", question.SingleChoice, "3", "1", "2")
	lettered := options("q6", "Which?", question.SingleChoice, "1", "b")
	closed := options("q7", "Which?", question.SingleChoice, "One", "Two")
	cased := options("q9", "Which?", question.SingleChoice, "camelCase", "CamelCase")
	cased.Options[1].ID = "pascal"
	many := options("q8", "Which?", question.MultiChoice, "One", "Two, too", "Three")
	for _, tc := range []struct {
		q    question.Question
		line string
		want string // empty: shown again
	}{
		{goOn(), "=yes", "q3=true|"},
		{goOn(), " =yes", ""},
		{goOn(), "＝no", "q3=false|"},
		{goOn(), "=yes please", ""},
		{goOn(), "I say =yes", ""},
		{goOn(), "=true", ""},
		{optional(goOn()), "=-", ""},
		{closed, "=2", "q7=two|"},
		{closed, "=1,2", ""},
		{closed, "=01", ""},
		{database(), "=SQLite 3", "q1=|SQLite 3"},
		{database(), "=...", ""},
		{numbered, "=a", "q5=3|"},
		{lettered, "=2.", "q6=b|"},
		{cased, "=CamelCase", "q9=pascal|"},
		{many, "=1,3", "q8=one,three|"},
		{many, "=3 1 3", "q8=one,three|"},
		{many, "=two, too", "q8=two, too|"},
		{many, "=1,", "q8=one|"},
		{features(), "=1, Search, then rank", "q2=caching|Search, then rank"},
		{features(), "=,", ""},
		{name(), "=Gadget", "q4=|Gadget"},
		{name(), "== 2", ""},
		{database(), "==2", ""},
		{name(), "=-", "q4=|-"},
		{name(), "= \u200b", ""},
		{proposing(name(), "Widget"), "=+", "q4=|Widget"},
	} {
		t.Run(tc.q.ID+" "+tc.line, func(t *testing.T) {
			c := &script{t: t, results: append(accepts(string(encode(map[string]string{tc.q.ID: tc.line}))), stuck)}
			got := show(c, Style{Line: true}, tc.q)
			want := "answered " + tc.want
			if tc.line == "=-" && !tc.q.Required {
				want = "answered"
			} else if tc.want == "" {
				want = "dismissed"
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if again := len(c.sent) > 1; again != (want == "dismissed") {
				t.Errorf("%d forms", len(c.sent))
			}
		})
	}
}

// What was typed without the sign is shown with it, in every language: it may
// have been an answer.
func TestLineHints(t *testing.T) {
	defer func() { words.Local = words.English }()
	for _, language := range []words.Language{words.English, words.Chinese, words.Portuguese} {
		words.Local = language
		for line, want := range map[string]string{"2": "=2", "MongoDB": "=MongoDB", "update the 2 docs": "=", "7": "=", "= 2": "=2"} {
			var x form
			x.asks = asked(database())
			x.asks.asLine(&x)
			if got := x.readLine(line).slip; !strings.Contains(got, want) || strings.Contains(got, "update") {
				t.Errorf("%s in %s: %s", line, language, got)
			}
		}
	}
}

// Sentences that are typed to the agent, and their ends, answer nothing, and the
// question is still there for the answer behind them.
func TestTypingAtLines(t *testing.T) {
	sentences := []string{"update the 2 docs", "yes", "no", "1", "2", "y", "n", "yes, do it", "the answer is no", "fix issue #2", "= 2", " = 2", "x=yes", "-1", "ok", "？", "2 docs",
		"用中文回答", "/status", "!ls"}
	for _, q := range []question.Question{goOn(), database(), features(), name(), optional(name()), optional(database())} {
		c := &script{t: t}
		for _, s := range sentences[:maxLines-1] {
			c.results = append(c.results, accepts(string(encode(map[string]string{q.ID: s})))...)
		}
		answer := map[question.Type]string{question.Boolean: "=no", question.Text: "=x"}[q.Type]
		if answer == "" {
			answer = "=2"
		}
		c.results = append(c.results, accepts(string(encode(map[string]string{q.ID: answer})))...)
		if got := show(c, Style{Line: true}, q); len(c.results) > 0 || !strings.HasPrefix(got, "answered "+q.ID) {
			t.Errorf("%s: got %s, %d forms are left", q.ID, got, len(c.results))
		}
	}
}

// A text that was typed without the sign is sent by the sign alone, in the same question
// only, and not in place of a yes or no.
func TestKeptText(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		q          question.Question
		lines      []string
	}{
		{"text", "answered q4=|Gadget", name(), []string{"Gadget", "="}},
		{"own words", "answered q1=|use both", database(), []string{"use both", "＝"}},
		{"the later one", "answered q4=|Widget", name(), []string{"Gadget", "= Widget", "="}},
		{"another one instead", "answered q4=|Widget", name(), []string{"Gadget", "=Widget"}},
		{"two signs", "answered q4=|Gadget", name(), []string{"Gadget", "==", "="}},
		{"a row", "dismissed", database(), []string{"2", "="}},
		{"yes", "dismissed", goOn(), []string{"yes", "="}},
		{"a sentence to a yes or no", "dismissed", goOn(), []string{"yes, do it", "="}},
	} {
		c := &script{t: t}
		for _, line := range tc.lines {
			c.results = append(c.results, accepts(string(encode(map[string]string{tc.q.ID: line})))...)
		}
		if tc.want == "dismissed" {
			c.results = append(c.results, result("cancel", ""))
		}
		got := show(c, Style{Line: true}, tc.q)
		if got != tc.want || len(c.results) > 0 {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
	c := &script{t: t, results: accepts(`{"q1":"use both"}`, `{"q1":"=2"}`, `{"q4":"="}`)}
	c.results = append(c.results, result("cancel", ""))
	got := show(c, Style{Line: true}, database(), name())
	if got != "dismissed" {
		t.Errorf("in the next question: %s", got)
	}
}

// A client that cuts a high form cuts how to answer it: no form is higher than that,
// and it says where the rest is.
func TestLineFits(t *testing.T) {
	long := goOn()
	long.Text, long.Description = strings.Repeat("delete the old table ", 10), strings.Repeat("one row of many\n", 40)
	choice := database()
	choice.Description = strings.Repeat("one row of many\n", 40)
	many := database()
	for n := range 20 {
		many.Options = append(many.Options, question.Option{ID: strconv.Itoa(n), Label: "one row of many " + strconv.Itoa(n), Description: strings.Repeat("描述", 20)})
	}
	both := many
	both.Description = choice.Description
	for _, q := range []question.Question{long, choice, many, both} {
		c := &script{t: t, results: append(accepts(string(encode(map[string]string{q.ID: "no answer"}))), stuck)}
		show(c, styles["codex"], q)
		for i, p := range c.params {
			if rows := height(p.Message); rows != styles["codex"].Rows {
				t.Errorf("form %d of %s has %d rows:\n%s", i, q.ID, rows, p.Message)
			}
			if !strings.Contains(p.Message, "more rows: mcp-askuser inbox)") || !strings.Contains(p.Message, "one row of many") || !strings.Contains(p.Message, "asked by Codex in shop") {
				t.Errorf("form %d:\n%s", i, p.Message)
			}
		}
		if !styles["codex"].Cuts(&question.Set{Questions: []question.Question{q}}) {
			t.Errorf("%s is not cut", q.ID)
		}
	}
	short := goOn()
	short.Description = "one row\nand another"
	if styles["codex"].Cuts(&question.Set{Questions: []question.Question{short}}) {
		t.Error("a short one is cut")
	}
}

// asked is the only question of a set, as it is due.
func asked(q question.Question) *shownQuestion {
	return newConversation(desk.Record{Set: question.Set{Questions: []question.Question{q}}}, Style{}).current()
}
