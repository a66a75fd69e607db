package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
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
		{"E default by place, behind an Other", `{"question":"Which?","options":["Other","JWT","Session"],"default":1}`, "q1:multiple_choice +other=Other [jwt*] [session]"},
		{"an Other in another language", `{"question":"Qual?","options":["JWT","Sessão","Outra (diga qual)"]}`, "q1:multiple_choice +other=Outra (diga qual) [jwt] [sessão]"},
		{"E default by place, of a no before a yes", `{"question":"Go on?","type":"boolean","options":["No","Yes"],"default":0}`, "q1:boolean [true] [false*]"},
		{"E free text", `{"question":"What name?","default":"Widget"}`, "q1:text default=Widget"},
		{"E empty", `{"question":"Which?","options":["A","B"],"header":"","descriptions":[],"default":""}`,
			"q1:multiple_choice +other [a] [b]"},
		{"E no options", `{"question":"What name?","options":[]}`, "q1:text"},
		{"E nulls", `{"question":"What name?","options":null,"header":null,"default":null}`, "q1:text"},
		{"questions as a string", `{"questions":"[{\"question\":\"Which?\",\"options\":[\"A\",\"B\"]}]"}`, "q1:multiple_choice +other [a] [b]"},
		{"whole input as a string", `{"questions":"{\"questions\":[{\"question\":\"Which?\"}]}"}`, "q1:text"},
		{"each question as a string, and each option", `{"questions":["{\"question\":\"Which?\",\"options\":[\"{\\\"label\\\":\\\"A\\\",\\\"description\\\":\\\"x\\\"}\",\"B\"]}"]}`, "q1:multiple_choice +other [a (x)] [b]"},
		{"labels that are JSON", `{"question":"What is empty?","options":["{}","[]","{\"a\":1}"]}`, "q1:multiple_choice +other [option-1] [option-2] [a-1]"},
		{"one question without its array", `{"questions":{"question":"Which?"}}`, "q1:text"},
		{"bare array", `[{"question":"Which?"},"And why?"]`, "q1:text; q2:text"},
		{"members in other spellings", `{"Questions":[{"Question":"Which?","multiselect":true,"Options":[{"Label":"A"},{"label":"B"}],"allowCustom":false,"followUpQuestions":{"A":[{"questionText":"2?"}]}}]}`, "q1:checkbox [a > q1.a.1:text] [b]"},
		{"as Cursor's tool has it", `{"title":"T","questions":[{"id":"x","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}],"allow_multiple":true}]}`, "x:checkbox +other [a] [b]"},
		{"as Gemini's tool has it", `{"questions":[{"question":"Which?","header":"H","type":"choice","options":[{"label":"A","description":"x"},{"label":"B","description":"y"}]},{"question":"Go on?","type":"yesno"}]}`, "q1:multiple_choice #H +other [a (x)] [b (y)]; q2:boolean [true] [false]"},
		{"one question as a string", `{"question":"{\"question\":\"Which?\"}"}`, "q1:text"},
		{"follow-ups as a string", `{"question":"Which?","options":["A","B"],"follow_up_questions":"{\"A\":[{\"question\":\"2?\"}]}"}`, "q1:multiple_choice +other [a > q1.a.1:text] [b]"},
		{"choice of several", `{"questions":[{"question":"Which?","type":"multiple_choice","multiSelect":true,"options":["A","B"]}]}`, "q1:checkbox +other [a] [b]"},
		{"boolean", `{"questions":[{"question":"Go on?","type":"boolean","default":false,"required":false}]}`, "q1:boolean optional [true] [false*]"},
		{"boolean with its own words", `{"questions":[{"question":"Go on?","type":"boolean","options":[{"label":"No","description":"stop"},{"label":"Yes"}]}]}`, "q1:boolean [true] [false (stop)]"},
		{"boolean with ids of its own", `{"questions":[{"question":"Go on?","type":"boolean","default":"proceed","options":[{"id":"stop","label":"No, cancel"},{"id":"proceed","label":"Yes, proceed"}],"follow_up_questions":{"stop":[{"question":"Why?"}]}}]}`,
			"q1:boolean [true*] [false > q1.false.1:text]"},
		{"boolean in Chinese", `{"questions":[{"question":"继续？","type":"boolean","options":["是","否"],"default":"否"}]}`, "q1:boolean [true] [false*]"},
		{"choice between yes and no", `{"questions":[{"question":"Go on?","options":[{"label":"Yes, proceed"},{"label":"No, cancel"}]}]}`, "q1:multiple_choice +other [yes-proceed] [no-cancel]"},
		{"own Other is ours", `{"questions":[{"question":"Which?","options":["A","B","C","D","Other (please say)"]}]}`, "q1:multiple_choice +other=Other (please say) [a] [b] [c] [d]"},
		{"own Other where none is allowed", `{"questions":[{"question":"Which?","options":["A","Other"],"allow_custom":false}]}`, "q1:multiple_choice [a] [other]"},
		{"labels without letters", `{"questions":[{"question":"Which?","options":["+","-"]}]}`, "q1:multiple_choice +other [option-1] [option-2]"},
		{"an id that is made is no other label", `{"question":"Which language?","options":["c++","c"],"default":"c"}`, "q1:multiple_choice +other [c-2] [c*]"},
		{"labels that differ in case", `{"question":"Which?","options":["A","a"],"default":"a"}`, "q1:multiple_choice +other [a-2] [a-3*]"},
		{"follow-ups by label, three deep", `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{"A":[{"question":"2?","options":["C","D"],"follow_up_questions":{"D":[{"question":"3?","options":["E","F"],"follow_up_questions":{"e":[{"question":"4?"}]}}]}}]}}]}`,
			"q1:multiple_choice +other [a > q1.a.1:multiple_choice +other [c] [d > q1.a.1.d.1:multiple_choice +other [e > q1.a.1.d.1.e.1:text] [f]]] [b]"},
		{"follow-ups inside an option", `{"questions":[{"question":"1?","options":[{"label":"A","follow_up_questions":[{"question":"2?","options":[{"label":"C"},{"label":"D","follow_ups":[{"question":"3?"}]}]}]},{"label":"B"}],"follow_up_questions":{"b":[{"question":"4?"}]}}]}`,
			"q1:multiple_choice +other [a > q1.a.1:multiple_choice +other [c] [d > q1.a.1.d.1:text]] [b > q1.b.1:text]"},
		{"ids that collide with derived ones", `{"questions":[{"question":"1?"},{"question":"2?","question_id":"q1"}]}`, "q1-2:text; q1:text"},
		{"collected", `{"questions":[{"question":"1?","options":["A","B"]},{"question":"2?"}],"answers":{"1?":"B"}}`, "q1:multiple_choice +other [a] [b] collected by caller b; q2:text"},
		{"answers and metadata as strings", `{"question":"1?","answers":"{}","metadata":"{\"a\":1}"}`, "q1:text"},
		{"other names of types", `[{"question":"1?","type":"number"},{"question":"2?","type":"free_text"},` +
			`{"question":"3?","type":"bool"},{"question":"4?","type":"multi","options":["A","B"]}]`,
			"q1:text; q2:text; q3:boolean [true] [false]; q4:checkbox +other [a] [b]"},
		{"text, follow_up, title", `{"text":"1?","follow_up":[{"text":"A","mode":null},{"title":"B","value":"b"}]}`,
			"q1:multiple_choice +other [a] [b]"},
		{"message, suggestions, allow_freeform", `{"message":"1?","suggestions":["A","B"],"allow_freeform":false}`,
			"q1:multiple_choice [a] [b]"},
		{"choices, multiple", `{"question":"1?","choices":["A","B"],"multiple":true}`, "q1:checkbox +other [a] [b]"},
		{"a header cut between two words", `{"question":"1?","header":"The database of the shop"}`, "q1:text #The database"},
		{"a header cut behind a blank", `{"question":"1?","header":"Which store of data"}`, "q1:text #Which store"},
		{"unknown members", `{"questions":[{"question":"1?","hint":3}],"wait_for_previous":true}`, "q1:text"},
	} {
		c, err := DecodeAsk([]byte(tc.in), mcpLimits())
		if got := compact(c.Set.Questions); err != nil || got != tc.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", tc.name, err, got, tc.want)
		}
		again(t, c.Set)
	}
}

