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
	body, ok := read(w, r)
	if !ok {
		return
	}
	answer := func(item map[string]any) {
		events(w,
			map[string]any{"type": "response.created", "response": map[string]any{"id": "resp"}},
			map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item},
			map[string]any{"type": "response.completed", "response": map[string]any{"id": "resp", "object": "response", "status": "completed",
				"output": []any{item}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
	}
	tools := toolsOf(body)
	ours := slices.IndexFunc(tools, func(t tool) bool { return strings.Contains(t.name, "askuser") })
	if ours < 0 { // a title, a summary: not the dialogue
		answer(map[string]any{"type": "message", "id": "msg", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "ok"}}})
		return
	}
	call, id, ok := m.next(r, body)
	if !ok {
		return
	}
	item := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "arguments": text(call.args), "name": "mcp__askuser__" + call.tool}
	if t := tools[ours]; t.kind == "namespace" {
		item["namespace"], item["name"] = t.name, call.tool
	}
	answer(item)
}

// messages is Anthropic's API.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	body, ok := read(w, r)
	if !ok {
		return
	}
	start := map[string]any{"type": "message_start", "message": map[string]any{"id": fmt.Sprintf("msg_%d", time.Now().UnixNano()), "type": "message", "role": "assistant",
		"model": "claude-sonnet-4-5", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}}
	say := func() {
		events(w, start,
			map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}},
			map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": "ok"}},
			map[string]any{"type": "content_block_stop", "index": 0},
			map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
			map[string]any{"type": "message_stop"})
	}
	if !slices.ContainsFunc(toolsOf(body), func(t tool) bool { // a title, a summary: not the dialogue
		return t.name == "Bash" || strings.HasPrefix(t.name, "mcp__askuser__")
	}) {
		say()
		return
	}
	call, id, ok := m.next(r, body)
	if !ok {
		return
	}
	if call.tool == "" {
		say()
		return
	}
	name := "mcp__askuser__" + call.tool
	if call.tool != strings.ToLower(call.tool) { // the host's own
		name = call.tool
	}
	events(w, start,
		map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{
			"type": "tool_use", "id": "toolu_" + id, "name": name, "input": map[string]any{},
		}},
		map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "input_json_delta", "partial_json": text(call.args)}},
		map[string]any{"type": "content_block_stop", "index": 0},
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "tool_use", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
		map[string]any{"type": "message_stop"})
}

// gemini is Google's API. Its results have the name of the tool, not the id of the call.
func (m *model) gemini(w http.ResponseWriter, r *http.Request) {
	body, ok := read(w, r)
	if !ok {
		return
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
	name, found := ourName(body)
	if !found {
		say(map[string]any{"text": "ok"})
		return
	}
	call, id, ok := m.next(r, body)
	switch {
	case !ok:
	case call.tool == "":
		say(map[string]any{"text": "ok"})
	default:
		name = strings.Replace(name, "ask_user_question", call.tool, 1)
		say(map[string]any{"functionCall": map[string]any{"id": id, "name": name, "args": call.args}})
	}
}

// completions is OpenAI's older API, which OpenCode and Crush speak.
func (m *model) completions(w http.ResponseWriter, r *http.Request) {
	body, ok := read(w, r)
	if !ok {
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
	name, found := ourName(body)
	if !found {
		say("stop", map[string]any{"role": "assistant", "content": "ok"})
		return
	}
	call, id, ok := m.next(r, body)
	switch {
	case !ok:
	case call.tool == "":
		say("stop", map[string]any{"role": "assistant", "content": "ok"})
	default:
		name = strings.Replace(name, "ask_user_question", call.tool, 1)
		say("tool_calls", map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": id, "type": "function",
			"function": map[string]any{"name": name, "arguments": text(call.args)}}}})
	}
}
