package question

import (
	"regexp"
	"sync"
)

// The specification of MCP forbids asking for passwords, keys and tokens in form
// mode. These tell a question that wants one typed in ("Paste your API token")
// from one about such things ("Which token format?", "Minimum password
// length?").
var (
	secretWord  = expression(`(?i)\b(pass(word|phrase|code)s?|credentials?|secrets?|(api|access|private|ssh|secret|encryption|license)[ _-]?keys?|([a-z]+[ _-])?tokens?|pin( code)?|2fa|otp|cvv|seed phrase|senhas?|chaves? (de api|privadas?|secret[ao]s?|de acesso))\b|密码|口令|密钥|令牌|私钥`)
	secretAbout = expression(`(?i)^[ _-]*(length|count|limit|format|types?|polic|expir|lifetime|ttl|size|rotation|storage|strateg|budget|usage|manager|hash|encr|reset|field|rules?|strength|validation|provider|generat|method|flow|auth|based|or\b|长度|格式|类型|策略|有效期)`)
	secretTyped = expression(`(?i)\b(enter|provide|paste|type in|supply|input|digite|informe|insira|cole)\b|输入|提供|粘贴|填写`)
	secretAsked = expression(`(?i)\b(what('s| is| are)|which|give|send|share|need|please|your|sua|suas|envie|por favor)\b|是什么|哪个|请|您的|你的`)
	secretAlone = expression(`^\s*[?？:：.。!]*\s*$`)
)

// expression compiles a pattern when it is first used: most programs start and
// end without.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Secret returns the first question of the set, follow-ups included, that wants
// a secret as free text, or nil. Clients' forms are not given such a set, and
// its answers are not shown again.
func (s *Set) Secret() *Question {
	return s.find((*Question).WantsSecret)
}

// WantsSecret reports whether q wants a secret as free text. An empty text
// field wants one sooner than the Other of a choice.
func (q *Question) WantsSecret() bool {
	if !q.TakesText() {
		return false
	}
	empty := !q.Chooses()
	for _, text := range []string{q.Header, q.Text, q.Description, q.Placeholder} {
		for _, at := range secretWord().FindAllStringIndex(text, -1) {
			rest := text[at[1]:]
			switch {
			case secretAbout().MatchString(rest):
			case secretTyped().MatchString(text),
				empty && secretAsked().MatchString(text),
				empty && secretAlone().MatchString(rest):
				return true
			}
		}
	}
	return false
}
