//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// hostile acts on a terminal, reorders what is beside it, and hides.
const hostile = "\x1b]0;x\a\u202eab\u2066c\u009b2J\u200bd\rz"

// acts returns the characters of a text that are more than text.
func acts(text string) (found []rune) {
	for _, r := range text {
		control := unicode.IsControl(r) && r != '\n' && r != '\t'
		if control || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\u2028' {
			found = append(found, r)
		}
	}
	return found
}

// hostileProject is a directory with hostile names, templates and files of clients.
func hostileProject(t *testing.T) string {
	t.Helper()
	project := filepath.Join(t.TempDir(), "shop"+hostile)
	folder := filepath.Join(project, ".mcp-askuser", "templates")
	fatal.If(t, os.MkdirAll(folder, 0o700))
	const good = "description = \"D\\u001b]0;x\\u202e\u202e\"\n[variables.where]\ndescription = \"V\\u001b[2J\u202e\"\n" +
		"[[questions]]\nquestion = \"Where\\u001b[2J\u202e {{where}}?\"\n"
	for file, text := range map[string]string{
		".cursor/mcp.json":      `{"mcpServers": {"askuser": {"command": "old\u009b31m\u202e"}}}`,
		".claude/settings.json": "{\"a\": \"\u009b2J\"}",
		".gemini/settings.json": "{\"mcpServers\": {\"askuser\": {\"command\": \"mcp-askuser\"}}, " +
			"\"mcp\": {\"allowed\": [\"a\u009b31m\u202e\"]}}",
	} {
		path := filepath.Join(project, file)
		fatal.If(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	for name, text := range map[string]string{"good": good, "bad" + hostile: good, "worse": "description = \"\u202e\n"} {
		fatal.If(t, os.WriteFile(filepath.Join(folder, name+".toml"), []byte(text), 0o600))
	}
	return project
}

// hostileCall is a call with hostile texts in every member; name begins its first question.
func hostileCall(t *testing.T, session, name string) string {
	t.Helper()
	option := func(name string) map[string]any {
		return map[string]any{"label": name + hostile, "description": hostile, "preview": hostile}
	}
	data, err := json.Marshal(map[string]any{"session_id": session, "wait": false, "questions": []any{
		map[string]any{"question": name + hostile, "header": "H" + hostile, "options": []any{option("A"), option("B")}},
		map[string]any{
			"question": "Q2" + hostile, "header": "h" + hostile, "multiSelect": true, "question_id": "id" + hostile,
			"options": []any{option("C"), option("D")},
		},
		map[string]any{"question": "Q3" + hostile, "required": false, "placeholder": hostile},
	}})
	fatal.If(t, err)
	return string(data)
}

// hostileClient connects as a client of a hostile name, with the project as its directory.
func hostileClient(t *testing.T, dir, project, rounds string) *connection {
	t.Helper()
	cmd := program(t, dir, "serve", "--surface", "inbox", "--max-rounds", rounds)
	cmd.Dir = project
	w := speakTo(t, cmd)
	w.hello("some client"+hostile, `{}`)
	return w
}

// hostileReply answers every question of the call, with hostile texts in every member.
func hostileReply(rec *desk.Record) question.Reply {
	return question.Reply{Note: "N" + hostile, Answers: []question.Answer{
		{QuestionID: rec.Questions[0].ID, Custom: "Own" + hostile, Note: "n" + hostile},
		{QuestionID: rec.Questions[1].ID, Selected: []string{rec.Questions[1].Options[0].ID, rec.Questions[1].Options[1].ID}},
		{QuestionID: rec.Questions[2].ID, Custom: "1\ttab\n2" + hostile},
	}}
}

// Whatever an agent, a user or a repository writes reaches the model as text: in results of
// calls, refusals and prompts.
func TestResultsAreText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, w := desktest.Open(t, dir), hostileClient(t, dir, hostileProject(t), "1")
	check := func(what, call string, wants ...string) (id string) {
		t.Helper()
		m := w.response(call)
		var v any
		fatal.If(t, json.Unmarshal([]byte(m.raw), &v))
		text := fmt.Sprint(v)
		if found := acts(text); found != nil {
			t.Errorf("%s: %U in %q", what, found, text)
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q: %q", what, want, text)
			}
		}
		return m.Result.StructuredContent.ID
	}
	const ask, await = "ask_user_question", "await_answer"
	id := check("asked", w.call(ask, hostileCall(t, "s"+hostile, "Q1")))
	rec, err := d.Get(t.Context(), id)
	if err != nil || rec.Questions[0].Text != "Q1"+hostile {
		t.Fatalf("the record has %+v, %v", rec.Questions, err)
	}
	reply(t, d, id, hostileReply(&rec))
	check("answered", w.call(await, `{"id":"`+id+`"}`), "Q1␛]0;x", "Own␛", "[U+202E]ab", "1\ttab\n2")
	check("too many rounds", w.call(ask, hostileCall(t, "s"+hostile, "Another")), "mcp-askuser lift s␛")

	quoted, _ := json.Marshal(hostile)
	bad := strings.ReplaceAll(`{"questions":[{"question":"Q","options":[BAD,BAD],"type":BAD}]}`, "BAD", string(quoted))
	check("bad arguments", w.call(ask, bad), "Validation failed")
	check("no such ticket", w.call(await, `{"id":`+string(quoted)+`}`))
	check("no such template", w.call(ask, `{"template":`+string(quoted)+`}`))
	check("prompts", w.request("prompts/list", `{}`), "D␛]0;x")
	check("a prompt", w.request("prompts/get", `{"name":"good","arguments":{"where":`+string(quoted)+`}}`),
		"exactly these arguments")
}