// The call around the arguments is taken too, and its id kept.
func TestDecodeEnvelopes(t *testing.T) {
	const block = `{"type":"tool_use","id":"toolu_1","name":"ask_user_question","input":{"questions":[{"question":"Which?"}]}}`
	for _, tc := range []struct {
		in, toolUse string
		rounds      int
	}{
		{`{"question":"Which?"}`, "", 0},
		{`{"type":"ask_user_question","question":{"question_text":"Which?"},"tool_use_id":"toolu_x"}`, "toolu_x", 0},
		{`{"name":"ask_user_question","input":{"question_id":"q1","question_text":"Which?"}}`, "", 0},
		{`{"name":"ask_user_question","arguments":"{\"question\":\"Which?\",\"total_rounds\":3}"}`, "", 3},
		{`{"name":"ask_user_question","parameters":{"question":"Which?"}}`, "", 0},
		{`{"params":{"questions":[{"question":"Which?"}]}}`, "", 0},
		{`{"args":{"question":"Which?"}}`, "", 0},
		{block, "toolu_1", 0},
		{`{"question":"Which?","input":{"question":"Another?"},"metadata":{"total_rounds":2}}`, "", 2},
		{`{"question":"Which?","tool_use_id":5,"total_rounds":-1,"metadata":{"total_rounds":"x"}}`, "", 0},
	} {
		c, err := DecodeAsk([]byte(tc.in), mcpLimits())
		if err != nil || compact(c.Set.Questions) != "q1:text" || c.ToolUse != tc.toolUse || c.Rounds != tc.rounds {
			t.Errorf("%s: %v, %q, %q, %d", tc.in, err, compact(c.Set.Questions), c.ToolUse, c.Rounds)
		}
	}
	c, err := DecodeConfirm([]byte(`{"type":"tool_use","id":"toolu_2","name":"confirm_action","input":{"action":"Delete?"}}`), mcpLimits())
	if err != nil || c.Set.Questions[0].Text != "Delete?" || c.ToolUse != "toolu_2" {
		t.Error(c, err)
	}
	if _, err := DecodeAsk([]byte(`{"name":"ask_user_question","input":{"header":"H"}}`), mcpLimits()); err == nil || !strings.Contains(err.Error(), "questions: is required") {
		t.Error(err)
	}
}

