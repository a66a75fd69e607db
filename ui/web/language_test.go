package web

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// The page is in the language of the options, or in the one that the browser likes best.
func TestLanguageOf(t *testing.T) {
	for _, tt := range []struct {
		set    words.Language
		header string
		want   words.Language
	}{
		{"", "", words.English},
		{"auto", "fr", words.English},
		{"auto", "zh-CN,zh;q=0.9,en;q=0.8", words.Chinese},
		{"auto", "zh-Hant-HK,en;q=0.5", words.Chinese},
		{"auto", "fr-FR,pt-PT;q=0.7,zh;q=0.3", words.Portuguese},
		{"auto", "zh;q=0,pt-BR;q=0.1", words.Portuguese},
		{"auto", "en-GB,zh;q=0.9", words.English},
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

var (
	// notTranslated is what a page in Chinese has in English: commands, keys, names, times.
	notTranslated = regexp.MustCompile(`(?s)<(pre|code|kbd)\b.*?</(pre|code|kbd)>|datetime="[^"]*"|mcp-askuser( web --open)?|test-agent|project|/home/u`)
	// read is what a user reads of a page: its texts, and what is said of its elements.
	read    = regexp.MustCompile(`>([^<]*)<|(?:aria-label|placeholder|title|data-[a-z]+)="([^"]*)"`)
	english = regexp.MustCompile(`[A-Za-z]{3,}`)
	ids     = regexp.MustCompile(`[0-9A-Z]{26}`)
)

// A page for a user whose language is Chinese has no word of English; what programs read has none of
// Chinese.
func TestPageInChinese(t *testing.T) {
	g := start(t, func(o *Options) { o.Language = words.Chinese })
	v := g.visitor()
	all := []question.Question{
		{ID: "db", Text: "用哪个数据库？", Type: question.SingleChoice, Required: true, AllowCustom: true, Options: []question.Option{
			{ID: "pg", Label: "甲", Default: true, Preview: "一"},
			{ID: "lite", Label: "乙", FollowUps: []question.Question{{ID: "v", Text: "哪个版本？", Type: question.Text}}},
		}},
		{ID: "port", Text: "端口？", Type: question.Text, Default: "八十"},
		{ID: "go", Text: "继续？", Type: question.Boolean, Options: question.YesAndNo()},
	}
	see := func(name, body string, wants ...string) {
		t.Helper()
		for _, m := range read.FindAllStringSubmatch(notTranslated.ReplaceAllString(body, ""), -1) {
			said := ids.ReplaceAllString(m[1]+m[2], "")
			if english.MatchString(said) && said != "one" && said != "list" {
				t.Errorf("%s says %q", name, said)
			}
		}
		g.holds(name, body, wants...)
	}
	get := func(path string, wants ...string) {
		t.Helper()
		_, body := v.get(path)
		see(path, body, wants...)
	}
	get("/", `<html lang="zh" dir="ltr">`, "没有问题")
	rec := g.ask("s", all...)
	g.ask("t", all...)
	get("/", "2 个问题待回答", "1 / 3", "推荐", "<span>是</span>", "把这个回答也发送给", "test-agent · project")
	_, body := v.post("/answer", confirmed(rec.ID, "q0", "other"))
	see("a refused form", body, "尚未发送：", "用哪个数据库？ 请写出内容，或者选择别的选项。")
	_, there := v.post("/answer", confirmed(rec.ID, "q0", "0"))
	get(there, "已发送给 test-agent · project。")
	_, body = v.post("/answer", confirmed(rec.ID, "q0", "1"))
	see("an answer that comes late", body, "问题已在网页上回答", "你选择过但没有发送的内容")
	get("/history", "历史", "已选", "已跳过。")
	_, body = v.post("/answer", confirmed("01J", "q0", "1"))
	see("a question that is not there", body, "没有这个 id 的问题。")
	see("no visitor", string(g.enter("/").body), "请重新打开网页")

	api := string(g.task(400, "already_answered", `{"id":"`+rec.ID+`","answers":{"port":"443"}}`).body) + string(g.task(400, "invalid_answer", `{}`).body)
	if chinese := strings.Join(regexp.MustCompile(`\p{Han}+`).FindAllString(api, -1), " "); chinese != "甲" { // the answer
		t.Errorf("programs read %s", chinese)
	}
}
