//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// responses is OpenAI's API.
func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Input []struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
			Output any    `json:"output"`
		} `json:"input"`
		Tools []tool `json:"tools"`
	}
	if !read(w, r, &body) {
		return
	}
	answer := func(item map[string]any) {
		events(w,
			map[string]any{"type": "response.created", "response": map[string]any{"id": "resp"}},
			map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item},
			map[string]any{"type": "response.completed", "response": map[string]any{"id": "resp", "object": "response", "status": "completed",
				"output": []any{item}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
	}
	ours := slices.IndexFunc(body.Tools, func(t tool) bool { return strings.Contains(t.Name, "askuser") })
	if ours < 0 { // a title, a summary: not the dialogue
		answer(map[string]any{"type": "message", "id": "msg", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "ok"}}})
		return
	}
	call, id, ok := m.next(r, func(id string) (string, bool) {
		for _, item := range body.Input {
			if item.CallID == id && strings.HasSuffix(item.Type, "_output") {
				return text(item.Output), true
			}
		}
		return "", false
	})
	if !ok {
		return
	}
	item := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "arguments": text(call.args), "name": "mcp__askuser__" + call.tool}
	if t := body.Tools[ours]; t.Type == "namespace" {
		item["namespace"], item["name"] = t.Name, call.tool
	}
	answer(item)
}

// messages is Anthropic's API.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []tool `json:"tools"`
	}
	if !read(w, r, &body) {
		return
	}
	name := ""
	start := map[string]any{"type": "message_start", "message": map[string]any{"id": fmt.Sprintf("msg_%d", time.Now().UnixNano()), "type": "message", "role": "assistant",
		"model": "claude-sonnet-4-5", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}}
	if slices.ContainsFunc(body.Tools, func(t tool) bool { return strings.HasPrefix(t.Name, "mcp__askuser__") }) {
		name = "mcp__askuser__"
	}
	say := func() {
		events(w, start,
			map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}},
			map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": "ok"}},
			map[string]any{"type": "content_block_stop", "index": 0},
			map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
			map[string]any{"type": "message_stop"})
	}
	if name == "" && !slices.ContainsFunc(body.Tools, func(t tool) bool { return t.Name == "Bash" }) { // a title, a summary: not the dialogue
		say()
		return
	}
	call, id, ok := m.next(r, func(id string) (string, bool) {
		for _, message := range body.Messages {
			var blocks []struct {
				Type      string `json:"type"`
				ToolUseID string `json:"tool_use_id"`
				Content   any    `json:"content"`
			}
			_ = json.Unmarshal(message.Content, &blocks)
			for _, b := range blocks {
				if b.Type == "tool_result" && b.ToolUseID == "toolu_"+id {
					return text(b.Content), true
				}
			}
		}
		return "", false
	})
	if !ok {
		return
	}
	if call.tool == "" {
		say()
		return
	}
	if name = "mcp__askuser__"; call.tool != strings.ToLower(call.tool) { // the host's own
		name = ""
	}
	events(w, start,
		map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": name + call.tool, "input": map[string]any{}}},
		map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "input_json_delta", "partial_json": text(call.args)}},
		map[string]any{"type": "content_block_stop", "index": 0},
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "tool_use", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
		map[string]any{"type": "message_stop"})
}

// gemini is Google's API. Its results have the name of the tool, not the id of the call.
func (m *model) gemini(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					ID       string
					Response any
				} `json:"functionResponse"`
			}
		}
		Tools []struct {
			FunctionDeclarations []tool `json:"functionDeclarations"`
		}
	}
	if !read(w, r, &body) {
		return
	}
	name := ""
	for _, t := range body.Tools {
		for _, f := range t.FunctionDeclarations {
			if i := strings.Index(f.Name, "ask_user_question"); i >= 0 {
				name = f.Name[:i]
			}
		}
	}
	say := func(part map[string]any) {
		data, _ := json.Marshal(map[string]any{"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": []any{part}}}}})
		if !strings.Contains(r.URL.Path, "stream") {
			_, _ = w.Write(data)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	}
	if name == "" {
		say(map[string]any{"text": "ok"})
		return
	}
	call, id, ok := m.next(r, func(id string) (string, bool) {
		for _, c := range body.Contents {
			for _, p := range c.Parts {
				if p.FunctionResponse != nil && p.FunctionResponse.ID == id {
					return text(p.FunctionResponse.Response), true
				}
			}
		}
		return "", false
	})
	switch {
	case !ok:
	case call.tool == "":
		say(map[string]any{"text": "ok"})
	default:
		say(map[string]any{"functionCall": map[string]any{"id": id, "name": name + call.tool, "args": call.args}})
	}
}

// completions is OpenAI's older API, which OpenCode and Crush speak.
func (m *model) completions(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct {
			ToolCallID string `json:"tool_call_id"`
			Content    any
		}
		Tools []struct{ Function tool }
	}
	if !read(w, r, &body) {
		return
	}
	say := func(finish string, delta map[string]any) {
		w.Header().Set("Content-Type", "text/event-stream")
		data, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "m",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}})
		end, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "m",
			"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}},
			"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: %s\n\ndata: [DONE]\n\n", data, end)
	}
	i := slices.IndexFunc(body.Tools, func(t struct{ Function tool }) bool { return strings.Contains(t.Function.Name, "ask_user_question") })
	if i < 0 {
		say("stop", map[string]any{"role": "assistant", "content": "ok"})
		return
	}
	call, id, ok := m.next(r, func(id string) (string, bool) {
		for _, message := range body.Messages {
			if message.ToolCallID == id {
				return text(message.Content), true
			}
		}
		return "", false
	})
	switch {
	case !ok:
	case call.tool == "":
		say("stop", map[string]any{"role": "assistant", "content": "ok"})
	default:
		name := strings.Replace(body.Tools[i].Function.Name, "ask_user_question", call.tool, 1)
		say("tool_calls", map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": id, "type": "function",
			"function": map[string]any{"name": name, "arguments": text(call.args)}}}})
	}
}
