package main

import (
	"cmp"
	"reflect"
	"time"

	"github.com/google/uuid"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// line is one line of a transcript: what an agent's own log would hold of
// the call or of its result (D20). Each points to the one before it in its
// session.
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

// transcript writes records, oldest first, as chains of messages, one chain for
// each session; a record of no session is one by itself. All ids are worked out
// from the records, so that a second transcript has the same.
func transcript(records []desk.Record) []line {
	last := map[string]*string{} // by session
	var out []line
	add := func(rec desk.Record, kind, role string, when time.Time, content any) *line {
		session := cmp.Or(rec.SessionID, rec.ID)
		id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(rec.ID+"/"+kind)).String()
		out = append(out, line{
			Type: role, UUID: id, ParentUUID: last[session], SessionID: session,
			Timestamp: when, CWD: rec.Asker.Directory, Message: turn{role, [1]any{content}},
		})
		last[session] = &id
		return &out[len(out)-1]
	}
	for _, rec := range records {
		use := "toolu_" + rec.ID
		tool, input := callOf(rec)
		add(rec, "tool_use", "assistant", rec.CreatedAt, toolUse{"tool_use", use, tool, input})
		result := wire.NewResult(rec)
		add(rec, "tool_result", "user", rec.Outcome.At, toolResult{"tool_result", use, result.Message, result.IsError()}).ToolUseResult = result
	}
	return out
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
				yes := o.ID == question.YesID
				c.Default = &yes
			}
		}
		if reflect.DeepEqual(q, wire.Confirm(c.Action, c.Details, c.Default)) {
			return "confirm_action", c
		}
	}
	return "ask_user_question", askInput{callQuestions(rec.Questions), rec.Metadata}
}

type confirmInput struct {
	Action  string `json:"action"`
	Details string `json:"details,omitempty"`
	Default *bool  `json:"default,omitempty"`
}

// askInput is a set as the tool takes it.
type askInput struct {
	Questions []callQuestion `json:"questions"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type callQuestion struct {
	ID          string                    `json:"question_id"`
	Question    string                    `json:"question"`
	Header      string                    `json:"header,omitempty"`
	Description string                    `json:"description,omitempty"`
	Type        question.Type             `json:"type"`
	Options     []callOption              `json:"options,omitempty"`
	Required    bool                      `json:"required"`
	AllowCustom bool                      `json:"allow_custom"`
	Default     string                    `json:"default,omitempty"`
	Placeholder string                    `json:"placeholder,omitempty"`
	FollowUps   map[string][]callQuestion `json:"follow_up_questions,omitempty"` // by option id
}

type callOption struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
	Preview     string `json:"preview,omitempty"`
}

func callQuestions(qs []question.Question) []callQuestion {
	out := make([]callQuestion, len(qs))
	for i, q := range qs {
		c := callQuestion{
			ID: q.ID, Question: q.Text, Header: q.Header, Description: q.Description, Type: q.Type,
			Required: q.Required, AllowCustom: q.AllowCustom, Default: q.Default, Placeholder: q.Placeholder,
		}
		for _, o := range q.Options {
			c.Options = append(c.Options, callOption{o.ID, o.Label, o.Description, o.Default, o.Preview})
			if len(o.FollowUps) == 0 {
				continue
			}
			if c.FollowUps == nil {
				c.FollowUps = map[string][]callQuestion{}
			}
			c.FollowUps[o.ID] = callQuestions(o.FollowUps)
		}
		out[i] = c
	}
	return out
}
