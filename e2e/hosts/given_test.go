//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestModelIsGiven checks what each host gives its model: the structured content, and of a call
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
			if got := p.given(); !strings.Contains(got, `{"status":"answered","answers":{"Which database?":"MongoDB"}`) {
				t.Errorf("of an answer: %s", got)
			}
			transcript, err := exec.Command(program(t), "history", "--format", "jsonl", "--dir", p.desk).CombinedOutput()
			if err != nil || !strings.Contains(string(transcript), h.toolUse) {
				t.Errorf("the transcript has another id than the host's: %v\n%s", err, transcript)
			}
		})
	}
}

// TestWithoutWaiting has a model ask three things and go on: no form interrupts it. It
// collects with await_answer, which shows the form of the first, and returns what was
// answered elsewhere beside it.
func TestWithoutWaiting(t *testing.T) {
	for _, h := range []struct {
		name  string
		start func(*testing.T, *model) *host
		form  string
		keys  []string
	}{
		{"codex", codex, "enter to submit", []string{"=2", "Enter"}},
		{"claude", claude, "requests your input", []string{"Right", "Down", "Enter", "Enter"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p := &person{t: t, host: h.start(t, newModel(t))}
			p.ready()
			var ids []string
			for _, text := range []string{"Which database?", "Which region?", "Which name?"} {
				p.calls <- toolCall{"ask_user_question", json.RawMessage(fmt.Sprintf(`{"question":%q,"options":["PostgreSQL","MongoDB"],"wait":false}`, text))}
				got := p.given()
				id := regexp.MustCompile(`\b01[0-9A-Z]{24}\b`).FindString(got)
				if ids = append(ids, id); id == "" || !strings.Contains(got, `"status":"pending"`) || !strings.Contains(got, "is shown the question when you wait") {
					t.Fatalf("%s: %s", text, got)
				}
			}
			if screen := p.screen(); strings.Contains(screen, h.form) {
				t.Errorf("a form interrupts the agent:\n%s", screen)
			}
			all := text(map[string]any{"ids": ids})
			p.calls <- toolCall{"await_answer", json.RawMessage(all)}
			p.expect(h.form)
			p.pause(1500 * time.Millisecond) // what comes sooner counts as the host's own
			p.answer(h.keys)
			if got := p.given(); !strings.Contains(got, `"answers":{"Which database?":"MongoDB"}`) || !strings.Contains(got, fmt.Sprintf(`"open":[%q,%q]`, ids[1], ids[2])) {
				t.Errorf("the first: %s", got)
			}
			run(t, "", []string{"MCP_ASKUSER_DIR=" + p.desk}, program(t), "answer", ids[2], "--json", `{"question-0":"MongoDB"}`)
			p.calls <- toolCall{"await_answer", json.RawMessage(strings.TrimSuffix(all, "}") + `,"wait":false}`)}
			if got := p.given(); !strings.Contains(got, `{"Which database?":"MongoDB"}`) || !strings.Contains(got, `{"Which name?":"MongoDB"}`) || !strings.Contains(got, fmt.Sprintf(`"open":[%q]`, ids[1])) {
				t.Errorf("all that have ended: %s", got)
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

// TestTypedTextIsKept types a long text into Codex's form without the sign of an answer. The
// form that follows is empty, and says that the sign alone sends the text.
func TestTypedTextIsKept(t *testing.T) {
	p := &person{t: t, host: codex(t, newModel(t))}
	p.ready()
	const answer = "Keep the orders of the last two years in PostgreSQL, move all older ones to the archive, " +
		"and ask me again before anything is deleted for good."
	p.calls <- toolCall{"ask_user_question", json.RawMessage(`{"question":"What shall I do?"}`)}
	p.expect("enter to submit")
	p.answer([]string{answer, "Enter"})
	t.Log(p.expect("To send this"))
	p.pause(1500 * time.Millisecond) // what comes sooner counts as the host's own
	p.answer([]string{"=", "Enter"})
	got := p.given()
	if !strings.Contains(got, answer) {
		t.Errorf("the model is given %s", got)
	}
}
