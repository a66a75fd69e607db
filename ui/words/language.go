package words

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/leonelquinteros/gotext"
)

// Language is a language of the program's texts for people, by its ISO 639 code. The
// texts in the code are English. A text without a translation stays English.
type Language string

// The languages of the program. Texts for models and programs are always English.
const (
	English    Language = "en"
	Chinese    Language = "zh" // simplified
	Portuguese Language = "pt"
)

// Languages are all of them, English first.
func Languages() []Language { return []Language{English, Chinese, Portuguese} }

// Local is the language of the user of this process. It is set once, before any
// text is used; a browser has a language of its own.
var Local = English //nolint:gochecknoglobals // a process has one, as it has one terminal

// T is [Language.T] in the language of this process.
func T(text string, args ...any) string { return Local.T(text, args...) }

// N is [Language.N] in the language of this process.
func N(n int, one, many string, args ...any) string { return Local.N(n, one, many, args...) }

// Mark returns a text, which is passed to T later. It marks the text for the test that
// looks for missing translations.
func Mark(text string) string { return text }

// T is a text in the language, filled with args as fmt.Sprintf does if there are
// any. A translation may take them in another order: %[2]s.
func (l Language) T(text string, args ...any) string {
	if c := l.catalogue(); c != nil && text != "" { // which is the key of its header
		text = c.Get(text, args[:0]...) // without args, Get formats nothing
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// N is a text about n things, where one is the text for a single one, filled
// with n and then with args: l.N(3, "%d question", "%d questions").
func (l Language) N(n int, one, many string, args ...any) string {
	text := many
	if c := l.catalogue(); c != nil {
		text = c.GetN(one, many, n)
	} else if n == 1 {
		text = one
	}
	return fmt.Sprintf(text, append([]any{n}, args...)...)
}

// Preferred is the language that a setting names, or else, where that is
// "auto", the language of the locale that the environment names.
func Preferred(setting string, getenv func(string) string) Language {
	if setting != "auto" {
		return Language(setting)
	}
	return Spoken(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")))
}

// Spoken is the language of a locale as the environment names it: "zh_CN.UTF-8",
// "pt_BR", "C"; English where the program does not have it.
func Spoken(locale string) Language {
	if end := strings.IndexAny(locale, "_-.@"); end >= 0 {
		locale = locale[:end]
	}
	for _, l := range Languages() {
		if strings.EqualFold(locale, string(l)) {
			return l
		}
	}
	return English
}

//go:embed locale
var locale embed.FS // locale/LANGUAGE/ROOM.po

// catalogues are read when the first text is asked for. English needs none.
var catalogues = func() map[Language]func() *gotext.Po { //nolint:gochecknoglobals // caches
	out := map[Language]func() *gotext.Po{}
	for _, l := range Languages()[1:] {
		out[l] = sync.OnceValue(func() *gotext.Po { return read(l) })
	}
	return out
}()

func (l Language) catalogue() *gotext.Po {
	if c := catalogues[l]; c != nil {
		return c()
	}
	return nil
}

// read reads the catalogues of all rooms as one. Its plural forms are those of
// the first; a test holds all of them to it.
func read(l Language) *gotext.Po {
	files, _ := fs.Glob(locale, "locale/"+string(l)+"/*.po")
	var all []byte
	for _, name := range files {
		text, _ := locale.ReadFile(name) // it is embedded
		all = append(append(all, text...), '\n')
	}
	c := gotext.NewPo()
	c.Parse(all)
	return c
}
