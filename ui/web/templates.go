package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

//go:embed templates/*.html
var templates embed.FS

// assets are the scripts, styles and icons, the same for every client.
//
//go:embed assets
var assets embed.FS

// pages are the templates in each language. They are parsed for the first page: most
// runs of the program show none.
var pages = func() map[words.Language]func() *template.Template { //nolint:gochecknoglobals // caches
	out := map[words.Language]func() *template.Template{}
	for _, l := range words.Languages() {
		out[l] = sync.OnceValue(func() *template.Template {
			return template.Must(template.New("").Funcs(functions(l)).ParseFS(templates, "templates/*.html"))
		})
	}
	return out
}()

// literal is the type of texts in templates: no value has it.
type literal string

// functions are the functions of the templates in a language. The texts of t and n are
// HTML; their arguments are escaped unless they are HTML from a function here.
func functions(l words.Language) template.FuncMap {
	md := newMarkdown()
	filled := func(args []any) []any {
		for i, a := range args {
			switch a.(type) {
			case int, template.HTML:
			default:
				args[i] = template.HTMLEscaper(a)
			}
		}
		return args
	}
	clock := func(t time.Time) template.HTML { return stamp(t, l.T("2 Jan 2006, 15:04")) }
	return template.FuncMap{
		"lang": func() string { return string(l) },
		"t": func(text literal, args ...any) template.HTML {
			return template.HTML(l.T(string(text), filled(args)...)) //nolint:gosec // a text of ours
		},
		"n": func(n int, one, many literal, args ...any) template.HTML {
			return template.HTML(l.N(n, string(one), string(many), filled(args)...)) //nolint:gosec // as above
		},

		"json": func(v any) (string, error) {
			data, err := json.Marshal(v)
			return string(data), err
		},

		"line":    question.Line,
		"lines":   question.Block,
		"prose":   func(text string) template.HTML { return prose(md, text) },
		"preview": func(text string) template.HTML { return preview(md, text) },

		"client":  l.Client,
		"project": words.Project,

		"clock": clock,
		"at": func(t time.Time) template.HTML { // today without its date
			if t.Local().Format(time.DateOnly) == time.Now().Format(time.DateOnly) {
				return stamp(t, "15:04")
			}
			return clock(t)
		},

		"types": func() string { return strings.Join(question.FileTypes(), ",") },
		"of":    func(id string, all []question.Response) any { return responses{id, all} },

		"chosen": func(a *question.Answer, option string) bool {
			return a != nil && slices.Contains(a.Selected, option)
		},
		"answered": func(xs []question.Response) bool {
			return slices.ContainsFunc(xs, func(x question.Response) bool { return x.Answer != nil })
		},
	}
}

// stamp is a time as an element.
func stamp(t time.Time, layout string) template.HTML {
	const element = `<time datetime="%s">%s</time>`
	text := template.HTMLEscapeString(t.Local().Format(layout))
	return template.HTML(fmt.Sprintf(element, t.UTC().Format(time.RFC3339), text)) //nolint:gosec // escaped here
}
