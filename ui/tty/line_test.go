package tty

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term/act"
)

// TestEditLine: a line is edited as the terminal does it, and shows what counts.
func TestEditLine(t *testing.T) {
	for _, tt := range []struct{ keys, want, shown string }{
		{"yes", "yes", "yes"},
		{"  a\tb ", "a b", "  a b "},
		{"ab\x7fc", "ac", "ab\b \bc"},
		{"a\b\bb", "b", "a\b \bb"},
		{"数据\x7f", "数", "数据\b \b\b \b"},
		{"n\u0303\x7fo", "o", "n\u0303\b \bo"},
		{"👨‍👩‍👧\x7fx", "x", "👨‍👩‍👧\b \b\b \bx"},
		{"one two \x17x", "one x", "one two \b \b\b \b\b \b\b \bx"},
		{"one\x15two", "two", "one\b \b\b \b\b \btwo"},
		{"\x1b[Aa\x1b[1;5Cb\x1bOPc\x1bxd", "abcd", "abcd"},
		{"a\x1b", "a", "a"},
		{"a\x01\x0d\x00b\u0085", "ab", "ab"},
		{"caf\xe9!", "caf\uFFFD!", "caf\uFFFD!"},
	} {
		for _, piece := range []int{1, 2, 100} {
			var l line
			var shown strings.Builder
			var lines []typed
			now := time.Now()
			for rest := tt.keys; ; {
				now = now.Add(time.Second)
				n := min(piece, len(rest))
				if n == 0 {
					break
				}
				what, _, _ := l.press([]byte(rest[:n]), now)
				shown.WriteString(what)
				rest = rest[n:]
			}
			_, lines, _ = l.press([]byte("\n"), now)
			if want := []typed{{line: tt.want}}; !reflect.DeepEqual(lines, want) || shown.String() != tt.shown {
				t.Errorf("%q, %d at once: %+v, shown %q, want %+v, %q", tt.keys, piece, lines, shown.String(), want, tt.shown)
			}
		}
	}
}

// TestEndOfLine: Ctrl+D ends the input in an empty line, and elsewhere when it comes
// twice.
func TestEndOfLine(t *testing.T) {
	for keys, want := range map[string]bool{"\x04": true, "a\x04": false, "a\x04\x04": true, "a\x04b\x04": false, "a\x15\x04": true, "a\n\x04": true} {
		var l line
		if _, _, ended := l.press([]byte(keys), time.Now()); ended != want {
			t.Errorf("%q: ended %v", keys, ended)
		}
	}
}

// TestPastedLines: a line that came in one piece with its line break is shown, and
// answers only with an Enter.
func TestPastedLines(t *testing.T) {
	const ms, paste = time.Millisecond, "That was pasted"
	sqlite, yes := answered(option("database", "sqlite")), answered(option("sure", question.YesID))
	for _, tt := range []struct {
		name, sample string
		strokes      []stroke
		want         []question.Reply
		says, never  string
	}{
		{"in one piece", "single", []stroke{{time.Second, "2\n"}}, nil, paste, ""},
		{"a word", "boolean", []stroke{{time.Second, "yes\n"}}, nil, paste, ""},
		{"in parts", "single", []stroke{{time.Second, "2"}, {act.Piece - ms, "\n"}}, nil, paste, ""},
		{"in parts, the break with the last", "single", []stroke{{time.Second, "sql"}, {20 * ms, "ite\n"}}, nil, paste, ""},
		{"then Enter", "single", []stroke{{time.Second, "2\n"}, {time.Second, "\n"}}, sqlite, paste, ""},
		{"a word, then Enter", "boolean", []stroke{{time.Second, "yes\n"}, {time.Second, "\n"}}, yes, paste, ""},
		{"then another one", "single", []stroke{{time.Second, "1\n"}, {time.Second, "\x7f2"}, {act.Piece, "\n"}}, sqlite, paste, ""},
		{"cleared", "single", []stroke{{time.Second, "1\n"}, {time.Second, "\x15"}, {time.Second, "2"}, {time.Second, "\n"}}, sqlite, paste, ""},
		{"pasted over", "single", []stroke{{time.Second, "1\n"}, {time.Second, "2\n"}}, nil, paste, ""},
		{"without a line break", "single", []stroke{{time.Second, "2"}, {time.Second, "\n"}}, sqlite, "", paste},
		{"by a quick hand", "single", []stroke{{time.Second, "2"}, {30 * ms, "\n"}}, sqlite, "", paste},
		{"several lines", "single", []stroke{{time.Second, "2\n2\n"}, {time.Second, "\n"}}, nil, "so fast", paste},
		{"several lines and half a one", "single", []stroke{{time.Second, "2\n2\n2"}, {time.Second, "\n"}}, nil, "so fast", paste},
		{"a line behind another", "single", []stroke{{time.Second, "2\n"}, {100 * ms, "2\n"}, {time.Second, "\n"}}, nil, "so fast", paste},
		{"before the pause", "single", []stroke{{100 * ms, "2\n"}, {time.Second, "\n"}}, nil, "", paste},
	} {
		for _, origin := range []act.Origin{act.Appeared, act.Opened} {
			if origin == act.Opened && tt.name == "before the pause" {
				continue
			}
			out, replies, _ := handed(t, sample(tt.sample), origin, &hands{strokes: slices.Clone(tt.strokes), pieces: true}, always(nil))
			if !reflect.DeepEqual(replies, tt.want) {
				t.Errorf("%s: committed %+v, want %+v\n%s", tt.name, replies, tt.want, out)
			}
			if !strings.Contains(out, tt.says) || tt.never != "" && strings.Contains(out, tt.never) {
				t.Errorf("%s: want %q and not %q in:\n%s", tt.name, tt.says, tt.never, out)
			}
		}
	}
}