// again feeds a set as a record keeps it back as a call, which asks the same questions anew.
func again(t *testing.T, set question.Set) {
	t.Helper()
	for _, q := range set.All() {
		set.Find(q.ID).Collected = nil
	}
	data, err := json.Marshal(set)
	fatal.If(t, err)
	for _, in := range []string{string(data), strings.ReplaceAll(string(data), `"follow_up_questions"`, `"follow_ups"`)} {
		c, err := DecodeAsk([]byte(in), mcpLimits())
		if err != nil || !reflect.DeepEqual(c.Set, set) {
			t.Errorf("%s asks something else: %v\ngot  %+v\nwant %+v", in, err, c.Set, set)
		}
	}
}

func TestDecodeFaults(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"all of them, with their paths", `{"questions":[{"question":"","header":"Authentication","options":[{"label":"A","description":""}],"multiSelect":"yes"},{"options":[{"label":"A"},{"label":"B"},{"label":"C"},{"label":"D"},{"label":"E"}]}],"timeout_seconds":"soon","metadata":1}`,
			`questions[0].multiSelect: must be true or false, is "yes"
questions[0].options[0].description: must not be empty where it is given
metadata: must be an object, is 1
timeout_seconds: must be a number of seconds, 0 or more, is "soon"
questions[0].question: is required and must not be empty
questions[0].header: must be at most 12 characters long, is 14
questions[0].options: must have 2 to 4 options, has 1: without options the answer is free text
questions[1].question: is required and must not be empty
questions[1].options: must have 2 to 4 options, has 5: offer the 4 that differ most, as the user can also write an answer, or ask two questions`},
		{"what cannot be read is not missing as well", `{"questions":[{"question":7,"options":"A, B"}]}`,
			"questions[0].question: must be a string, is 7\nquestions[0].options: must be an array of options, is \"A, B\""},
		{"one too many, and what is wrong inside", `{"questions":[{"question":"1?","options":["A",""]},{"question":"2?","type":"slider"},{"question":"3?"},{"question":"4?"},{"question":" "}]}`,
			`questions: must have 1 to 4 questions, has 5: ask the others in another call
questions[0].options[1].label: is required and must not be empty
questions[1].type: must be one of: ` + strings.Join(question.Types(), ", ") + `; is "slider"
questions[4].question: is required and must not be empty`},
		{"E: same length", `{"question":"1?","options":["A","B"],"descriptions":["only one"]}`, "questions[0].descriptions: must have the same length as options, has 1 for 2"},
		{"E: descriptions of no options", `{"question":"1?","option":["A","B"],"descriptions":["a","b"]}`,
			"questions[0].descriptions: must have the same length as options, has 2 for 0"},
		{"E: default that is null in a list", `{"question":"1?","options":["A","B"],"default":[null]}`,
			"questions[0].default: null is none of the options; give an index from 0 to 1, an id or a label"},
		{"E: default that is none of them", `{"question":"1?","options":["A","B"],"default":7}`, "questions[0].default: 7 is none of the options; give an index from 0 to 1, an id or a label"},
		{"boolean with options that are neither", `{"questions":[{"question":"1?","type":"boolean","options":["Yes","Perhaps"]}]}`, "questions[0].options: a boolean question takes no options of its own; use multiple_choice"},
		{"faults of follow-ups name the option by its id, once", `{"questions":[{"question":"1?","options":["Alpha","Beta"],"follow_up_questions":{"Alpha":[{"question":7}]}}]}`, "questions[0].follow_up_questions.alpha[0].question: must be a string, is 7"},
		{"faults of follow-ups inside an option too", `{"questions":[{"question":"1?","options":["Alpha",{"label":"Beta","follow_up_questions":[{"question":7}]}]}]}`, "questions[0].follow_up_questions.beta[0].question: must be a string, is 7"},
		{"answer to nothing", `{"questions":[{"question":"1?"}],"answers":{"2?":"x"}}`,
			`answers["2?"]: no single question has this text, id or header`},
	} {
		_, err := DecodeAsk([]byte(tc.in), question.DefaultLimits())
		want := "Validation failed\n- " + strings.ReplaceAll(tc.want, "\n", "\n- ")
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.name, err, want)
		}
	}
}

