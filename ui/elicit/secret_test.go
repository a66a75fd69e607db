package elicit

import (
	"errors"
	"testing"

	"mcp-askuser/question"
)

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
		c := &script{t: t, err: errors.New("shown")}
		got := show(c, true, q)
		if secret := len(c.sent) == 0; secret != tc.secret {
			t.Errorf("%s: kept out of the form: %v, want %v (%s)", tc.text, secret, tc.secret, got)
		}
	}
	nested := auth()
	nested.Options[0].FollowUps[0].Options[1].FollowUps[0].Text = "Your client secret?"
	c := &script{t: t, err: errors.New("shown")}
	if show(c, true, nested); len(c.sent) != 0 {
		t.Error("a secret in a follow-up reached the client's form")
	}
}
