package main

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // RFC 9562 names it for ids, which are no secrets
	"fmt"
	"io"
	"iter"
	"reflect"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// line is one line of a transcript: what an agent's own log would hold of
// the call or of its result. Each points to the one before it in its session.
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

// turn is the message proper, as the model's interface has it.
type turn struct {
	Role    string `json:"role"`
	Content [1]any `json:"content"`
}

type toolUse struct {
	Type  string `json:"type"` // tool_use
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input any    `json:"input"` // of type askInput or confirmInput
}

type toolResult struct {
	Type      string `json:"type"` // tool_result
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error,omitempty"`
}

// lines are the call and its result. Last has the last id of each session before,
// and then after them.
func lines(rec desk.Record, last map[string]*string) (out []line) {
	add := func(kind, role string, when time.Time, content any) *line {
		session := cmp.Or(rec.SessionID, rec.ID)
		id := nameUUID(rec.ID + "/" + kind)
		out = append(out, line{
			Type: role, UUID: id, ParentUUID: last[session], SessionID: session,
			Timestamp: when, CWD: rec.Asker.Directory, Message: turn{role, [1]any{content}},
		})
		last[session] = &id
		return &out[len(out)-1]
	}
	use := "toolu_" + rec.ID
	tool, input := callOf(rec)
	add("tool_use", "assistant", rec.CreatedAt, toolUse{"tool_use", use, tool, input})
	result := wire.NewResult(rec)
	add("tool_result", "user", rec.Outcome.At, toolResult{"tool_result", use, result.Message, result.IsError()}).ToolUseResult = result
	return out
}

// writeTranscript tells records, oldest first, as chains of messages, one chain
// for each session; a record of no session is one by itself. All ids are worked
// out from the records, so that a second transcript has the same.
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

// nameUUID returns the id of a name in the namespace of object identifiers (RFC
// 9562, version 5): the same name has the same id.
func nameUUID(name string) string {
	const namespace = "\x6b\xa7\xb8\x12\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
	id := sha1.Sum([]byte(namespace + name)) //nolint:gosec // as above
	id[6] = id[6]&0x0f | 5<<4                // version
	id[8] = id[8]&0x3f | 0x80                // variant
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

// callOf returns the tool that asks what the record asks, and its arguments. A
// record does not keep which it was: a question like those of confirm_action
// counts as one of its.
func callOf(rec desk.Record) (tool string, input any) {
	if len(rec.Questions) == 1 && rec.Metadata == nil && rec.OnTimeout == "" {
		q := rec.Questions[0]
		c := confirmInput{Action: q.Text, Details: q.Description}
		for _, o := range q.Options {
			if o.Default {
				c.Default = new(o.ID == question.YesID)
			}
		}
		if reflect.DeepEqual(q, wire.Confirm(c.Action, c.Details, c.Default)) {
			return "confirm_action", c
		}
	}
	return "ask_user_question", rec.Set // a set in a record is written as a call
}

type confirmInput struct {
	Action  string `json:"action"`
	Details string `json:"details,omitempty"`
	Default *bool  `json:"default,omitempty"`
}