// Whatever an agent, a client, a repository or an argument says, commands print it as text,
// and in JSON as an escape of the same value.
func TestCommandsPrintText(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), hostileProject(t)
	d, w := desktest.Open(t, dir), hostileClient(t, dir, project, "0")
	ask := func(name string) desk.Record {
		t.Helper()
		m := w.response(w.call("ask_user_question", hostileCall(t, "", name)))
		rec, err := d.Get(t.Context(), m.Result.StructuredContent.ID)
		fatal.If(t, err)
		return rec
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := program(t, dir, args...)
		cmd.Dir = project
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run() // some are refused
		if found := acts(out.String()); found != nil || out.Len() == 0 {
			t.Errorf("%q prints %U: %q", args, found, out.String())
		}
		return out.String()
	}
	open, settled := ask("Open"), ask("Settled")
	reply(t, d, settled.ID, hostileReply(&settled))
	for _, args := range [][]string{
		{"pending"}, {"show", settled.ID}, {"show", settled.ID, "--json"}, {"history"}, {"history", "--format", "jsonl"},
		{"history", "--format", "md"}, {"answer", open.ID, "--json", `{"Nothing\u001b[2J\u202e":"x"}`}, {"templates"},
		{"ask", "--template", "worse"}, {"ask", `{"questions":"\u001b\u202e"}`}, {"--" + hostile}, {hostile},
		{"config", "--dir", hostile}, {"token", "add", hostile}, {"verify", hostile + ".json"}, {"doctor"},
		{"__complete", "lift", ""}, {"cancel", open.ID, "--reason", hostile}, {"install", "cursor", "--project", "--dry-run"},
		{"install", "--project"}, {"install", "claude-code", "--questions", "--project", "--dry-run"},
	} {
		run(args...)
	}
	for _, format := range []string{"json", "text"} {
		answered := ask(format)
		reply(t, d, answered.ID, hostileReply(&answered))
		out := run("await", answered.ID, "--format", format)
		var got struct {
			Answers map[string]any `json:"answers"`
			Note    string         `json:"note"`
		}
		switch err := json.Unmarshal([]byte(out), &got); {
		case format == "text":
			if !strings.Contains(out, "text␛]0;x") || !strings.Contains(out, "1\ttab\n2") {
				t.Errorf("text: %q", out)
			}
		case err != nil || len(got.Answers) != 3:
			t.Errorf("%s: %v, %q", format, err, out)
		case got.Note != "N"+hostile, got.Answers[format+hostile] != "Own"+hostile:
			t.Errorf("%s changes values: %q", format, out)
		}
	}

	cmd := program(t, dir, "pending")
	file := filepath.Join(t.TempDir(), "config"+hostile)
	fatal.If(t, os.WriteFile(file, []byte("keep = \"\\u001b[2J\u202e\"\nsurface = 1\n\"\\u001b\u202e\" = 1\n"), 0o600))
	cmd.Env = append(cmd.Env, settings.EnvFile+"="+file, "ASK_HOLD="+hostile)
	out, err := cmd.CombinedOutput()
	if found := acts(string(out)); err == nil || found != nil {
		t.Errorf("settings: %v, %U in %q", err, found, out)
	}
}