// Follow-ups that no answer can bring up are left out, and named; the rest is
// asked.
func TestImpossibleFollowUps(t *testing.T) {
	deep := `{"question":"5?"}`
	for i := 4; i > 0; i-- {
		deep = fmt.Sprintf(`{"question":"%d?","options":["A","B"],"follow_up_questions":{"a":[%s]}}`, i, deep)
	}
	for _, tc := range []struct{ name, in, questions, dropped string }{
		{"of no option", `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{"C":[{"question":"2?"}],"B":[{"question":"3?"}]}}]}`,
			"q1:multiple_choice +other [a] [b > q1.b.1:text]", "questions[0].follow_up_questions.C is none of its options"},
		{"the source document's own", `{"type":"ask_user_question","question":{"question_id":"auth_strategy_01","question_text":"确定吗？","type":"multiple_choice","options":[{"id":"option_a","label":"A"},{"id":"option_b","label":"B"}],"follow_up_questions":{"oauth2":[{"question_id":"p","question_text":"2?","type":"checkbox","options":["Google","GitHub"]}]}}}`,
			"auth_strategy_01:multiple_choice +other [option_a] [option_b]", "questions[0].follow_up_questions.oauth2 is none of its options"},
		{"of a text", `{"question":"1?","follow_up_questions":{"a":[{"question":"2?"}]}}`, "q1:text", "questions[0].follow_up_questions.a is none of its options"},
		{"of free text", `{"questions":[{"question":"1?","options":["A","B",{"label":"Other","follow_up_questions":[{"question":"2?"}]}]}]}`,
			"q1:multiple_choice +other=Other [a] [b]", "questions[0].follow_up_questions belongs to free text"},
		{"too deep", `{"questions":[` + deep + `]}`, "", "questions[0].follow_up_questions.a[0].follow_up_questions.a[0].follow_up_questions.a[0].follow_up_questions.a is more than 3 levels deep"},
		{"none at all", `{"question":"1?","follow_up_questions":{"a":[]}}`, "q1:text", ""},
	} {
		c, err := DecodeAsk([]byte(tc.in), mcpLimits())
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got := compact(c.Set.Questions); got != tc.questions && tc.questions != "" {
			t.Errorf("%s: asked %s, want %s", tc.name, got, tc.questions)
		}
		if got := strings.Join(c.Dropped, "|"); got != tc.dropped {
			t.Errorf("%s: dropped %s, want %s", tc.name, got, tc.dropped)
		}
	}
}

