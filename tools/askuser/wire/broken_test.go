package wire

import (
	"strings"
	"testing"

	"mcp-askuser/question"
)

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

// Some parsers of tool calls make objects keyed by index of arrays, and models use the names
// of the tools that they know from elsewhere: no option may be lost.
func TestForeignForms(t *testing.T) {
	limits := question.DefaultLimits()
	limits.Lenient = true
	for _, call := range []string{
		`{"questions":{"0":{"question":"Which?","options":{"0":{"label":"A"},"1":{"label":"B"}}}}}`,
		`{"question":"Which?","follow_up":[{"text":"A","mode":null},{"text":"B","mode":null}]}`,
		`{"question":"Which?","follow_up":{"0":{"text":"A"},"1":{"text":"B"}}}`,
		`{"question":"Which?","suggestions":["A","B"]}`,
		`{"questions":[{"id":"a","message":"Which?","options":["A","B"]}]}`,
		`{"params":{"questions":[{"question":"Which?","options":["A","B"]}]}}`,
		`{"args":{"question":"Which?","choices":["A","B"],"allow_freeform":true}}`,
	} {
		got, err := DecodeAsk([]byte(call), limits)
		if err != nil || len(got.Set.Questions) != 1 || got.Set.Questions[0].Text != "Which?" ||
			len(got.Set.Questions[0].Options) != 2 {
			t.Errorf("%s: %+v, %v", call, got.Set.Questions, err)
		}
	}
	got, err := DecodeAsk([]byte(`{"question":"Which?","options":["A","B"],"allow_freeform":false}`), limits)
	if err != nil || got.Set.Questions[0].AllowCustom {
		t.Errorf("%+v, %v", got.Set.Questions, err)
	}
}
