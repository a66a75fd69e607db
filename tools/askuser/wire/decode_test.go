package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-askuser/question"
)

func mcpLimits() question.Limits {
	l := question.DefaultLimits()
	l.Lenient = true
	return l
}

// compact writes a question in a few letters, for tables.
func compact(qs []question.Question) string {
	var parts []string
	for _, q := range qs {
		p := q.ID + ":" + string(q.Type)
		if q.Header != "" {
			p += " #" + q.Header
		}
		if !q.Required {
			p += " optional"
		}
		if q.AllowCustom {
			p += " +other"
		}
		if q.Other != nil {
			p += "=" + q.Other.Label
		}
		if q.Default != "" {
			p += " default=" + q.Default
		}
		for _, o := range q.Options {
			p += " [" + o.ID
			if o.Default {
				p += "*"
			}
			if o.Description != "" {
				p += " (" + o.Description + ")"
			}
			if o.FollowUps != nil {
				p += " > " + compact(o.FollowUps)
			}
			p += "]"
		}
		if q.Collected != nil {
			p += " collected by " + string(q.Collected.By) + " " + strings.Join(q.Collected.Selected, ",") + q.Collected.Custom
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "; ")
}

func TestDecodeForms(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"A", `{"questions":[{"question":"Which authentication method should we use?","header":"Auth method","options":[{"label":"OAuth 2.0","description":"Industry standard"},{"label":"JWT","description":"Stateless"}],"multiSelect":false}]}`,
			"q1:multiple_choice #Auth method +other [oauth-2-0 (Industry standard)] [jwt (Stateless)]"},
		{"B in Chinese", `{"questions":[{"question":"需要哪些功能模块？","header":"功能模块","multiSelect":true,"options":[{"label":"用户认证"},{"label":"文件上传"}]}],"metadata":{"source":"remember"}}`,
			"q1:checkbox #功能模块 +other [用户认证] [文件上传]"},
		{"C", `{"questions":[{"question":"Which?","header":"","options":[{"label":"OAuth2 (Recommended)","description":""},{"label":"API Key","description":""}],"multi_select":true}]}`,
			"q1:checkbox +other [oauth2-recommended] [api-key]"},
		{"D message", `{"type":"ask_user_question","question":{"question_id":"auth_01","header":"确认操作","question_text":"Delete?","type":"multiple_choice","options":[{"id":"option_a","label":"A","default":false},{"id":"oauth2","label":"B","default":true}],"required":true,"follow_up_questions":{"oauth2":[{"question_id":"providers","question_text":"Providers?","type":"checkbox","options":[{"id":"google","label":"Google"},{"id":"github","label":"GitHub"}]}]}},"tool_use_id":"x"}`,
			"auth_01:multiple_choice #确认操作 +other [option_a] [oauth2* > providers:checkbox +other [google] [github]]"},
		{"D flat", `{"question_id":"auth_01","question_text":"Which?","type":"multiple_choice","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}`,
			"auth_01:multiple_choice +other [a] [b]"},
		{"E with descriptions", `{"question":"Which method?","options":["JWT","Session"],"header":"Authentication method","descriptions":["Stateless",null],"multi_select":false,"allow_custom":false,"default":1}`,
			"q1:multiple_choice #Authenticati [jwt (Stateless)] [session*]"},
		{"E default by text", `{"question":"Which?","options":["JWT","Session"],"default":"session"}`, "q1:multiple_choice +other [jwt] [session*]"},
		{"E free text", `{"question":"What name?","default":"Widget"}`, "q1:text default=Widget"},
		{"E nulls", `{"question":"What name?","options":null,"header":null,"default":null}`, "q1:text"},
		{"questions as a string", `{"questions":"[{\"question\":\"Which?\",\"options\":[\"A\",\"B\"]}]"}`, "q1:multiple_choice +other [a] [b]"},
		{"whole input as a string", `{"questions":"{\"questions\":[{\"question\":\"Which?\"}]}"}`, "q1:text"},
		{"one question without its array", `{"questions":{"question":"Which?"}}`, "q1:text"},
		{"bare array", `[{"question":"Which?"},"And why?"]`, "q1:text; q2:text"},
		{"multiple", `{"questions":[{"question":"Which?","options":["A","B"],"multiple":true}]}`, "q1:checkbox +other [a] [b]"},
		{"choice of several", `{"questions":[{"question":"Which?","type":"multiple_choice","multiSelect":true,"options":["A","B"]}]}`, "q1:checkbox +other [a] [b]"},
		{"boolean", `{"questions":[{"question":"Go on?","type":"boolean","default":false,"required":false}]}`, "q1:boolean optional [true] [false*]"},
		{"boolean with its own words", `{"questions":[{"question":"Go on?","type":"boolean","options":[{"label":"No","description":"stop"},{"label":"Yes"}]}]}`, "q1:boolean [true] [false (stop)]"},
		{"own Other is ours", `{"questions":[{"question":"Which?","options":["A","B","C","D","Other (please say)"]}]}`, "q1:multiple_choice +other=Other (please say) [a] [b] [c] [d]"},
		{"own Other where none is allowed", `{"questions":[{"question":"Which?","options":["A","Other"],"allow_custom":false}]}`, "q1:multiple_choice [a] [other]"},
		{"labels without letters", `{"questions":[{"question":"Which?","options":["+","-"]}]}`, "q1:multiple_choice +other [option-1] [option-2]"},
		{"labels with the same slug", `{"questions":[{"question":"Which?","options":["C","C++"]}]}`, "q1:multiple_choice +other [c] [c-2]"},
		{"follow-ups by label, three deep", `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{"A":[{"question":"2?","options":["C","D"],"follow_up_questions":{"D":[{"question":"3?","options":["E","F"],"follow_up_questions":{"e":[{"question":"4?"}]}}]}}]}}]}`,
			"q1:multiple_choice +other [a > q1.a.1:multiple_choice +other [c] [d > q1.a.1.d.1:multiple_choice +other [e > q1.a.1.d.1.e.1:text] [f]]] [b]"},
		{"ids that collide with derived ones", `{"questions":[{"question":"1?"},{"question":"2?","question_id":"q1"}]}`, "q1-2:text; q1:text"},
		{"collected", `{"questions":[{"question":"1?","options":["A","B"]},{"question":"2?"}],"answers":{"1?":"B"}}`, "q1:multiple_choice +other [a] [b] collected by caller b; q2:text"},
		{"nothing collected", `{"questions":[{"question":"1?"}],"answers":{}}`, "q1:text"},
		{"unknown members", `{"questions":[{"question":"1?","hint":3}],"wait_for_previous":true}`, "q1:text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := DecodeAsk([]byte(tc.in), mcpLimits())
			if err != nil {
				t.Fatal(err)
			}
			if got := compact(c.Set.Questions); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestDecodeFaults(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"all of them, with their paths", `{"questions":[{"question":"","header":"Authentication","options":[{"label":"A","description":""}],"multiSelect":"yes"},{"options":[{"label":"A"},{"label":"B"},{"label":"C"},{"label":"D"},{"label":"E"}]}],"timeout_seconds":"soon","metadata":1}`,
			`questions[0].multiSelect: must be true or false
questions[0].options[0].description: must not be empty where it is given
metadata: must be an object
timeout_seconds: must be a number of seconds, 0 or more
questions[0].question: is required and must not be empty
questions[0].header: must be at most 12 characters long, is 14
questions[0].options: must have 2 to 4 options, has 1
questions[1].question: is required and must not be empty
questions[1].options: must have 2 to 4 options, has 5`},
		{"what cannot be read is not missing as well", `{"questions":[{"question":7,"options":"A, B"}]}`,
			"questions[0].question: must be a string\nquestions[0].options: must be an array of options"},
		{"no questions", `{}`, "questions: is required: an array of 1 to 4 questions"},
		{"empty", `{"questions":[]}`, "questions: must have 1 to 4 questions, has 0"},
		{"not an object", `"hello"`, "arguments: must be an object"},
		{"options that are empty", `{"questions":[{"question":"1?","options":[]}]}`, "questions[0].options: must have 2 to 4 options, has 0"},
		{"several of nothing", `{"questions":[{"question":"1?","multiSelect":true}]}`, "questions[0].options: must have 2 to 4 options, has 0"},
		{"E: same length", `{"question":"1?","options":["A","B"],"descriptions":["only one"]}`, "descriptions: must have the same length as options, has 1 for 2"},
		{"E: paths without a place", `{"question":"1?","options":["A"]}`, "options: must have 2 to 4 options, has 1"},
		{"E: default that is none of them", `{"question":"1?","options":["A","B"],"default":7}`, "default: 7 is none of the options; give an index from 0 to 1, an id or a label"},
		{"follow-up to nothing", `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{"C":[{"question":"2?"}]}}]}`, "questions[0].follow_up_questions.C: is none of the options of this question"},
		{"same question twice", `{"questions":[{"question":"1?"},{"question":"1?"}]}`, "questions[1].question: the same text as questions[0].question"},
		{"answer to nothing", `{"questions":[{"question":"1?"}],"answers":{"2?":"x"}}`, `answers["2?"]: no question has this text or id`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := DecodeAsk([]byte(tc.in), question.DefaultLimits())
			if want := "Validation failed\n- " + strings.ReplaceAll(tc.want, "\n", "\n- "); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	var syntax *json.SyntaxError
	if _, err := DecodeAsk([]byte(`{"questions":`), mcpLimits()); !errors.As(err, &syntax) {
		t.Errorf("broken JSON: %v", err)
	}
}

func TestDecodeToleratesLongWordsFromAgents(t *testing.T) {
	long := strings.Repeat("字", 300)
	in := `{"questions":[{"question":"1?","header":"` + long + `","options":[{"label":"` + long + `","description":"` + long + `"},"B"]}]}`
	c, err := DecodeAsk([]byte(in), mcpLimits())
	if err != nil {
		t.Fatal(err)
	}
	q := c.Set.Questions[0]
	if q.Header != long || q.Options[0].Label != long || q.Options[0].Description != long {
		t.Error("a long text was not kept whole")
	}
}

func TestDecodeTimeoutAndMetadata(t *testing.T) {
	c, err := DecodeAsk([]byte(`{"question":"1?","timeout_seconds":90,"metadata":{"source":"remember"}}`), mcpLimits())
	if err != nil || c.Timeout != 90*time.Second || c.Set.Metadata["source"] != "remember" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestLiteralLineBreaks(t *testing.T) {
	for in, want := range map[string]string{
		`First.\nSecond.`:             "First.\nSecond.",
		`- a\n- b`:                    "- a\n- b",
		"real\nbreak and \\n literal": "real\nbreak and \\n literal",
		`Delete C:\new and \\nas\x ?`: `Delete C:\new and \\nas\x ?`,
	} {
		if got := lines(in); got != want {
			t.Errorf("lines(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever the arguments, DecodeAsk gives a set that keeps the limits, or says
// what is wrong.
func FuzzDecodeAsk(f *testing.F) {
	for _, s := range []string{
		`{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}],"follow_up_questions":{"A":[{"question":"2?"}]}}]}`,
		`{"question":"Which?","options":["A","Other"],"descriptions":["x","y"],"default":"A"}`,
		`{"questions":"[]"}`, `[]`, `{"question":{"question_text":"x","type":"boolean"}}`, `{"questions":[{}],"answers":{"q1":1}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		l := mcpLimits()
		c, err := DecodeAsk([]byte(in), l)
		if err != nil {
			return
		}
		if v := c.Set.Validate(l); v != nil {
			t.Fatalf("%s: accepted with %v", in, v)
		}
		for _, q := range c.Set.All() {
			if q.ID == "" {
				t.Fatalf("%s: a question without id", in)
			}
		}
	})
}