// Follow-ups that ask nothing are none, in the forms in which models write that.
func TestEmptyFollowUps(t *testing.T) {
	for _, empty := range []string{
		`null`, `false`, `{}`, `[]`, `""`, `" "`, `"null"`, `[{}]`, `"{}"`, `"[]"`, `"[{}]"`,
	} {
		for form, in := range map[string]string{
			"inside an option":        `{"questions":[{"question":"1?","options":[{"label":"A","follow_up_questions":EMPTY},"B"]}]}`,
			"inside Other":            `{"questions":[{"question":"1?","options":["A","B",{"label":"Other","follow_up_questions":EMPTY}]}]}`,
			"beside the options":      `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":EMPTY}]}`,
			"of each option":          `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{"A":EMPTY,"C":EMPTY}}]}`,
			"a question as an object": `{"question":{"question":"1?","options":[{"label":"A","follow_ups":EMPTY},"B"]}}`,
			"a bare array":            `[{"question":"1?","options":[{"label":"A","follow_ups":EMPTY},"B"],"follow_up_questions":EMPTY}]`,
			"of a text":               `{"question":"1?","follow_up_questions":EMPTY}`,
		} {
			in := strings.ReplaceAll(in, "EMPTY", empty)
			c, err := DecodeAsk([]byte(in), mcpLimits())
			if err != nil || len(c.Dropped) > 0 || len(c.Set.All()) != 1 {
				t.Errorf("%s: %s: asked %s, dropped %q, %v", form, in, compact(c.Set.Questions), c.Dropped, err)
			}
		}
	}
}

