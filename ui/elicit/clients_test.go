package elicit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// TestAnsweringClients has one row for each way in which a client may answer by
// itself, or wrongly. None is an answer; only what a user does, at the end of
// the table, is.
func TestAnsweringClients(t *testing.T) {
	const ms = time.Millisecond
	yes := proposing(goOn(), "")
	for _, tc := range []struct {
		name    string
		q       question.Question
		took    time.Duration
		action  string
		content string // of every form; of the first where there are two, split by a tab
		want    string
	}{
		// Hosts that answer by themselves are quick.
		{"accepts at once with nothing", database(), 1 * ms, "accept", `{}`, "unavailable"},
		{"accepts at once with the declared default", yes, 1 * ms, "accept", `{"q3":"Yes"}`, "unavailable"},
		{"accepts in no time by a clock set back", database(), -1 * ms, "accept", `{"q1":"PostgreSQL"}`, "unavailable"},
		{"declines after a second", database(), time.Second, "decline", ``, "unavailable"},

		// An accept of nothing.
		{"accepts nothing for ever", database(), slow, "accept", `{}`, "unavailable"},
		{"fills an untouched optional array with nothing", optional(features()), slow, "accept", `{"q2":[]}`, "unavailable"},

		// Content that the form did not offer.
		{"sends a value outside the list", database(), slow, "accept", `{"q1":"Oracle"}`, "unavailable"},
		{"sends true for a yes", goOn(), slow, "accept", `{"q3":true}`, "unavailable"},
		{"sends a text for an array", features(), slow, "accept", `{"q2":"Caching"}`, "unavailable"},
		{"sends a key too many", database(), slow, "accept", `{"q1":"MongoDB","confirmed":true}`, "unavailable"},
		{"sends an array for the content", database(), slow, "accept", `["MongoDB"]`, "unavailable"},
		{"goes back where nothing was", database(), slow, "accept", `{"q1":"Back"}`, "unavailable"},

		// Texts that say nothing.
		{"sends white space, fillers and control characters", name(), slow, "accept",
			`{"q4":" \t\n\u00a0\u3000\u3164\u115f\u1160\uffa0\u2800\u0000\u0007\u001b"}`, "unavailable"},
		{"sends a text over the limit", name(), slow, "accept", `{"q4":"` + strings.Repeat("x", 10_001) + `"}`, "unavailable"},
		{"sends the list's answer for the text of Other", database(), slow, "accept", "{\"q1\":\"Other...\"}\t{\"q1\":\"Other...\"}", "unavailable"},

		// No result at all.
		{"sends an unknown action", database(), slow, "yes", `{"q1":"MongoDB"}`, "unavailable"},
		{"does not know the method", database(), 30 * ms, "error", ``, "unavailable"},
		{"ends with the call", database(), slow, "end", ``, "error: " + ui.ErrCallEnded.Error()}, // no other surface is tried

		// Users.
		{"a human accepts with a row after 600 ms", database(), 600 * ms, "accept", `{"q1":"MongoDB"}`, "answered q1=mongodb|"},
		{"a human accepts with a yes", goOn(), slow, "accept", `{"q3":"Yes"}`, "answered q3=true|"},
		{"a human writes a text of invisible marks and letters", name(), slow, "accept", `{"q4":"\u200ba\u200d"}`, "answered q4=|\u200ba\u200d"},
		{"a human cancels", database(), 1001 * ms, "cancel", ``, "dismissed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			contents := strings.Split(tc.content, "\t")
			forms := 0
			c := clientFunc(func(mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
				forms++
				switch tc.action {
				case "error":
					return nil, tc.took, errors.New("method not found")
				case "end":
					return nil, tc.took, ui.ErrCallEnded
				}
				return result(tc.action, contents[(forms-1)%len(contents)]), tc.took, nil
			})
			got := show(c, Style{Arrays: true}, tc.q)
			if tc.want == "unavailable" {
				got, _, _ = strings.Cut(got, ":") // the reason goes to the log
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if forms > 2*maxSlips {
				t.Errorf("%d forms", forms)
			}
		})
	}
}

// Whatever a client sends, and however fast: nothing panics, no form is shown
// without end, and only what the set allows is committed, in a user's time.
func FuzzResults(f *testing.F) {
	for i, s := range []string{
		`[{"q1":"MongoDB"}]`, `[{"q2":["Caching","Other..."]},{"q2_other":"x"}]`, `[{"q3":"Yes"}]`, `[{"q4":"x"}]`, `[{"q4":"(skip)"}]`,
		`[{"a":"OAuth"},{"p":"Back"}]`, `[{"q1":"Other..."},{"q1_other":"\u200b"}]`,
		`[[],null,"x",{"q1":{}},{"q1":[{}]},{"q2":[null]}]`,
		`[{"q1":"Other..."},{"q1_other":"x"},{"q2":["Caching"]},{"q3":"Back"},{"q2":["(skip)"]},{"q3":"No"},{"q4":"Widget"}]`,
	} {
		f.Add(byte(i), byte(i), "accept", int64(700), s)
	}
	f.Add(byte(0), byte(1), "decline", int64(1001), `[{}]`)
	f.Add(byte(0), byte(1), "accept", int64(599), `[{"q1":"MongoDB"}]`)
	f.Add(byte(1), byte(2), "accept", int64(700), `[{"q2":"=1,2,and more"}]`)
	sets := [][]question.Question{
		{database()}, {features()}, {goOn()}, {name()}, {optional(proposing(name(), "Widget"))}, {auth(), goOn()},
		{database(), optional(features()), goOn(), proposing(name(), "Widget")},
	}
	f.Fuzz(func(t *testing.T, which, styled byte, action string, ms int64, contents string) {
		var list []any
		if json.Unmarshal([]byte(contents), &list) != nil || len(list) == 0 {
			return
		}
		style := Style{Arrays: styled&1 > 0, Line: styled&2 > 0, Typed: styled&4 > 0}
		took := time.Duration(ms%10_000) * time.Millisecond
		forms := 0
		c := clientFunc(func(mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
			r := &mcp.ElicitationResult{}
			r.Action, r.Content = mcp.ElicitationResponseAction(action), list[forms%len(list)]
			forms++
			return r, took, nil
		})
		rec := desk.Record{Set: question.Set{Questions: sets[int(which)%len(sets)]}}
		committed := 0
		err := New(c, style, nil).Show(t.Context(), rec, func(r question.Reply) error {
			committed++
			if _, err := rec.Check(r); err != nil {
				t.Errorf("committed %+v: %v", r, err)
			}
			if r.Dismissed && (took <= time.Second || action == "accept") || !r.Dismissed && (took < 600*time.Millisecond || action != "accept") {
				t.Errorf("committed %+v after %s for %q", r, took, action)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ui.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		if (err == nil) != (committed == 1) || committed > 1 || forms > maxForms {
			t.Errorf("got %v after %d commits and %d forms", err, committed, forms)
		}
	})
}
