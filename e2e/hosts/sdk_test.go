//go:build hosts && unix

package hosts

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/waittest"
)

// application is a program on the Agent SDK.
type application struct {
	t     *testing.T
	in    io.Writer
	lines chan asked
}

// asked is what an application's user is asked.
type asked struct {
	Kind  string
	Input json.RawMessage
}

func newApplication(t *testing.T, env []string, can string) *application {
	a := &application{t: t, lines: make(chan asked, 10)}
	script := existing(t, "testdata/agent.mjs")
	in, out := pipe(t, t.TempDir(), env, "node", script, bin(t, "sdk"), can)
	a.in = in
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			var line asked
			if json.Unmarshal(s.Bytes(), &line) == nil {
				a.lines <- line
			}
		}
	}()
	return a
}

func (a *application) next() asked {
	a.t.Helper()
	select {
	case line := <-a.lines:
		a.t.Logf("%s %s", line.Kind, line.Input)
		return line
	case <-time.After(30 * time.Second):
		a.t.Fatal("the application's user is not asked")
		return asked{}
	}
}

// TestSDK has a question reach the user of an application on the Agent SDK: ours as a
// form, Claude Code's own through canUseTool, each answered there, or here meanwhile.
func TestSDK(t *testing.T) {
	for name, tc := range map[string]struct {
		can, kind string
		call      toolCall
		answer    string // "" answers here
		want      string
	}{
		"our form":               {"tools forms", "form", ours, `{"action":"accept","content":{"q1":"MongoDB"}}`, oursAnswered},
		"our form, here":         {"tools forms", "form", ours, "", oursAnswered},
		"no forms":               {"tools", "", ours, "", "There is no way to show the question to the user here"},
		"its own question":       {"tools", "AskUserQuestion", own, `{"answers":{"Which database?":"MongoDB"}}`, ownAnswered},
		"its own question, here": {"tools", "AskUserQuestion", own, "", ownAnswered},
		"nothing":                {"", "", own, "", "No such tool available"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t)
			_, env := claudeEnv(t, m, "", "--questions")
			a := newApplication(t, env, tc.can)
			m.calls <- tc.call
			begin := time.Now()
			if tc.kind != "" {
				if line := a.next(); line.Kind != tc.kind {
					t.Fatalf("asked %s", line.Kind)
				}
				t.Log("visible after", time.Since(begin))
				if tc.answer != "" {
					waittest.Pass(t.Context(), time.Second)
					_, _ = io.WriteString(a.in, tc.answer+"\n")
				} else {
					answerHere(t, env)
					begin = time.Now()
					if line := a.next(); line.Kind != "closed" {
						t.Errorf("%s", line.Kind)
					}
					t.Log("closed after", time.Since(begin))
				}
			}
			if got := m.given(t); !strings.Contains(got, tc.want) {
				t.Errorf("given %s", got)
			}
		})
	}
}
