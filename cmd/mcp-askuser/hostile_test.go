//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// hostile acts on a terminal, reorders what is beside it, and hides.
const hostile = "\x1b]0;x\a\u202eab\u2066c\u009b2J\u200bd\rz"

// onPage is the evidence of an answer that the user gave.
var onPage = desk.Evidence{Surface: "inbox", How: desk.HowPage}

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

// textsOf returns all texts in a value that JSON holds, names of members included.
func textsOf(v any) (out []string) {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, x := range v {
			out = append(out, textsOf(x)...)
		}
	case map[string]any:
		for name, x := range v {
			out = append(append(out, name), textsOf(x)...)
		}
	}
	return out
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
func hostileClient(t *testing.T, dir, project, rounds string) *client.Client {
	t.Helper()
	cmd := program(t, dir, "serve", "--surface", "inbox", "--max-rounds", rounds)
	cmd.Dir = project
	e := eras[0]
	e.client = "some client" + hostile
	return connectTo(t, e, cmd, nil)
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
	d, c := openDesk(t, dir), hostileClient(t, dir, hostileProject(t), "1")
	check := func(what string, result any, err error, wants ...string) {
		t.Helper()
		data, failed := json.Marshal(result)
		var v map[string]any
		if failed != nil || json.Unmarshal(data, &v) != nil {
			t.Fatalf("%s: %s, %v", what, data, failed)
		}
		all := textsOf(v)
		if err != nil {
			all = append(all, err.Error())
		}
		for _, text := range all {
			if found := acts(text); found != nil {
				t.Errorf("%s: %U in %q", what, found, text)
			}
		}
		for _, want := range wants {
			if !strings.Contains(strings.Join(all, "\n"), want) {
				t.Errorf("%s has no %q: %q", what, want, all)
			}
		}
	}
	tool := func(what, tool, args string, wants ...string) {
		t.Helper()
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = tool, json.RawMessage(args)
		r, err := c.CallTool(t.Context(), req)
		check(what, r, err, wants...)
	}

	_, asked, _ := call(t, c, "ask_user_question", hostileCall(t, "s"+hostile, "Q1"))
	id, _ := asked["id"].(string)
	rec, err := d.Get(t.Context(), id)
	if err != nil || rec.Questions[0].Text != "Q1"+hostile {
		t.Fatalf("the record has %+v, %v", rec.Questions, err)
	}
	if _, err := d.Reply(t.Context(), id, hostileReply(&rec), onPage); err != nil {
		t.Fatal(err)
	}
	tool("answered", "await_answer", `{"id":"`+id+`"}`, "Q1␛]0;x", "Own␛", "[U+202E]ab", "1\ttab\n2")
	tool("too many rounds", "ask_user_question", hostileCall(t, "s"+hostile, "Another"), "mcp-askuser lift s␛")

	quoted, _ := json.Marshal(hostile)
	bad := strings.ReplaceAll(`{"questions":[{"question":"Q","options":[BAD,BAD],"type":BAD}]}`, "BAD", string(quoted))
	tool("bad arguments", "ask_user_question", bad, "Validation failed")
	tool("no such ticket", "await_answer", `{"id":`+string(quoted)+`}`)
	tool("no such template", "ask_user_question", `{"template":`+string(quoted)+`}`)
	prompts, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	check("prompts", prompts, err, "D␛]0;x")
	var get mcp.GetPromptRequest
	get.Params.Name, get.Params.Arguments = "good", map[string]string{"where": hostile}
	prompt, err := c.GetPrompt(t.Context(), get)
	check("a prompt", prompt, err, "exactly these arguments")
}

// Whatever an agent, a client, a repository or an argument says, commands print it as text,
// and in JSON as an escape of the same value.
func TestCommandsPrintText(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), hostileProject(t)
	d, c := openDesk(t, dir), hostileClient(t, dir, project, "0")
	ask := func(name string) desk.Record {
		t.Helper()
		_, structured, _ := call(t, c, "ask_user_question", hostileCall(t, "", name))
		id, _ := structured["id"].(string)
		rec, err := d.Get(t.Context(), id)
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
	if _, err := d.Reply(t.Context(), settled.ID, hostileReply(&settled), onPage); err != nil {
		t.Fatal(err)
	}
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
		if _, err := d.Reply(t.Context(), answered.ID, hostileReply(&answered), onPage); err != nil {
			t.Fatal(err)
		}
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
	if err := os.WriteFile(file, []byte("keep = \"\\u001b[2J\u202e\"\nsurface = 1\n\"\\u001b\u202e\" = 1\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, settings.EnvFile+"="+file, "ASK_HOLD="+hostile)
	out, err := cmd.CombinedOutput()
	if found := acts(string(out)); err == nil || found != nil {
		t.Errorf("settings: %v, %U in %q", err, found, out)
	}
}