// What an agent writes at length is kept whole, and so is what it says beside its questions.
func TestDecodeMembers(t *testing.T) {
	long := strings.Repeat("字", 300)
	in := `{"questions":[{"question":"1?","header":"` + long[:3*100] + `","options":["B",{"label":"` + long +
		`","description":"` + long + `"}]}],"timeout_seconds":90,"on_timeout":"default","wait":false,"metadata":{"source":"remember"}}`
	c, err := DecodeAsk([]byte(in), mcpLimits())
	fatal.If(t, err)
	q := c.Set.Questions[0]
	if q.Header != long[:3*100] || q.Options[1].Label != long || q.Options[1].Description != long {
		t.Error("a long text was not kept whole")
	}
	if c.Timeout != 90*time.Second || c.OnTimeout != "default" || !c.NoWait || c.Set.Metadata["source"] != "remember" {
		t.Errorf("the call has %v, %q, %t, %v", c.Timeout, c.OnTimeout, c.NoWait, c.Set.Metadata)
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

// What is wrong with an argument is said with its path, what was expected and
// what came, in the words of JSON: a type of Go's means nothing to an agent.
func TestWrongTypes(t *testing.T) {
	ask := func(data []byte) error { _, err := DecodeAsk(data, mcpLimits()); return err }
	confirm := func(data []byte) error { _, err := DecodeConfirm(data, mcpLimits()); return err }
	await := func(data []byte) error { _, _, err := DecodeAwait(data); return err }
	inQuestion := func(member string) string {
		return `{"questions":[{"question":"1?","options":["A","B"],` + member + `}]}`
	}
	inOption := func(member string) string {
		return `{"questions":[{"question":"1?","options":["A",{"label":"B",` + member + `}]}]}`
	}
	for _, tc := range []struct {
		decode   func([]byte) error
		in, want string
	}{
		{ask, `null`, `questions: must have 1 to 4 questions, has 0`},
		{ask, `{"questions":7}`, `questions: must be an array of questions, is 7`},
		{ask, `{"questions":{"questions":{"questions":[]}}}`, `questions: must be an array of questions, is {"questions":[]}`},
		{ask, `{"questions":[7]}`, `questions[0]: must be an object, is 7`},
		{ask, inQuestion(`"header":["A"]`), `questions[0].header: must be a string, is ["A"]`},
		{ask, inQuestion(`"multiSelect":1`), `questions[0].multiSelect: must be true or false, is 1`},
		{ask, inQuestion(`"default":{"a":1}`), `questions[0].default: {"a":1} is none of the options; give an index from 0 to 1, an id or a label`},
		{ask, inQuestion(`"descriptions":["x",7]`), `questions[0].descriptions[1]: must be a string, is 7`},
		{ask, inQuestion(`"follow_up_questions":[7]`), `questions[0].follow_up_questions: must be an object keyed by option, is [7]`},
		{ask, inQuestion(`"follow_up_questions":{"a":7}`), `questions[0].follow_up_questions.a: must be an array of questions, is 7`},
		{ask, `{"questions":[{"question":"1?","default":7}]}`, `questions[0].default: must be a string, is 7`},
		{ask, `{"questions":[{"question":"1?","options":{"a":"` + strings.Repeat("x", 50) + `"}}]}`, `questions[0].options: must be an array of options, is an object`},
		{ask, `{"questions":[{"question":"1?","options":["A",7]}]}`, `questions[0].options[1]: must be an object or a string, is 7`},
		{ask, inOption(`"id":7`), `questions[0].options[1].id: must be a string, is 7`},
		{ask, inOption(`"default":"yes"`), `questions[0].options[1].default: must be true or false, is "yes"`},
		{ask, inOption(`"follow_up_questions":7`), `questions[0].follow_up_questions.b: must be an array of questions, is 7`},
		{ask, `{"question":"1?","session_id":7}`, `session_id: must be a string, is 7`},
		{ask, `{"question":"1?","session_id":"` + strings.Repeat("x", 201) + `"}`, `session_id: must be at most 200 characters long, is 201`},
		{ask, `{"question":"1?","on_timeout":"yes"}`, `on_timeout: must be default or none, is "yes"`},
		{ask, `{"question":"1?","answers":"x"}`, `answers: must be an object keyed by question, or an array of responses, is "x"`},
		{ask, `{"question":"1?","answers":{"1?":7}}`, `answers["1?"]: must be a string, is 7`},
		{confirm, `[]`, `arguments: must be an object, is []`},
		{confirm, `{}`, `action: is required and must not be empty`},
		{confirm, `{"action":7}`, `action: must be a string, is 7`},
		{confirm, `{"action":"` + strings.Repeat("x", 501) + `"}`, `action: must be at most 500 characters long, is 501`},
		{confirm, `{"action":"Go","default":"yes"}`, `default: must be true or false, is "yes"`},
		{await, `"01J"`, `arguments: must be an object, is "01J"`},
		{confirm, `{"action":"Go","details":"` + strings.Repeat("x", 10_001) + `"}`, `details: must be at most 10000 characters long, is 10001`},
		{await, `{}`, `id: is required: the id that came with the pending result`},
		{await, `{"id":7}`, `id: must be a string, is 7`},
	} {
		err := tc.decode([]byte(tc.in))
		if want := "Validation failed\n- " + tc.want; err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.in, err, want)
		}
	}
	for _, decode := range []func([]byte) error{ask, confirm, await} {
		var syntax *json.SyntaxError
		if err := decode([]byte(`{"questions":`)); !errors.As(err, &syntax) {
			t.Errorf("broken JSON: %v", err)
		}
	}
}

func TestDecodeConfirm(t *testing.T) {
	for in, want := range map[string]string{
		`{"action":"Delete it"}`:                                               "q1:boolean #Confirm [true] [false]",
		`{"action":"Delete it","default":true}`:                                "q1:boolean #Confirm [true*] [false]",
		`{"action":"Delete it","default":false}`:                               "q1:boolean #Confirm [true] [false*]",
		`{"action":"Delete it","details":"` + strings.Repeat("x", 2000) + `"}`: "q1:boolean #Confirm [true] [false]",
	} {
		limits := mcpLimits()
		limits.Header = 3 // the header is ours
		c, err := DecodeConfirm([]byte(in), limits)
		if got := compact(c.Set.Questions); err != nil || got != want {
			t.Errorf("%.60s: %v\ngot  %s\nwant %s", in, err, got, want)
		}
	}
}

