package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// The page is in the language of the options, or in the one that the browser likes best.
func TestLanguageOf(t *testing.T) {
	for _, tt := range []struct {
		set    words.Language
		header string
		want   words.Language
	}{
		{"auto", "fr-FR,pt-PT;q=0.7,zh;q=0.3", words.Portuguese},
		{"auto", "zh, \x80;;q=", words.English}, // cannot be read
		{words.Portuguese, "zh", words.Portuguese},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", tt.header)
		if got := (&Server{Options: Options{Language: tt.set}}).languageOf(r); got != tt.want {
			t.Errorf("set to %q, the browser has %q: %q, want %q", tt.set, tt.header, got, tt.want)
		}
	}
}

// What the page says is translated: a page for a user whose language is Chinese is in Chinese, and no
// element has words of its own but names. What programs read is English.
func TestPageInChinese(t *testing.T) {
	g := start(t, func(o *Options) { o.Language = words.Chinese })
	v := g.visitor()
	v.sees("/", `<html lang="zh" dir="ltr">`, "没有问题")
	rec := g.ask("s", text("port"))
	_, refused := v.post("/answer", confirmed(rec.ID))
	g.holds("a refused form", refused, "尚未发送：")
	g.store.FailAnswers(errors.New("disk full"))
	_, refused = v.post("/answer", confirmed(rec.ID, "t0", "8080"))
	g.holds("a form that could not be stored", refused, "无法保存，因此没有发送。")
	g.store.Fail("Get", desk.ErrUnreachable)
	_, refused = v.get("/?id=" + rec.ID)
	g.holds("a question of a desk that does not answer", refused, "共享问答台没有响应")
	g.store.Before(nil)
	g.holds("no visitor", string(g.enter("/").body), "请重新打开网页")
	if said := string(g.task(400, api.InvalidAnswer, `{}`).body); regexp.MustCompile(`\p{Han}`).MatchString(said) {
		t.Errorf("programs read %s", said)
	}

	own := regexp.MustCompile(`(?:Text|Raw|Placeholder|Alt|Aria\("label",|Data\("\w+",) ?\(?"[^"]*[A-Za-z]{3,}[^"]*"`)
	for _, file := range append(must(filepath.Glob("*_html.go")), "elements.go") {
		for _, said := range own.FindAllString(string(must(os.ReadFile(file))), -1) {
			if !strings.Contains(said, "mcp-askuser") && said != `Text("Alt r"` {
				t.Errorf("%s says %s", file, said)
			}
		}
	}
}
