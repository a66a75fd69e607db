package question

import "testing"

func TestSecret(t *testing.T) {
	for _, tc := range []struct {
		text   string
		typ    Type
		secret bool
	}{
		{"What is your GitHub token?", Text, true},
		{"Please enter the database password:", Text, true},
		{"API key?", Text, true},
		{"Paste the SSH key", Text, true},
		{"请输入您的密码", Text, true},
		{"Enter your API key, or choose", SingleChoice, true},
		{"What is the minimum password length?", Text, false},
		{"Which token format do you prefer?", Text, false},
		{"Where should your app keep its tokens?", SingleChoice, false},
		{"Which authentication method: API keys or OAuth?", SingleChoice, false},
		{"What should the key metric be?", Text, false},
		{"Qual é a sua senha?", Text, true},
		{"Digite a senha do banco de dados", Text, true},
		{"Cole o token do GitHub", Text, true},
		{"Informe a chave de API", Text, true},
		{"A senha deve ter no mínimo 12 letras?", Text, false},
		{"Qual é a política de senhas do projeto", Text, false},
		{"Qual banco de dados?", Text, false},
		{"Qual chave primária?", Text, false},
	} {
		q := Question{ID: "q", Text: tc.text, Type: tc.typ, AllowCustom: tc.typ != Text}
		if q.WantsSecret() != tc.secret {
			t.Errorf("%s: wants a secret: %v", tc.text, !tc.secret)
		}
		if q.AllowCustom = false; tc.typ != Text && q.WantsSecret() {
			t.Errorf("%s: a choice without a text wants a secret", tc.text)
		}
		set := Set{Questions: []Question{{ID: "top", Type: SingleChoice, Options: []Option{{ID: "a", FollowUps: []Question{{ID: "q", Text: tc.text, Type: tc.typ, AllowCustom: true}}}}}}}
		if got := set.Secret(); (got != nil) != tc.secret {
			t.Errorf("%s, as a follow-up: %v", tc.text, got)
		}
	}
}
