package web

import (
	"net/http"
	"slices"

	"golang.org/x/text/language"

	"mcp-askuser/ui/words"
)

// languageOf is the language of a response to a person: the one in the options, else the
// first of ours that the browser accepts.
func (s *Server) languageOf(r *http.Request) words.Language {
	ours := words.Languages()
	if slices.Contains(ours, s.Language) {
		return s.Language
	}
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // none where it cannot be read
	for _, tag := range wanted {
		base, _ := tag.Base()
		if slices.Contains(ours, words.Language(base.String())) {
			return words.Language(base.String())
		}
	}
	return words.English
}
