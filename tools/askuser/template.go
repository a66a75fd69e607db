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
	variables, _ := question.Read[map[string]json.RawMessage](&found, "variables", sent["variables"], "an object")
	if found != nil {
		return nil, found
	}
	x, err := templates.Load(name, t.Templates(directory)...)
	if errors.Is(err, templates.ErrNone) {
		all, _ := templates.List(t.Templates(directory)...)
		var names []string
		for _, x := range all {
			names = append(names, x.Name)
		}
		return nil, question.Violations{{Path: "template", Message: fmt.Sprintf("there is none named %q; there are: %s", name, strings.Join(names, ", "))}}
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

// addPrompts offers each template as a prompt, which has the model ask it. It returns
// their names.
func (t *Tools) addPrompts(s *mcpserver.MCPServer) (names []string) {
	if t.Templates == nil {
		return nil
	}
	all, err := templates.List(t.Templates("")...)
	if err != nil {
		t.Log.Warn("a template cannot be used", "error", err)
	}
	for _, x := range all {
		p := mcp.Prompt{Name: x.Name, Description: question.Readable(x.Description)}
		for _, v := range x.Variables {
			p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: v.Name, Description: question.Readable(v.Description), Required: v.Default == nil})
		}
		s.AddPrompt(p, t.templatePrompt)
		names = append(names, x.Name)
	}
	return names
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
