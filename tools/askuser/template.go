package askuser

import (
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
)

// filled returns the arguments of a call; of one that names a template,
// those that the template makes, with the rest of what the caller gave beside
// them. The error is a [question.Violations].
func (t *Tools) filled(arguments json.RawMessage, directory string) (json.RawMessage, error) {
	var given struct{ Template, Variables, Questions json.RawMessage }
	// What cannot be read is for the decoder to say.
	if json.Unmarshal(arguments, &given) != nil || t.Templates == nil {
		return arguments, nil //nolint:nilerr // the decoder says it
	}
	if n := len(given.Questions); n > 0 && string(given.Questions) != "null" && string(given.Questions) != "[]" {
		return arguments, nil // the questions are there already
	}
	var found question.Violations
	named, _ := question.Read[string](&found, "template", given.Template, "the name of a template")
	if named == "" && found == nil {
		return arguments, nil
	}
	variables, _ := question.Read[map[string]json.RawMessage](&found, "variables", given.Variables, "an object")
	if found != nil {
		return nil, found
	}
	x, err := templates.Load(named, t.Templates(directory)...)
	if errors.Is(err, templates.ErrNone) {
		all, _ := templates.List(t.Templates(directory)...)
		var names []string
		for _, x := range all {
			names = append(names, x.Name)
		}
		return nil, question.Violations{{Path: "template", Message: fmt.Sprintf("there is none named %q; there are: %s", named, strings.Join(names, ", "))}}
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
	var all, made map[string]json.RawMessage
	if json.Unmarshal(arguments, &all) != nil || json.Unmarshal(data, &made) != nil {
		return arguments, nil //nolint:nilerr // the decoder says it
	}
	for _, name := range []string{"template", "variables", "questions"} {
		delete(all, name)
	}
	maps.Copy(made, all)
	return json.Marshal(made)
}

// addPrompts offers each template as a prompt, which has the model ask it.
func (t *Tools) addPrompts(s *mcpserver.MCPServer) {
	if t.Templates == nil {
		return
	}
	all, err := templates.List(t.Templates("")...)
	if err != nil {
		t.Log.Warn("a template cannot be used", "error", err)
	}
	for _, x := range all {
		p := mcp.Prompt{Name: x.Name, Description: x.Description}
		for _, v := range x.Variables {
			p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: v.Name, Description: v.Description, Required: v.Default == nil})
		}
		s.AddPrompt(p, t.askFrom)
	}
}

// askFrom tells the model what to ask.
func (t *Tools) askFrom(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	x, err := templates.Load(req.Params.Name, t.Templates("")...)
	if err != nil {
		return nil, err
	}
	data, err := x.Call(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	text := texts.Fill("template", map[string]string{"call": string(data)})
	return &mcp.GetPromptResult{
		Description: x.Description,
		Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}},
	}, nil
}
