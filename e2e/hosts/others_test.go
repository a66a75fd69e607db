//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

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
