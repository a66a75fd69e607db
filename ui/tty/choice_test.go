package tty

import (
	"reflect"
	"strings"
	"testing"

	"mcp-askuser/question"
)

func choices(kind question.Type, labels ...string) *question.Question {
	q := &question.Question{ID: "q", Text: "Which?", Type: kind, Required: true, AllowCustom: true}
	for _, l := range labels {
		q.Options = append(q.Options, question.Option{ID: "id-" + strings.ToLower(l), Label: l})
	}
	return q
}

func boolean() *question.Question {
	return &question.Question{ID: "q", Text: "Sure?", Type: question.Boolean, Required: true, Options: []question.Option{
		{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"},
	}}
}

func TestUnderstand(t *testing.T) {
	single := choices(question.SingleChoice, "Postgres", "SQLite", "None, thanks")
	several := choices(question.MultiChoice, "Auth", "Logs", "Auth, Logs", "Mail")
	closed := choices(question.SingleChoice, "Left", "Right")
	closed.AllowCustom = false
	text := &question.Question{ID: "q", Text: "Name?", Type: question.Text, Required: true}

	for _, tt := range []struct {
		name string
		q    *question.Question
		line string
		want reading // of a fault, part of it
	}{
		{"number", single, "1", reading{selected: []string{"id-postgres"}}},
		{"wide number", single, "２", reading{selected: []string{"id-sqlite"}}},
		{"back", single, "b", reading{command: goBack}},
		{"leave open", single, "-", reading{command: leaveOpen}},
		{"several with both", several, " 1 ,  4 ", reading{selected: []string{"id-auth", "id-mail"}}},
		{"several with wide commas", several, "１，４", reading{selected: []string{"id-auth", "id-mail"}}},
		{"several and other", several, "1,0", reading{selected: []string{"id-auth"}, other: true}},
		{"y", boolean(), "y", reading{selected: []string{question.YesID}}},
		{"no", boolean(), "NO", reading{selected: []string{question.NoID}}},
		{"text", text, "0", reading{custom: "0"}},
		{"command at a text", text, ":b", reading{command: goBack}},
		{"command in wide characters", text, "：？", reading{command: help}},
		{"note on yes or no", boolean(), ":n", reading{command: note}},

		{"number beyond the options", single, "4", reading{fault: "4 is no option"}},
		{"zero without other", closed, "0", reading{fault: "0 is no option"}},
		{"a name", single, "sqlite", reading{fault: "sqlite is no option"}},
		{"several for one", single, "1,2", reading{fault: "Only one answer"}},
		{"one of several is none", several, "1,9", reading{fault: "9 is no option"}},
		{"only commas", several, ",,", reading{fault: "names no option"}},
		{"a yes with a condition", boolean(), "yes, but keep the backups",
			reading{fault: "yes, but keep the backups is no option"}},
		{"a no with a condition", boolean(), "n，not yet", reading{fault: "is no option"}},
		{"long nonsense is cut", single, strings.Repeat("x", 5000), reading{fault: "x… is no option"}},
	} {
		got := parseLine(tt.q, tt.line)
		if tt.want.fault != "" && strings.Contains(got.fault, tt.want.fault) {
			got.fault = tt.want.fault
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: parseLine(%q) = %+v, want %+v", tt.name, tt.line, got, tt.want)
		}
	}
}
