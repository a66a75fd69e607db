package elicit

import (
	"regexp"
	"sync"

	"mcp-askuser/question"
)

// The specification forbids asking for passwords, keys and tokens in form
// mode. These tell a question that wants one typed in ("Paste your API token")
// from one about such things ("Which token format?", "Minimum password
// length?").
var (
	secretWord = expression(`(?i)\b(pass(word|phrase|code)s?|credentials?|secrets?|(api|access|private|ssh|secret|encryption|license)[ _-]?keys?|([a-z]+[ _-])?tokens?|pin( code)?|2fa|otp|cvv|seed phrase)\b|密码|口令|密钥|令牌|私钥`)
	about      = expression(`(?i)^[ _-]*(length|count|limit|format|types?|polic|expir|lifetime|ttl|size|rotation|storage|strateg|budget|usage|manager|hash|encr|reset|field|rules?|strength|validation|provider|generat|method|flow|auth|based|or\b|长度|格式|类型|策略|有效期)`)
	typed      = expression(`(?i)\b(enter|provide|paste|type in|supply|input)\b|输入|提供|粘贴|填写`)
	asked      = expression(`(?i)\b(what('s| is| are)|which|give|send|share|need|please|your)\b|是什么|哪个|请|您的|你的`)
	alone      = expression(`^\s*[?？:：.。!]*\s*$`)
)

// expression compiles a pattern when it is first used: most programs start and
// end without.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// WantsSecret reports whether a set asks for a secret, which no client's form
// is given.
func WantsSecret(set *question.Set) bool { return secret(set) != nil }

// secret returns the first question of the set, follow-ups included, that
// wants a secret as free text, or nil.
func secret(set *question.Set) *question.Question {
	for _, q := range set.All() {
		if q.Type == question.Text && wants(q, true) || q.AllowCustom && wants(q, false) {
			return q
		}
	}
	return nil
}

// wants reports whether q wants a secret. An empty text field wants one
// sooner than the Other of a choice.
func wants(q *question.Question, empty bool) bool {
	for _, text := range []string{q.Header, q.Text, q.Description, q.Placeholder} {
		for _, at := range secretWord().FindAllStringIndex(text, -1) {
			rest := text[at[1]:]
			switch {
			case about().MatchString(rest):
			case typed().MatchString(text),
				empty && asked().MatchString(text),
				empty && alone().MatchString(rest):
				return true
			}
		}
	}
	return false
}