// TestLoneEnter: Enter that is meant for another program, after any pause and
// however often, answers nothing in a form that appeared by itself.
func TestLoneEnter(t *testing.T) {
	for _, name := range []string{"single", "multi", "text", "boolean", "optional single", "optional multi", "optional text", "optional boolean", "review"} {
		kind, optional := strings.CutPrefix(name, "optional ")
		rec := sample(kind)
		rec.Questions[0].Required = !optional
		for _, keys := range termtest.LoneEnters(100) {
			if len(keys) > 3 && kind == "text" { // where text is typed nothing tells it from an answer
				continue
			}
			var strokes []stroke
			for _, blow := range keys {
				strokes = append(strokes, stroke{blow.After, strings.ReplaceAll(blow.Keys, "\r", "\n")})
			}
			if out, replies, _ := typing(t, rec, act.Appeared, strokes, always(nil)); replies != nil || strings.Contains(out, "Question 2") {
				t.Fatalf("%s: %q committed %+v:\n%s", name, termtest.Typed(keys), replies, out)
			}
		}
	}
}

// TestLoneEnterOnADraft: nor does it answer what was typed before.
func TestLoneEnterOnADraft(t *testing.T) {
	a := put(t, "review", 0)
	draft := answered(option("database", "sqlite"), option("features", "log"), ownWords("name", "kiosk"))[0]
	draft.Answers[0].Files = []question.File{{Name: "log.txt", Type: "text/plain", Size: 6, SHA256: strings.Repeat("a", 64)}}
	a.keep(draft)
	synctest.Test(t, func(t *testing.T) {
		out, _ := converse(t.Context(), &hands{strokes: slowly(strings.Repeat("\n", 10))}, form.Backing{Desk: a.Desk, Rec: a.Record}, act.Appeared, func(r question.Reply) error {
			t.Errorf("committed %+v", r)
			return nil
		})
		if !strings.Contains(out, "Enter a number (= takes your answer so far): ") || strings.Contains(out, "Question 2") {
			t.Errorf("the transcript:\n%s", out)
		}
	})
}

// TestFirstAct: in a form that appeared by itself what is proposed is taken by a
// command, or as any answer is; where the human called for the form, by an empty line.
func TestFirstAct(t *testing.T) {
	preset, optional := sample("single"), sample("text")
	preset.Questions[0].Options[1].Default, optional.Questions[0].Required = true, false
	for _, tt := range []struct {
		lines string
		rec   desk.Record
		asks  string
		want  []question.Reply
	}{
		{"\n=\n", preset, "Enter a number (= takes 2): ", answered(option("database", "sqlite"))},
		{"\n3\n", preset, "  2. SQLite (default)\n", answered(option("database", "none"))},
		{"\n=\n", sample("multi"), "like 1,2 (= takes 1,3): ", answered(option("features", "auth", "mail"))},
		{"\n:=\n", sample("text"), "Your answer (:= takes shop): ", answered(ownWords("name", "shop"))},
		{"\n-\n", optional, "(:= takes shop) (optional, - to skip): ", []question.Reply{{}}},
		{"1\nb\n1\n=\n\n", sample("followup"), "(= takes 2): ", answered(option("database", "pg"), option("version", "17"))},
		{"1\n1\n1\n\n\n", sample("followup"), "[keep]: ", answered(option("database", "pg"), option("version", "16"))},
	} {
		out, replies, _ := typing(t, tt.rec, act.Appeared, slowly(tt.lines), always(nil))
		if !reflect.DeepEqual(replies, tt.want) || !strings.Contains(out, tt.asks) || strings.HasPrefix(tt.lines, "\n") != strings.Contains(out, "Enter alone answers nothing here") {
			t.Errorf("%q: committed %+v, want %+v, and %q in:\n%s", tt.lines, replies, tt.want, tt.asks, out)
		}
	}
	for from, want := range map[string][]question.Reply{"multi": answered(option("features", "auth", "mail")), "text": answered(ownWords("name", "shop"))} {
		if out, replies, _ := typing(t, sample(from), act.Opened, slowly("\n"), always(nil)); !reflect.DeepEqual(replies, want) {
			t.Errorf("%s: committed %+v:\n%s", from, replies, out)
		}
	}
}
