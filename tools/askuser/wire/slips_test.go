package wire

import (
	"strings"
	"testing"

	"mcp-askuser/question"
)

// What models write slightly wrong, and what is asked all the same.
func TestSlips(t *testing.T) {
	long := strings.Repeat("h", 300)
	for call, want := range map[string]question.Type{
		`{"questions":"\"[{\\\"question\\\":\\\"Which?\\\",\\\"options\\\":[\\\"A\\\",\\\"B\\\"]}]\""}`:                           question.SingleChoice,
		`{"name":"ask_user_question","parameters":{"question":"Which?","options":["A","B"]}}`:                                     question.SingleChoice,
		`{"questions":[{"text":"Which?","options":[{"text":"A"},{"title":"B","value":"b"}]}]}`:                                    question.SingleChoice,
		`{"questions":[{"question":"Which?","header":"` + long + `","options":["A","B"]}],"answers":"{}","metadata":"{\"a\":1}"}`: question.SingleChoice,
		`{"question":"Which?","type":"multi","options":["A","B"]}`:                                                                question.MultiChoice,
		`{"question":"Which?","type":"number"}`:                                                                                   question.Text,
		`{"question":"Which?","type":"free_text"}`:                                                                                question.Text,
		`{"question":"Which?","type":"bool"}`:                                                                                     question.Boolean,
	} {
		limits := question.DefaultLimits()
		limits.Lenient = true
		got, err := DecodeAsk([]byte(call), limits)
		if err != nil || got.Set.Questions[0].Text != "Which?" || got.Set.Questions[0].Type != want {
			t.Errorf("%s: %+v, %v", call, got.Set.Questions, err)
		}
	}
}

// A refused call says what to do.
func TestAdvice(t *testing.T) {
	five := strings.Repeat(`{"question":"q","type":"text"},`, 5)
	for call, want := range map[string]string{
		`{"question":"Which?","options":["A"]}`:                     "without options",
		`{"questions":[` + strings.TrimSuffix(five, ",") + `]}`:     "another call",
		`{"question":"Which?","options":["A","B","C","D","E","F"]}`: "offer the 4 that differ most",
	} {
		if _, err := DecodeAsk([]byte(call), question.DefaultLimits()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}
