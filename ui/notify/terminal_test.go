package notify

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func TestRing(t *testing.T) {
	for _, tt := range []struct {
		name, env, client, text string
		more                    int
		want                    string
	}{
		{"plain", "TERM=xterm-256color", "claude", "Which database?", 0, "\a\x1b]9;Question from claude in shop: Which database?\x1b\\"},
		{"several", "TERM=xterm-256color", "claude", "Which database?", 2, "\a\x1b]9;Question from claude in shop: Which database? (and 2 more)\x1b\\"},
		{"title of its own", "TERM=foot-extra", "a;b", "x; y", 0, "\a\x1b]777;notify;Question from a,b in shop;x; y\x1b\\"},
		{"rxvt", "TERM=rxvt-unicode", "claude", "x", 0, "\a\x1b]777;notify;Question from claude in shop;x\x1b\\"},
		{"VTE", "VTE_VERSION=7200", "claude", "x", 0, "\a\x1b]777;notify;Question from claude in shop;x\x1b\\"},
		{"hostile", "", "\x1b\\\x1b]0;owned", "a\u009cb\a\u202ec\nd", 0, "\a\x1b]9;Question from ␛\\␛]0;owned in shop: a[U+009C]b␇[U+202E]c␊d\x1b\\"},
		{"long", "", "", strings.Repeat("é", 500), 1, "\a\x1b]9;Question from an agent in shop: " + strings.Repeat("é", 146) + "… (and 1 more)\x1b\\"},
	} {
		rec := record(tt.client, tt.text)
		for range tt.more {
			rec.Questions = append(rec.Questions, question.Question{ID: "more"})
		}
		var out bytes.Buffer
		if err := Ring(&out, variables(tt.env), rec); err != nil || out.String() != tt.want {
			t.Errorf("%s: %q, %v\nwant %q", tt.name, out.String(), err, tt.want)
		}
	}
}

// The words around what is asked are in the user's language, and as many
// characters of a notification as they take go from the question.
func TestRingInChinese(t *testing.T) {
	words.Local = words.Chinese
	t.Cleanup(func() { words.Local = words.English })
	for client, want := range map[string]string{"claude": "问题（来自 claude · shop）：", "": "问题（来自 某个智能体 · shop）："} {
		rec := record(client, strings.Repeat("字", 500))
		rec.Questions = append(rec.Questions, rec.Questions[0], rec.Questions[0])
		var out bytes.Buffer
		want = "\a\x1b]9;" + want + strings.Repeat("字", 151) + "…（还有 2 个）\x1b\\"
		if err := Ring(&out, variables(), rec); err != nil || out.String() != want {
			t.Errorf("got %q, %v\nwant %q", out.String(), err, want)
		}
	}
}

// Whatever is asked, a terminal gets one bell and one notification.
func FuzzRing(f *testing.F) {
	f.Add("claude", "/home/u/shop", "Which?", false)
	f.Add("\x1b]", "\x9c", "\x1b\\\a;\u2028", true)
	f.Fuzz(func(t *testing.T, client, directory, text string, titled bool) {
		rec := record(client, text)
		rec.Asker.Directory = directory
		var out bytes.Buffer
		env := "TERM=xterm"
		if titled {
			env = "TERM=rxvt"
		}
		fatal.If(t, Ring(&out, variables(env), rec))
		got := out.String()
		inside, ok := strings.CutPrefix(got, "\a\x1b]")
		inside, ended := strings.CutSuffix(inside, "\x1b\\")
		if !ok || !ended || strings.ContainsFunc(inside, unicode.IsControl) || !utf8.ValidString(got) {
			t.Errorf("wrote %q", got)
		}
		if fields := strings.SplitN(inside, ";", 4); titled && (len(fields) != 4 || !strings.HasPrefix(fields[2], "Question")) {
			t.Errorf("the title is not where it belongs: %q", got)
		}
	})
}
