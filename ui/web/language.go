package web

import (
	"net/http"
	"slices"
	"sync"

	"golang.org/x/text/language"

	"mcp-askuser/ui/words"
)

// matcher finds the best of our languages for those that a browser accepts. A reader of
// traditional Chinese gets simplified Chinese rather than English.
var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, l := range words.Languages() {
		tags = append(tags, language.Make(string(l)))
	}
	return language.NewMatcher(append(tags, language.TraditionalChinese))
})

// languageOf is the language of a response to a person: the one in the options, else the
// best of those that the browser accepts.
func (s *Server) languageOf(r *http.Request) words.Language {
	if slices.Contains(words.Languages(), s.Language) {
		return s.Language
	}
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // none where it cannot be read
	tag, _, _ := matcher().Match(wanted...)
	base, _ := tag.Base()
	return words.Language(base.String())
}
