package askuser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/templates"
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
	var with struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Properties map[string]struct{ Type, Description string }
				Required   []string
			}
		}
	}
	fatal.If(t, json.Unmarshal(list(t, c, "{}"), &with))
	ask := with.Tools[0].InputSchema
	all, _ := templates.List(c.Templates("")...)
	if p := ask.Properties; !strings.Contains(p["template"].Description, all[0].Name) || p["variables"].Type != "object" || p["questions"].Type != "array" {
		t.Errorf("%s publishes %+v", with.Tools[0].Name, p)
	}
	if len(ask.Required) > 0 {
		t.Errorf("a call with a template needs %v too", ask.Required)
	}
}

func TestTemplateFaults(t *testing.T) {
	dir := t.TempDir()
	const deploy = "[variables.where]\n[[questions]]\nquestion = \"To {{where}}?\"\n"
	fatal.If(t, os.WriteFile(filepath.Join(dir, "deploy.toml"), []byte(deploy), 0o600))
	tools := New(Config{Templates: func(string) []string { return []string{dir} }})
	for given, want := range map[string]string{
		`{"template":"deplo"}`:                             `template: there is none named "deplo"; there are: deploy`,
		`{"template":"deploy"}`:                            "needs the variable where",
		`{"template":"deploy","variables":{"were":1}}`:     `has no variable "were"`,
		`{"template":"../deploy"}`:                         "there is none",
		`{"template":["deploy"]}`:                          `template: must be the name of a template, is ["deploy"]`,
		`{"template":"deploy","variables":"prod"}`:         `variables: must be an object, is "prod"`,
		`{"template":"deploy","variables":{"where":null}}`: "needs the variable where",
	} {
		if _, err := tools.fillTemplate([]byte(given), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
	for _, given := range []string{`{"questions":[]}`, `1`, `{"template":null}`, `{"template":"x","questions":[{"question":"A?"}]}`} {
		if got, err := tools.fillTemplate([]byte(given), ""); err != nil || string(got) != given {
			t.Errorf("%s becomes %s, %v", given, got, err)
		}
	}
	// A number is asked as the agent wrote it.
	// Variables in a JSON string count, as questions do: models write objects so now and then.
	for given, want := range map[string]string{
		`{"where":1500000}`: "To 1500000?", `{"where":"all"}`: "To all?", `{"where":true}`: "To true?", `"{\"where\":\"1.2\"}"`: "To 1.2?",
	} {
		got, err := tools.fillTemplate([]byte(`{"template":"deploy","variables":`+given+`}`), "")
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, %v", given, got, err)
		}
	}
}
