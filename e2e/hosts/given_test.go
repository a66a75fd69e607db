//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestModelIsGiven checks what each host gives its model: the lean result, and of a call
// that is refused what is wrong with it. The transcript has the ids of the host's own.
func TestModelIsGiven(t *testing.T) {
	for _, h := range []struct {
		name  string
		start func(*testing.T, *model) *host
		form  string
		keys  []string

		toolUse string // the id of the second call, in the host's own transcript
	}{
		{"codex", codex, "enter to submit", []string{"=2", "Enter"}, `"tool_use_id":"call_2"`},
		{"claude", claude, "requests your input", []string{"Right", "Down", "Enter", "Enter"}, `"tool_use_id":"toolu_call_2"`},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p := &person{t: t, host: h.start(t, newModel(t))}
			p.ready()
			p.calls <- toolCall{"ask_user_question", json.RawMessage(`{"questions":[{"question":"Which?","options":["A"]}]}`)}
			if got := p.given(); !strings.Contains(got, "must have 2 to 4 options") || !strings.Contains(got, `validation`) && !strings.Contains(got, "Validation") {
				t.Errorf("of a refused call: %s", got)
			}
			p.calls <- toolCall{"ask_user_question", json.RawMessage(`{"name":"ask_user_question","input":{"question":"Which database?","options":["PostgreSQL","MongoDB"]}}`)}
			p.expect(h.form)
			p.pause(1500 * time.Millisecond) // what comes sooner counts as the host's own
			p.answer(h.keys)
			if got := p.given(); !strings.Contains(got, `{"status":"answered","answers":{"Which database?":"MongoDB"}}`) {
				t.Errorf("of an answer: %s", got)
			}
			transcript, err := exec.Command(program(t), "history", "--format", "jsonl", "--dir", p.desk).CombinedOutput()
			if err != nil || !strings.Contains(string(transcript), h.toolUse) {
				t.Errorf("the transcript has another id than the host's: %v\n%s", err, transcript)
			}
		})
	}
}

// given is what the host gives its model next.
func (p *person) given() string {
	select {
	case text := <-p.results:
		p.t.Log(text)
		return text
	case <-time.After(time.Minute):
		p.t.Fatalf("the call does not return:\n%s", p.screen())
		return ""
	}
}
