package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/question"
	"mcp-askuser/templates"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/tools/askuser/wire"
)

// fillTemplate returns the arguments of a call. If they name a template, it
// returns those of the template, with the caller's other arguments added. The
// error is a [question.Violations].
func (t *Tools) fillTemplate(arguments json.RawMessage, directory string) (json.RawMessage, error) {
	var sent map[string]json.RawMessage
	// The decoder reports malformed arguments.
	if json.Unmarshal(arguments, &sent) != nil || t.Templates == nil {
		return arguments, nil //nolint:nilerr // the decoder reports it
	}
	if own := string(sent["questions"]); own != "" && own != "null" && own != "[]" {
		return arguments, nil // the call has its own questions
	}
	var found question.Violations
	name, _ := question.Read[string](&found, "template", sent["template"], "the name of a template")
	if name == "" && found == nil {
		return arguments, nil
	}
	variables, _ := question.Read[map[string]json.RawMessage](&found, "variables", wire.Unquote(sent["variables"]),
		"an object")
	if found != nil {
		return nil, found
	}
	x, err := templates.Load(name, t.Templates(directory)...)
	if errors.Is(err, templates.ErrNone) {
		all, _ := templates.List(t.Templates(directory)...)
		message := fmt.Sprintf("there is none named %q; there are: %s", name, cmp.Or(names(all), "none"))
		return nil, question.Violations{{Path: "template", Message: message}}
	}
	values := map[string]string{}
	for name, raw := range variables {
		text := ""
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw) // a number stays as it is written
		}
		if string(raw) != "null" {
			values[name] = text
		}
	}
	var data []byte
	if err == nil {
		data, err = x.Call(values)
	}
	if err != nil {
		return nil, question.Violations{{Path: "template", Message: err.Error()}}
	}
	var filled map[string]json.RawMessage
	if err := json.Unmarshal(data, &filled); err != nil {
		return nil, err
	}
	for _, name := range []string{"template", "variables", "questions"} {
		delete(sent, name)
	}
	maps.Copy(filled, sent)
	return json.Marshal(filled)
}

// addTemplates offers the templates in the schema of ask_user_question, and each as a prompt
// that makes the model ask it. They are read when a client lists or gets them, never at the
// start: a project contains any files.
func (t *Tools) addTemplates(s *mcpserver.MCPServer) {
	if t.Templates == nil {
		return
	}
	hooks := &mcpserver.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		all := t.listTemplates()
		if len(all) == 0 {
			return
		}
		schema := wire.Schemas(t.Limits)
		schema.AddTemplates(names(all))
		for i := range result.Tools {
			if result.Tools[i].Name == "ask_user_question" {
				result.Tools[i].RawInputSchema = schema.Ask
			}
		}
	})
	hooks.AddAfterListPrompts(func(_ context.Context, _ any, _ *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
		result.Prompts = []mcp.Prompt{}
		for _, x := range t.listTemplates() {
			p := mcp.Prompt{Name: x.Name, Description: question.Readable(x.Description)}
			for _, v := range x.Variables {
				p.Arguments = append(p.Arguments, mcp.PromptArgument{
					Name: v.Name, Description: question.Readable(v.Description), Required: v.Default == nil,
				})
			}
			result.Prompts = append(result.Prompts, p)
		}
	})
	// mcp-go gets only a prompt that was added.
	hooks.AddBeforeGetPrompt(func(_ context.Context, _ any, req *mcp.GetPromptRequest) {
		_, err := templates.Load(req.Params.Name, t.Templates("")...)
		if !errors.Is(err, templates.ErrNone) {
			s.AddPrompt(mcp.Prompt{Name: req.Params.Name}, t.templatePrompt)
		}
	})
	mcpserver.WithHooks(hooks)(s)
	mcpserver.WithPromptCapabilities(false)(s)
}

// names returns the names of templates, separated by commas.
func names(all []templates.Template) string {
	var out []string
	for _, x := range all {
		out = append(out, x.Name)
	}
	return strings.Join(out, ", ")
}

// listTemplates returns the templates, and logs those that cannot be used.
func (t *Tools) listTemplates() []templates.Template {
	all, err := templates.List(t.Templates("")...)
	if err != nil {
		t.Log.Warn("a template cannot be used", "error", err)
	}
	return all
}

// templatePrompt returns the prompt that makes the model ask a template's questions.
func (t *Tools) templatePrompt(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	x, err := templates.Load(req.Params.Name, t.Templates("")...)
	if err != nil {
		return nil, err
	}
	data, err := x.Call(req.Params.Arguments)
	if err != nil {
		return nil, errors.New(question.Readable(err.Error()))
	}
	text := texts.Fill("template", map[string]string{"call": string(data)})
	return &mcp.GetPromptResult{
		Description: question.Readable(x.Description),
		Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(question.Readable(text))}},
	}, nil
}
