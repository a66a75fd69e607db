package words_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

// A language has its own order, plural and time, and what it lacks is English.
func TestLanguages(t *testing.T) {
	by := &desk.Outcome{Status: desk.Answered, Surface: "web", Answerer: &desk.Answerer{Name: "alice"}}
	for _, tc := range []struct{ got, want string }{
		{words.Chinese.Outcome(by), "已由 alice 在网页上回答"},
		{words.Portuguese.Outcome(by), "respondida por alice na página web"},
		{words.Chinese.Ago(5 * time.Minute), "5 分钟前"},
		{words.Portuguese.Span(61 * time.Minute), "1 hora 1 minuto"},
		{words.Portuguese.N(2, "%d second", "%d seconds"), "2 segundos"},
		{words.Chinese.T("no such text %d", 3), "no such text 3"},
		{words.Portuguese.T("100 %"), "100 %"},
		{words.Chinese.Sentence("问题已关闭"), "问题已关闭。"},
		{words.Portuguese.Day(time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()), "01/01"},
		{words.Language("xx").T(words.Sent), "Answer sent."},
		{words.Chinese.Error(fmt.Errorf("01J: %w", fmt.Errorf("%w here", desk.ErrNotFound))), "01J: 没有这个问题 here"},
		{words.Portuguese.Error(errors.Join(desk.ErrUnreachable, os.ErrNotExist)), "a mesa não responde\nfile does not exist"},
		{words.Chinese.Error(&desk.ClosedError{Outcome: *by}), "问题已由 alice 在网页上回答"},
		{words.English.Error(desk.ErrNotFound), "no such question"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
	for locale, want := range map[string]words.Language{
		"": words.English, "C.UTF-8": words.English, "de_DE.UTF-8": words.English, "zh_CN.UTF-8": words.Chinese, "zh": words.Chinese,
		"pt_BR.UTF-8@x": words.Portuguese, "PT-pt": words.Portuguese, "zhx": words.English,
	} {
		if got := words.Spoken(locale); got != want {
			t.Errorf("%q is %s, want %s", locale, got, want)
		}
	}
}
