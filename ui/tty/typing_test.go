package tty

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// keyed types a text key by key. After the key at pause nothing comes for a
// second.
func keyed(text string, pace time.Duration, pause int) []stroke {
	var out []stroke
	for i, c := range []byte(text) {
		s := stroke{pace, string(c)}
		if i == pause {
			s.after = time.Second
		}
		out = append(out, s)
	}
	return out
}

// A sentence that is typed for another program answers nothing, wherever in it
// the question appears and the typist stops to think.
func TestSentencesAnswerNothing(t *testing.T) {
	for _, text := range []string{"make it a bit faster please\n", "git commit -m wip\n", "ls\ngit push\n", "  \n"} {
		for _, name := range []string{"single", "boolean", "multi"} {
			for _, pace := range []time.Duration{80 * time.Millisecond, 130 * time.Millisecond, 200 * time.Millisecond} {
				for pause := range len(text) - 1 {
					if text[pause] == '\n' { // Enter alone, after a pause: no rule could tell
						continue
					}
					strokes := keyed(text, pace, pause)
					if strings.TrimSpace(text) == "" { // Enter held down
						strokes = keyed(strings.Repeat("\n", 20), pace/2, -1)
					}
					if _, replies, _ := typing(t, sample(name), act.Appeared, strokes, always(nil)); replies != nil {
						t.Errorf("%q at %s a key, a pause before key %d: %s is answered %+v", text, pace, pause, name, replies)
					}
				}
			}
		}
	}
}

// What counts, and what is said of what does not.
func TestDeliberateLines(t *testing.T) {
	const ms = time.Millisecond
	sqlite := answered(option("database", "sqlite"))
	for _, tt := range []struct {
		name, sample string
		origin       act.Origin
		strokes      []stroke
		want         []question.Reply
		says, never  string
	}{
		{"after the quiet", "single", act.Appeared, []stroke{{700 * ms, "2\n"}}, sqlite, "", words.T(words.AwaitsPause)},
		{"before the quiet, then again", "single", act.Appeared, []stroke{{500 * ms, "2\n"}, {700 * ms, "2\n"}}, sqlite, words.T(words.AwaitsPause), ""},
		{"half a line before the quiet", "single", act.Appeared, []stroke{{500 * ms, "1"}, {700 * ms, "2\n"}}, sqlite, words.T(words.AwaitsPause), ""},
		{"opened by the human", "single", act.Opened, []stroke{{0, "2\n"}}, sqlite, "", words.T(words.AwaitsPause)},
		{"several lines at once", "review", act.Opened, []stroke{{time.Second, "2\n1\nx\n\n"}, {time.Second, "?"}}, nil, "so fast", "Question 2"},
		{"several lines at once, then one", "single", act.Opened, []stroke{{time.Second, "1\n3\n"}, {time.Second, "2\n"}}, sqlite, "so fast", ""},
		{"a line overtaken by the next", "single", act.Opened, []stroke{{0, "1\n"}, {119 * ms, "3\n"}, {time.Second, "2\n"}}, sqlite, "so fast", ""},
		{"a line for a question that nobody has seen", "followup", act.Opened, []stroke{{0, "1\n"}, {130 * ms, "1\n"}, {time.Second, "2\n"}, {time.Second, "\n"}},
			answered(option("database", "pg"), option("version", "17")), "", ""},
		{"a foreign line takes back what came with it", "followup", act.Appeared, []stroke{{time.Second, "1\n"}, {300 * ms, "git push\n"}, {time.Second, "2\n"}},
			sqlite, "taken back", ""},
		{"not where the human opened it", "followup", act.Opened, []stroke{{time.Second, "1\n"}, {300 * ms, "git push\n"}, {time.Second, "2\n"}, {time.Second, "\n"}},
			answered(option("database", "pg"), option("version", "17")), "", "taken back"},
		{"nor what came long before", "followup", act.Appeared, []stroke{{time.Second, "1\n"}, {700 * ms, "git push\n"}, {time.Second, "2\n"}, {time.Second, "\n"}},
			answered(option("database", "pg"), option("version", "17")), "git is no option", "taken back"},
		{"a mistake is no foreign line for the next", "single", act.Appeared, []stroke{{time.Second, "7\n"}, {time.Second, "2\n"}}, sqlite, "7 is no option", words.T(words.AwaitsPause)},
		{"no preset answer", "single", act.Appeared, []stroke{{time.Second, "\n"}, {time.Second, "2\n"}}, sqlite, "Enter a number from 1 to 3", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, replies, _ := typing(t, sample(tt.sample), tt.origin, tt.strokes, always(nil))
			if !reflect.DeepEqual(replies, tt.want) {
				t.Errorf("committed %+v, want %+v\n%s", replies, tt.want, out)
			}
			if !strings.Contains(out, tt.says) || tt.never != "" && strings.Contains(out, tt.never) {
				t.Errorf("want %q and not %q in:\n%s", tt.says, tt.never, out)
			}
		})
	}
}

// Impatience while the answer is stored answers nothing that is asked then.
func TestLinesWhileStoring(t *testing.T) {
	broken := func(int) error { <-time.After(time.Second); return errTaken } // of the bubble's own time
	_, _, err := typing(t, sample("single"), act.Opened, []stroke{{0, "2\n"}, {500 * time.Millisecond, "\n"}, {2 * time.Second, "\x00"}}, func(try int) error {
		if try > 1 {
			t.Error("sent again")
		}
		return broken(try)
	})
	if err == nil {
		t.Error("an answer that was not stored is one")
	}
}

// The keys beside the answers are named once, those that do something.
func TestKeysAreNamed(t *testing.T) {
	for name, want := range map[string]string{"single": "\nn adds a note, d is to discuss it first, x dismisses", "review": "\nb goes back, :n adds a note, :d is to discuss it first, x dismisses"} {
		out, _, _ := ask(t, sample(name), "", always(nil))
		if strings.Count(out, want) != 1 {
			t.Errorf("%s: want %q once:\n%s", name, want, out)
		}
	}
}
