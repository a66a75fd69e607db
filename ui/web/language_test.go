package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func TestLanguageOf(t *testing.T) {
	for _, tt := range []struct {
		set    words.Language
		header string
		want   words.Language
	}{
		{"", "", words.English},
		{"auto", "fr", words.English},
		{"auto", "zh-CN,zh;q=0.9,en;q=0.8", words.Chinese},
		{"auto", "zh-TW", words.Chinese},
		{"auto", "zh-Hant-HK,en;q=0.5", words.Chinese},
		{"auto", "fr-FR,pt-PT;q=0.7,zh;q=0.3", words.Portuguese},
		{"auto", "zh;q=0,pt-BR;q=0.1", words.Portuguese},
		{"auto", "en-GB,zh;q=0.9", words.English},
		{"auto", "zh, \x80;;q=", words.English}, // cannot be read
		{words.Portuguese, "zh", words.Portuguese},
		{words.English, "zh", words.English},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", tt.header)
		if got := (&Server{Options: Options{Language: tt.set}}).languageOf(r); got != tt.want {
			t.Errorf("set to %q, the browser has %q: %q, want %q", tt.set, tt.header, got, tt.want)
		}
	}
}

// speaks has what a browser asks for be in a language.
func (v *visitorOf) speaks(l words.Language) *visitorOf {
	g := *v.rig
	client := *g.client
	client.Transport = speaking{string(l), g.client.Transport}
	g.client = &client
	return &visitorOf{&g, v.cookie}
}

type speaking struct {
	language string
	http.RoundTripper
}

func (s speaking) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Accept-Language", s.language)
	return s.RoundTripper.RoundTrip(r)
}

// A word of English where everything else is said in Chinese.
var english = regexp.MustCompile(`[A-Za-z]{3,}`)

// leftInEnglish is what of a page stands in English although it is shown in
// Chinese: its texts, those for the script, and what is said of its elements;
// without names.
func leftInEnglish(page string) []string {
	for _, out := range []string{`(?s)<(pre|code|kbd)\b.*?</(pre|code|kbd)>`, `datetime="[^"]*"`, `"\w+": `, `mcp-askuser( web --open)?|test-agent|project|/home/u`} {
		page = regexp.MustCompile(out).ReplaceAllString(page, "")
	}
	said := regexp.MustCompile(`>([^<]*)<|(?:aria-label|placeholder|title|data-notice|data-asks|data-news)="([^"]*)"`)
	var found []string
	for _, m := range said.FindAllStringSubmatch(page, -1) {
		if text := strings.Join(m[1:], ""); english.MatchString(text) {
			found = append(found, strings.TrimSpace(text))
		}
	}
	return found
}

// Every page of a browser that wants Chinese is Chinese, whatever it is about.
func TestPageInChinese(t *testing.T) {
	g := start(t)
	v := g.visitor().speaks(words.Chinese)
	all := []question.Question{
		{ID: "db", Text: "用哪个数据库？", Type: question.SingleChoice, Required: true, AllowCustom: true, Options: []question.Option{
			{ID: "pg", Label: "甲", Default: true, Preview: "一"}, {ID: "lite", Label: "乙", FollowUps: []question.Question{{ID: "v", Text: "哪个版本？", Type: question.Text}}},
		}},
		{ID: "port", Text: "端口？", Type: question.Text, Default: "八十"},
		{ID: "go", Text: "继续？", Type: question.Boolean, Options: question.YesAndNo()},
	}
	see := func(name string, status int, body string, wants ...string) {
		t.Helper()
		for _, text := range leftInEnglish(body) {
			t.Errorf("%s (%d) says %q", name, status, text)
		}
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, body)
			}
		}
	}
	get := func(path string, wants ...string) {
		t.Helper()
		status, body := v.get(path)
		see(path, status, body, wants...)
	}

	get("/", `<html lang="zh" dir="ltr">`, "没有问题", "接入智能体", "“mcp-askuser web --open”")
	rec, like := g.ask("s", all...), g.ask("t", all...)
	get("/", "2 个问题待回答", "1 / 3", "推荐", "<span>是</span>", "把这个回答也发送给", "test-agent · project")

	form := confirmed(rec.ID, "q0", "other", "n2", strings.Repeat("长", question.MaxText+1), "note", strings.Repeat("长", question.MaxText+2))
	status, body := v.post("/answer", form)
	see("a refused form", status, body, "尚未发送：", "用哪个数据库？ 请写出内容，或者选择别的选项。",
		fmt.Sprintf("备注最多 %d 个字符，现有 %d 个。", question.MaxText, question.MaxText+1), fmt.Sprintf("备注：最多 %d 个字符，现有 %d 个。", question.MaxText, question.MaxText+2))
	foreign := v.form("/answer", confirmed(rec.ID))
	foreign.Header.Set("Origin", "http://127.0.0.1:1")
	status, body = v.take(foreign)
	see("a form of another site", status, body, "来自其他网站页面的请求会被拒绝。")

	_, there := v.post("/answer", confirmed(rec.ID, "q0", "0"))
	get(there, "已发送给 test-agent · project。")
	get("/?id="+rec.ID, "问题已在网页上回答", "重新打开")
	if _, err := g.desk.Reply(t.Context(), like.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	status, body = v.post("/answer", confirmed(like.ID, "q0", "0"))
	see("an answer that comes late", status, body, "问题已在终端中关闭", "你选择过但没有发送的内容")
	get("/?late="+like.ID, "test-agent · project", "已在终端中关闭")
	gone := g.ask("u", all...)
	if _, err := g.desk.Close(t.Context(), gone.ID, desk.Outcome{Status: desk.Cancelled, Reason: words.ByCommand}); err != nil {
		t.Fatal(err)
	}
	get("/?id="+gone.ID, "问题已撤回", words.Chinese.T(words.ByCommand))
	get("/history", "历史", "已选", "已跳过。")
	get("/history?session=s", "本会话之前的问题")
	get("/history?search=xyz", "什么也没有找到。")

	_, body = v.post("/reopen", url.Values{"id": {rec.ID}})
	get(body, "你的草稿已恢复")
	status, body = v.post("/answer", confirmed("01J", "q0", "1"))
	see("a question that is not there", status, body, "没有这个 id 的问题。")
	v.cookie = &http.Cookie{Name: "x", Value: "y"}
	get("/", "请重新打开网页", `<html lang="zh"`)
}

// What programs read is English, whatever they would have.
func TestAPIStaysEnglish(t *testing.T) {
	g := start(t, func(o *Options) { o.Language = words.Chinese })
	rec := g.ask("s", text("port"))
	for _, body := range []string{`{"id":"` + rec.ID + `","answers":{"port":7}}`, `{"id":"` + rec.ID + `","answers":{"port":"443"}}`, `{"id":"` + rec.ID + `","answers":{"port":"443"}}`, `{"id":"no"}`} {
		r := g.request(http.MethodPost, "/api/task/answer", body)
		r.Header.Set("Accept-Language", "zh")
		if a := g.send(r); strings.ContainsFunc(string(a.body), func(c rune) bool { return c > 0x7f }) {
			t.Errorf("%s", a.body)
		}
	}
}
