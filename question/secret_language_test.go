package question

import "testing"

// Secrets are recognized in each language in which people answer.
func TestSecretInPortuguese(t *testing.T) {
	for text, want := range map[string]bool{
		"Qual é a sua senha?":                    true,
		"Digite a senha do banco de dados":       true,
		"Cole o token do GitHub":                 true,
		"Informe a chave de API":                 true,
		"A senha deve ter no mínimo 12 letras?":  false,
		"Qual é a política de senhas do projeto": false,
		"Qual banco de dados?":                   false,
		"Qual chave primária?":                   false,
	} {
		set := Set{Questions: []Question{{ID: "q1", Text: text, Type: Text}}}
		if got := set.Secret() != nil; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
