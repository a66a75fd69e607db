package main

import (
	"cmp"
	"io"
	"iter"
	"time"

	"github.com/google/uuid"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// line is one line of a transcript: a call or a result as in the log of an agent. It
// points to the line before it in its session.
type line struct {
	Type          string       `json:"type"` // assistant or user
	UUID          string       `json:"uuid"`
	ParentUUID    *string      `json:"parentUuid"` // null at the start of a session
	SessionID     string       `json:"sessionId"`
	Timestamp     time.Time    `json:"timestamp"`
	CWD           string       `json:"cwd,omitempty"` // the project that the asker works in
	Message       turn         `json:"message"`
	ToolUseResult *wire.Result `json:"toolUseResult,omitempty"`
}

// turn is a message as in the model's interface.
type turn struct {
	Role    string `json:"role"`
	Content [1]any `json:"content"`
}

type toolUse struct {
	Type  string       `json:"type"` // tool_use
	ID    string       `json:"id"`
	Name  string       `json:"name"`
	Input question.Set `json:"input"` // a question.Set
}

type toolResult struct {
	Type      string `json:"type"` // tool_result
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error,omitempty"`
}

// lines are the call and its result. They update last, the last id of each session.
func lines(rec desk.Record, last map[string]*string) (out []line) {
	add := func(kind, role string, when time.Time, content any) *line {
		session := cmp.Or(rec.SessionID, rec.ID)
		id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(rec.ID+"/"+kind)).String()
		out = append(out, line{
			Type: role, UUID: id, ParentUUID: last[session], SessionID: session,
			Timestamp: when, CWD: rec.Asker.Directory, Message: turn{role, [1]any{content}},
		})
		last[session] = &id
		return &out[len(out)-1]
	}
	use := cmp.Or(rec.ToolUse, "toolu_"+rec.ID)
	// A set in a record is written as a call of this tool, also what confirm_action asked.
	add("tool_use", "assistant", rec.CreatedAt, toolUse{"tool_use", use, "ask_user_question", rec.Set})
	result := wire.NewResult(rec)
	add("tool_result", "user", rec.Outcome.At, toolResult{"tool_result", use, result.Text,
		result.IsError()}).ToolUseResult = result
	return out
}

// writeTranscript writes records, oldest first, as chains of messages, one for each
// session; a record without a session is a chain of its own. The ids are derived from
// the records: every transcript has the same.
func writeTranscript(w io.Writer, records iter.Seq2[desk.Record, error]) error {
	last := map[string]*string{}
	for rec, err := range records {
		if err != nil {
			return err
		}
		for _, m := range lines(rec, last) {
			if err := writeJSON(w, m, ""); err != nil {
				return err
			}
		}
	}
	return nil
}
