//go:build conformance

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

// A picture of one pixel and a sound of no length.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	sound   = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
)

// fixtures is an MCP server with what the suite calls.
func fixtures() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("conformance", "1",
		mcpserver.WithToolCapabilities(true),
		mcpserver.WithResourceCapabilities(false, false),
		mcpserver.WithPromptCapabilities(false),
	)
	for name, handler := range handlers() {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("a fixture")), handler)
	}
	s.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "a fixture", json.RawMessage(everySchema)), text("done"))
	s.AddTool(mcp.NewToolWithRawSchema("test_region", "a fixture", json.RawMessage(
		`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)), text("done"))
	s.AddResource(mcp.NewResource("test://static-text", "text", mcp.WithMIMEType("text/plain")),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "some text"}}, nil
		})
	s.AddPrompt(mcp.NewPrompt("test_simple_prompt"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt("This is a simple prompt for testing."), nil
	})
	s.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt"), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if answer := mcpserver.ElicitationResponse(r.Params.InputResponses, "user_context"); answer != nil {
			return prompt(fmt.Sprint(answer.Content)), nil
		}
		return mcpserver.NewInputRequestBuilder("").Elicit("user_context", form("Which context?", "context", "string")).PromptResult(), nil
	})
	return s
}

// everySchema has a keyword of each kind that a schema may have since 2020-12.
const everySchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

type handler = mcpserver.ToolHandlerFunc

func handlers() map[string]handler {
	written := mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "embedded"})
	return map[string]handler{
		"test_simple_text":            text("This is a simple text response for testing."),
		"test_image_content":          content(mcp.NewImageContent(picture, "image/png")),
		"test_audio_content":          content(mcp.NewAudioContent(sound, "audio/wav")),
		"test_embedded_resource":      content(written),
		"test_multiple_content_types": content(mcp.NewTextContent("several"), mcp.NewImageContent(picture, "image/png"), written),
		"test_error_handling": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		},
		"test_tool_with_progress": progress,
		"test_logging_tool":       text("logs nothing unless asked to"),
		"test_elicitation": elicit(mcp.ElicitationParams{Message: "Who are you?", RequestedSchema: schema(
			`{"username":{"type":"string"},"email":{"type":"string"}}`)}),
		"test_elicitation_sep1034_defaults": elicit(mcp.ElicitationParams{Message: "Defaults", RequestedSchema: schema(
			`{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`)}),
		"test_elicitation_sep1330_enums": elicit(mcp.ElicitationParams{Message: "Choices", RequestedSchema: schema(
			`{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["One","Two"]},
			"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2"]}},
			"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]}}}`)}),
		"test_streaming_elicitation": returning("", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("user_name", form("What is your name?", "name", "string"))
		}, "user_name"),
		"test_input_required_result_elicitation": returning("", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("user_name", form("What is your name?", "name", "string"))
		}, "user_name"),
		"test_input_required_result_sampling": returning("", func(b *mcpserver.InputRequestBuilder) {
			b.Sample("capital_question", sample("What is the capital of France?"))
		}, "capital_question"),
		"test_input_required_result_list_roots": returning("", func(b *mcpserver.InputRequestBuilder) { b.Roots("client_roots") }, "client_roots"),
		"test_input_required_result_request_state": returning("state-ok", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("confirm", form("Please confirm", "ok", "boolean"))
		}, "confirm"),
		"test_input_required_result_tampered_state": returning("signed", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("confirm", form("Please confirm", "ok", "boolean"))
		}, "confirm"),
		"test_input_required_result_multiple_inputs": returning("several", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("user_name", form("What is your name?", "name", "string")).Sample("greeting", sample("Generate a greeting")).Roots("client_roots")
		}, "user_name", "greeting", "client_roots"),
		"test_input_required_result_multi_round":  rounds,
		"test_input_required_result_capabilities": capable,
	}
}

func text(s string) handler { return content(mcp.NewTextContent(s)) }

func content(c ...mcp.Content) handler {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: c}, nil
	}
}

func prompt(s string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(s)}}}
}

func schema(properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":` + properties + `}`)
}

func form(message, key, kind string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: schema(`{"` + key + `":{"type":"` + kind + `"}}`)}
}

func sample(s string) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: 100, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(s)}}}
}

// callOf is the call as our tools have it.
func callOf(ctx context.Context) askuser.Transport {
	return mcpserver.ClientSessionFromContext(ctx).(askuser.Transport)
}

// progress reports through the call, as our tools do.
func progress(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	call := callOf(ctx)
	for n := range 3 {
		if err := call.Notify("notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": n * 50, "total": 100}); err != nil {
			return nil, err
		}
		waittest.Pass(ctx, 50*time.Millisecond) // the suite looks at their times
	}
	return mcp.NewToolResultText("done"), nil
}

// elicit asks the client of the older era, as our tools do.
func elicit(form mcp.ElicitationParams) handler {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, _, err := callOf(ctx).Elicit(ctx, form)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(answer)
		return mcp.NewToolResultText(string(data)), err
	}
}

// returning asks by returning, until all keys are there.
func returning(state string, ask func(*mcpserver.InputRequestBuilder), keys ...string) handler {
	return func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.RequestState != "" && r.Params.RequestState != state {
			return nil, errors.New("this is not our state")
		}
		for _, key := range keys {
			given := r.Params.InputResponses
			if mcpserver.ElicitationResponse(given, key) == nil && mcpserver.SamplingResponse(given, key) == nil && mcpserver.RootsResponse(given, key) == nil {
				b := mcpserver.NewInputRequestBuilder(state)
				ask(b)
				return b.ToolResult(), nil
			}
		}
		data, err := json.Marshal(r.Params.InputResponses)
		return mcp.NewToolResultText(state + " " + string(data)), err
	}
}

func rounds(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	switch r.Params.RequestState {
	case "two":
		return mcp.NewToolResultText("done"), nil
	case "one":
		return mcpserver.NewInputRequestBuilder("two").Elicit("step2", form("Step 2: What is your favorite color?", "color", "string")).ToolResult(), nil
	}
	return mcpserver.NewInputRequestBuilder("one").Elicit("step1", form("Step 1: What is your name?", "name", "string")).ToolResult(), nil
}

func capable(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	can := callOf(ctx).Client().Capabilities
	b := mcpserver.NewInputRequestBuilder("")
	if can.Elicitation != nil {
		b.Elicit("user_name", form("What is your name?", "name", "string"))
	}
	if can.Sampling != nil {
		b.Sample("greeting", sample("Generate a greeting"))
	}
	return b.ToolResult(), nil
}
