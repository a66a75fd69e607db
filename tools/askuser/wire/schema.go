package wire

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"

	"mcp-askuser/question"
)

//go:generate go test -run TestSchemasAreFresh -update .
//go:generate go run ../../../cmd/mcp-askuser schema --output ../../../schema.json

// published are the schemas as schema_test.go makes them: to reflect on types
// takes longer than all the rest of starting a server. They have stand-ins in the
// places of limits.
//
//go:embed schemas.json
var published string

// The stand-ins, which are no other number of the schemas.
const (
	questionsHere = 90001 + iota
	optionsHere
	questionHere
	headerHere
)

// Published are the schemas of the three tools, of their arguments and of
// their results.
type Published struct {
	Ask           json.RawMessage `json:"ask_user_question"`
	AskResult     json.RawMessage `json:"ask_user_question result"`
	Confirm       json.RawMessage `json:"confirm_action"`
	ConfirmResult json.RawMessage `json:"confirm_action result"`
	Await         json.RawMessage `json:"await_answer"`
	AwaitResult   json.RawMessage `json:"await_answer result"`
}

// Schemas returns what is published, moved by the limits.
func Schemas(l question.Limits) Published {
	n := strconv.Itoa
	text := strings.NewReplacer(n(questionsHere), n(l.Questions), n(optionsHere), n(l.Options), n(questionHere), n(l.Question), n(headerHere), n(l.Header)).Replace(published)
	var out Published
	if err := json.Unmarshal([]byte(text), &out); err != nil { // the file is compiled in
		panic(err)
	}
	return out
}
