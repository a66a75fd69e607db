package askuser

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/templates"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/tools/askuser/wire"
)

// Every template of the examples is a call without a fault, and a model that is
// given the prompt, or names the template, asks the same.
func TestTemplates(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "templates")
	tools := New(Config{Templates: func(string) []string { return []string{dir} }})
	all, err := templates.List(dir)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for _, x := range all {
		values := map[string]string{}
		for _, v := range x.Variables {
			values[v.Name] = "1.2"
		}
		given, _ := json.Marshal(map[string]any{"template": x.Name, "variables": values, "timeout_seconds": 60})
		arguments, err := tools.fillTemplate(given, "")
		fatal.If(t, err)
		call, err := wire.DecodeAsk(arguments, question.DefaultLimits())
		if err != nil || call.Timeout.Seconds() != 60 || len(call.Dropped) > 0 || strings.Contains(string(arguments), "{{") {
			t.Errorf("%s: %+v, %v", x.Name, call, err)
		}
		result, err := tools.templatePrompt(t.Context(), mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: x.Name, Arguments: values}})
		fatal.If(t, err)
		text := result.Messages[0].Content.(mcp.TextContent).Text
		_, body, _ := strings.Cut(text, "{")
		if _, err := wire.DecodeAsk([]byte("{"+body), question.DefaultLimits()); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// The arguments of a template are published where there are templates, and only there.
func TestTemplatesArePublished(t *testing.T) {
	c := Config{Limits: question.DefaultLimits(), Templates: func(string) []string { return []string{t.TempDir()} }}
	if without := list(t, c, "{}"); strings.Contains(string(without), "emplate") {
		t.Errorf("templates are published without one: %s", without)
	}
	c.Templates = func(string) []string { return []string{filepath.Join("..", "..", "examples", "templates")} }
	with := string(list(t, c, "{}"))
	all, _ := templates.List(c.Templates("")...)
	for _, part := range []string{`"template":{`, all[0].Name, `"variables":{`, `"questions":{`} {
		if !strings.Contains(with, part) {
			t.Errorf("%s is not published: %s", part, with)
		}
	}
	if strings.Contains(with, `"required":["questions"]`) {
		t.Errorf("a call with a template needs more: %s", with)
	}
}

func TestTemplateFaults(t *testing.T) {
	dir := t.TempDir()
	const deploy = "[variables.where]\n[[questions]]\nquestion = \"To {{where}}?\"\n"
	fatal.If(t, os.WriteFile(filepath.Join(dir, "deploy.toml"), []byte(deploy), 0o600))
	tools := New(Config{Templates: func(string) []string { return []string{dir} }})
	for given, want := range map[string]string{
		`{"template":"deplo"}`:                             `template: there is none named "deplo"; there are: deploy`,
		`{"template":"../deploy"}`:                         "there is none",
		`{"template":["deploy"]}`:                          `template: must be the name of a template, is ["deploy"]`,
		`{"template":"deploy","variables":"prod"}`:         `variables: must be an object, is "prod"`,
		`{"template":"deploy","variables":{"where":null}}`: "needs the variable where",
	} {
		if _, err := tools.fillTemplate([]byte(given), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
	none := New(Config{Templates: func(string) []string { return []string{t.TempDir()} }})
	_, err := none.fillTemplate([]byte(`{"template":"x"}`), "")
	if err == nil || !strings.HasSuffix(err.Error(), "there are: none") {
		t.Errorf("without templates: %v", err)
	}
	for _, given := range []string{`{"questions":[]}`, `1`, `{"template":null}`, `{"template":"x","questions":[{"question":"A?"}]}`} {
		if got, err := tools.fillTemplate([]byte(given), ""); err != nil || string(got) != given {
			t.Errorf("%s becomes %s, %v", given, got, err)
		}
	}
	// A number is asked as the agent wrote it. Variables in a JSON string count, as questions do: models
	// write objects so now and then.
	for given, want := range map[string]string{
		`{"where":1500000}`: "To 1500000?", `{"where":"all"}`: "To all?", `{"where":true}`: "To true?", `"{\"where\":\"1.2\"}"`: "To 1.2?",
	} {
		got, err := tools.fillTemplate([]byte(`{"template":"deploy","variables":`+given+`}`), "")
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, %v", given, got, err)
		}
	}
}

// modern is what requests of 2026-07-28 say of their client; what answers them is longer.
const modern = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`

// list returns the result of tools/list as it is sent.
func list(t *testing.T, c Config, params string) []byte {
	t.Helper()
	s := mcpserver.NewMCPServer("mcp-askuser", "v1.0.0")
	New(c).Register(s)
	response, err := json.Marshal(s.HandleMessage(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":`+params+`}`)))
	fatal.If(t, err)
	var r struct{ Result json.RawMessage }
	fatal.If(t, json.Unmarshal(response, &r))
	return r.Result
}

// What clients see of the tools is a change of its own in every diff.
func TestToolsListIsGolden(t *testing.T) {
	raw := list(t, Config{Limits: question.DefaultLimits()}, "{}")
	if long := list(t, Config{Limits: question.DefaultLimits()}, modern); len(long) < len(raw)+100 || len(raw) > 4500 {
		t.Errorf("tools/list has %d bytes, of 2026-07-28 %d; they are the user's context, and at most 4,500", len(raw), len(long))
	}
	var pretty bytes.Buffer
	fatal.If(t, json.Indent(&pretty, raw, "", "  "))
	golden.Check(t, "tools_list.json", string(append(pretty.Bytes(), '\n')))
	text := texts.Text("instructions")
	if len(text) >= 1000 {
		t.Errorf("the instructions have %d bytes, and should have fewer than 1,000", len(text))
	}
	golden.Check(t, "instructions.txt", text+"\n")
}
