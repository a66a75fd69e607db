//go:build unix

package tty

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

// step is a prompt to wait for and what to type at it, or to paste behind pastes.
type step struct{ prompt, keys string }

const pastes = "paste "

func TestPlainTranscripts(t *testing.T) {
	const number, numbers = "Enter a number: ", "Enter numbers, like 1,2 [Sign-in, Mail]: "
	const send = "? helps: "
	for _, tt := range []struct {
		name   string
		sample string
		steps  []step
		want   []question.Reply // none: nothing was committed, and Show says unavailable
		extra  string
		narrow bool // also on 40×10
	}{
		{narrow: true, name: "single", steps: []step{{number, "2\r"}}, want: answered(option("database", "sqlite"))},
		{name: "empty line", sample: "single", steps: []step{{number, "\r"}, {number, "1\r"}}, want: answered(option("database", "pg"))},
		{name: "no such number", sample: "single", steps: []step{{number, "7\r"}, {number, "-3\r"}, {number, "3\r"}}, want: answered(option("database", "none"))},
		{name: "several numbers for one", sample: "single", steps: []step{{number, "1,3\r"}, {number, "2\r"}}, want: answered(option("database", "sqlite"))},
		{narrow: true, name: "other", sample: "single", steps: []step{{number, "0\r"}, {"own answer: ", "DuckDB, perhaps\r"}}, want: answered(ownWords("database", "DuckDB, perhaps"))},
		{name: "other left empty", sample: "single", steps: []step{{number, "0\r"}, {"own answer: ", "  \r"}, {number, "1\r"}}, want: answered(option("database", "pg"))},
		{name: "multi", steps: []step{{numbers, "1 2\r"}}, want: answered(option("features", "auth", "log"))},
		{name: "multi default", sample: "multi", steps: []step{{numbers, "\r"}}, want: answered(option("features", "auth", "mail"))},
		{name: "multi and other", sample: "multi", steps: []step{{numbers, "2,0\r"}, {"own answer: ", "billing\r"}}, want: answered(ownWords("features", "billing", "log"))},
		{name: "text", steps: []step{{"Your answer [shop]: ", "\x1b[Dkiosk \x1b[C\r"}}, want: answered(ownWords("name", "kiosk"))},
		{name: "text default", sample: "text", steps: []step{{"Your answer [shop]: ", "\r"}}, want: answered(ownWords("name", "shop"))},
		{narrow: true, name: "boolean", steps: []step{{"y or n: ", "\r"}, {"y or n: ", "maybe\r"}, {"y or n: ", "n\r"}}, want: answered(option("sure", question.NoID))},
		{name: "followup", steps: []step{{number, "1\r"}, {"number [Seventeen]: ", "\r"}},
			want: answered(option("database", "pg"), option("version", "17"))},
		{name: "followup gone again", sample: "followup", steps: []step{{number, "1\r"}, {"number [Seventeen]: ", "b\r"}, {"[PostgreSQL]: ", "2\r"}},
			want: answered(option("database", "sqlite"))},
		{narrow: true, name: "review", steps: []step{
			{number, "b\r"}, {number, "2\r"}, {numbers, "\r"}, {"(optional, Enter to skip): ", "\r"},
			{send, "1\r"}, {"[SQLite]: ", "3\r"}, {send, "n\r"}, {"Enter for none): ", "soon, please\r"},
		}, want: []question.Reply{{Note: "soon, please", Answers: answered(option("database", "none"), option("features", "auth", "mail"))[0].Answers}}},
		{name: "dismiss", sample: "single", steps: []step{{number, "x\r"}, {"[n]: ", "\r"}, {number, "x\r"}, {"[n]: ", "y\r"}, {"Enter for none): ", "not now\r"}},
			want: []question.Reply{{Dismissed: true, Reason: "not now"}}},
		{name: "note", sample: "single", steps: []step{{number, "n\r"}, {"Enter for none): ", "only for now\r"}, {number, "2\r"}},
			want: []question.Reply{{Answers: []question.Answer{noted(option("database", "sqlite"), "only for now")}}}},
		{name: "note on yes or no", sample: "boolean", steps: []step{{"y or n: ", ":n\r"}, {"Enter for none): ", "on Monday\r"}, {"y or n: ", "y\r"}},
			want: []question.Reply{{Answers: []question.Answer{noted(option("sure", question.YesID), "on Monday")}}}},
		{narrow: true, name: "discuss", sample: "single", steps: []step{{number, "d\r"}, {"[n]: ", "\r"}, {number, "d\r"}, {"[n]: ", "y\r"}, {"Enter for none): ", "the cost\r"}},
			want: []question.Reply{{Discuss: true, Note: "the cost"}}},
		{name: "discuss with the answers so far", sample: "review", steps: []step{{number, "2\r"}, {numbers, ":d\r"}, {"[n]: ", "y\r"}, {"Enter for none): ", "\r"}},
			want: []question.Reply{{Discuss: true, Answers: answered(option("database", "sqlite"))[0].Answers}}},
		{narrow: true, name: "help", sample: "single", steps: []step{{number, "?\r"}, {number, "1\r"}}, want: answered(option("database", "pg"))},
		{narrow: true, name: "preview", steps: []step{{number, "v1\r"}, {number, "1\r"}}, want: answered(option("database", "pg"))},
		{name: "store fails once", sample: "single", extra: "TTY_TROUBLE=disk", steps: []step{{number, "2\r"}, {send, "\r"}}, want: answered(option("database", "sqlite"))},
		{narrow: true, name: "appeared", sample: "text", extra: "TTY_OPENED=", steps: []step{{"takes shop): ", "\r"}, {"takes shop): ", ":=\r"}}, want: answered(ownWords("name", "shop"))},
		{narrow: true, name: "appeared multi", sample: "multi", extra: "TTY_OPENED=", steps: []step{{"takes Sign-in, Mail): ", "?\r"}, {"takes Sign-in, Mail): ", "\r"}, {"takes Sign-in, Mail): ", "=\r"}}, want: answered(option("features", "auth", "mail"))},
		{narrow: true, name: "pasted", sample: "boolean", steps: []step{{"y or n: ", pastes + "yes\r"}, {send, "1\r"}, {"[Yes]: ", "no\r"}}, want: answered(option("sure", question.NoID))},
		{name: "end of input", sample: "review", steps: []step{{number, "2\r"}, {numbers, "\x04"}}, want: []question.Reply{{Dismissed: true}}},
		{name: "end of input in a line", sample: "single", steps: []step{{number, "2\x04\x04"}}, want: []question.Reply{{Dismissed: true}}},
		{narrow: true, name: "chinese", steps: []step{{number, "０\r"}, {"own answer: ", "云数据库\r"}}, want: answered(ownWords("db", "云数据库"))},
		{narrow: true, name: "hostile", steps: []step{{number, "2\r"}}, want: answered(option("h", "b"))},
		{narrow: true, name: "zh boolean", sample: "boolean", extra: "TTY_LANGUAGE=zh", steps: []step{{"（否）：", "\r"}, {"（否）：", "也许\r"}, {"（否）：", "否\r"}}, want: answered(option("sure", question.NoID))},
		{narrow: true, name: "zh review", sample: "review", extra: "TTY_LANGUAGE=zh", steps: []step{
			{"输入编号：", "?\r"}, {"输入编号：", "2\r"}, {"如 1,2 [Sign-in, Mail]：", "２，０\r"}, {"自己的回答：", "计费\r"}, {"按 Enter 跳过）：", "\r"},
			{"帮助：", "1\r"}, {"[SQLite]：", "3\r"}, {"帮助：", "n\r"}, {"Enter 跳过）：", "请尽快\r"},
		}, want: []question.Reply{{Note: "请尽快", Answers: answered(option("database", "none"), ownWords("features", "计费", "log"))[0].Answers}}},
		{narrow: true, name: "zh dismiss", sample: "single", extra: "TTY_LANGUAGE=zh", steps: []step{{"输入编号：", "x\r"}, {"[n]：", "否\r"}, {"输入编号：", "x\r"}, {"[n]：", "是\r"}, {"Enter 跳过）：", "现在不行\r"}},
			want: []question.Reply{{Dismissed: true, Reason: "现在不行"}}},
		{narrow: true, name: "zh appeared", sample: "followup", extra: "TTY_OPENED= TTY_LANGUAGE=zh", steps: []step{{"输入编号：", "1\r"}, {"采用 Seventeen）：", "\r"}, {"采用 Seventeen）：", pastes + "2\r"}},
			want: answered(option("database", "pg"), option("version", "17"))},
		{narrow: true, name: "pt boolean", sample: "boolean", extra: "TTY_LANGUAGE=pt", steps: []step{{"s ou n: ", "talvez\r"}, {"s ou n: ", "d\r"}, {"[n]: ", "não\r"}, {"s ou n: ", "S\r"}}, want: answered(option("sure", question.YesID))},
		{name: "pt no", sample: "boolean", extra: "TTY_LANGUAGE=pt", steps: []step{{"s ou n: ", "?\r"}, {"s ou n: ", "não\r"}}, want: answered(option("sure", question.NoID))},
		{name: "pt dismiss", sample: "single", extra: "TTY_LANGUAGE=pt", steps: []step{{"número: ", "x\r"}, {"[n]: ", "sim\r"}, {"Enter para nenhum): ", "\r"}}, want: []question.Reply{{Dismissed: true}}},
	} {
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			if size[0] == 40 && !tt.narrow {
				continue
			}
			name := fmt.Sprintf("%s %dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				x := start(t, size[0], size[1], cmp.Or(tt.sample, tt.name), alone, append([]string{"TTY_PLAIN=1", "TTY_OPENED=1"}, strings.Fields(tt.extra)...)...)
				steps := tt.steps
				if tt.want[0].Answers != nil && !tt.want[0].Discuss {
					language := regexp.MustCompile("TTY_LANGUAGE=(..)|$").FindStringSubmatch(tt.extra)[1]
					steps = append(slices.Clip(steps), step{map[string]string{"": send, "zh": "帮助：", "pt": "ajuda: "}[language], "\r"})
				}
				for _, s := range steps {
					x.Expect(s.prompt)
					if text, paste := strings.CutPrefix(s.keys, pastes); paste {
						x.Paste(text)
					} else {
						x.Type(s.keys)
					}
				}
				rep := x.end()
				if !reflect.DeepEqual(rep.Replies, tt.want) {
					t.Errorf("committed %+v, want %+v", rep.Replies, tt.want)
				}
				if rep.Unavailable != (tt.want == nil) {
					t.Errorf("Show returned %q", rep.Errs)
				}
				transcript := strings.ReplaceAll(x.Output(), "\r\n", "\n")
				if strings.ContainsRune(transcript, '\x1b') {
					t.Errorf("the plain form wrote an escape code: %q", transcript)
				}
				checkTranscript(t, name, transcript)
			})
		}
	}
}

func noted(a question.Answer, note string) question.Answer {
	a.By, a.Note = question.ByUser, note
	return a
}

func checkTranscript(t *testing.T, name, got string) {
	t.Helper()
	golden.Check(t, "plain/"+strings.ReplaceAll(name, " ", "-")+".txt", got)
}