// Whatever the arguments, DecodeAsk gives a set that keeps the limits, or says
// what is wrong.
func FuzzDecodeAsk(f *testing.F) {
	for _, s := range []string{
		`{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}],"follow_up_questions":{"A":[{"question":"2?"}]}}]}`,
		`{"question":"Which?","options":["A","Other"],"descriptions":["x","y"],"default":"A"}`,
		`{"questions":[{"question":"1?","options":["A",{"label":"B","follow_ups":[{"question":"2?"}]}],"other":{"label":"X"}}],"answers":{"1?":"A"}}`,
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
		again(t, c.Set)
		for _, q := range c.Set.All() {
			if q.ID == "" {
				t.Fatalf("%s: a question without id", in)
			}
		}
	})
}

// Several ids are a list in any of its spellings, without duplicates, and without the quotation marks of
// our own text, which models copy.
func TestDecodeAwait(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"01J"}`:                     "01J",
		`{"id":"\"01J\""}`:                 "01J",
		`{"ticket":" '01J'\n"}`:            "01J",
		"{\"id\":\"`01J`\"}":               "01J",
		`{"ids":["01A","01B"]}`:            "01A 01B",
		`{"id":"01A","ids":["01B","01A"]}`: "01A 01B",
		`{"ids":"[\"01A\",\"01B\"]"}`:      "01A 01B",
		`{"id":["01A","01B"],"wait":true}`: "01A 01B",
		`{"id":"01A","wait":false}`:        "01A, without waiting",
		`{"ids":[]}`:                       "Validation failed\n- id: is required: the id that came with the pending result",
		`{"ids":[1]}`:                      "Validation failed\n- ids: must be a string, is 1",
		`{"ids":["01A"],"wait":"maybe"}`:   "Validation failed\n- wait: must be true or false, is \"maybe\"",
	} {
		ids, noWait, err := DecodeAwait([]byte(in))
		got := strings.Join(ids, " ")
		if noWait {
			got += ", without waiting"
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// Whatever the arguments, the other two decoders give what is whole, or say
// what is wrong.
func FuzzDecodeConfirmAndAwait(f *testing.F) {
	for _, s := range []string{`{"action":"Go","details":"x","default":true}`, `{"id":"01J"}`, `{"ticket":" "}`, `[]`, `{`, `null`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		l := mcpLimits()
		if c, err := DecodeConfirm([]byte(in), l); err == nil {
			if v := c.Set.Validate(l); v != nil || len(c.Set.Questions) != 1 || !c.Set.Questions[0].Confirms() {
				t.Fatalf("%s: accepted %+v with %v", in, c.Set, v)
			}
		}
		if ids, _, err := DecodeAwait([]byte(in)); err == nil && (len(ids) == 0 || slices.Contains(ids, "")) {
			t.Fatalf("%s: accepted without an id", in)
		}
	})
}

// Models put arrays into strings, and forget to escape what is in them. They must learn where:
// "must be an array" is what they believe to have written.
func TestBrokenJSONInString(t *testing.T) {
	for call, want := range map[string]string{
		`{"questions":"[{\"question\":\"Keep „X\" as is?\",\"options\":[\"A\",\"B\"]}]"}`:   `questions: must be an array of questions, is a string whose JSON breaks after …[{"question":"Keep „X" a (invalid character 'a' after object key:value pair); write it as JSON, not as a string`,
		`{"questions":"[{\"question\":\"Q?\",\"options\":[\"A\",\"B\"]}]</questions>"}`:     `"options":["A","B"]}]< (invalid character '<' after top-level value)`,
		`{"questions":"[{\"question\":\"Q?\",\"options\":[\"A\",\"B\"]}"}`:                  `(unexpected end of JSON input)`,
		`{"questions":["{\"question\":\"Keep „X\" as is?\"}"]}`:                             `questions[0]: must be an object, is a string whose JSON breaks after`,
		`{"questions":[{"question":"Q?","options":"[\"A\", \"B]"}]}`:                        `questions[0].options: must be an array of options, is a string whose JSON breaks after`,
		`"{\"questions\":[{\"question\":\"Keep „X\" as is?\",\"options\":[\"A\",\"B\"]}]}"`: `arguments: must be an object, is a string whose JSON breaks after`,
	} {
		if _, err := DecodeAsk([]byte(call), question.DefaultLimits()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v, want\n%s", call, err, want)
		}
	}
}
