package mirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// A permission that an agent's host asks for is a question of its own kind:
// whether the tool may be used this once, with this very input. What is printed
// as yes is a yes of a human's own, and nothing else; "always" is for the host's
// own dialog, whose settings it changes.

// permission is the question whether an agent may use a tool, with all of the
// tool's input; about is what is better read than shown as it came.
func permission(text, yes, no, about string, input json.RawMessage) (*question.Set, bool) {
	rest, ok := literal(input)
	if !ok {
		return nil, false
	}
	set := &question.Set{Questions: []question.Question{{
		ID: "q1", Text: text, Header: words.Permission, Description: strings.TrimSpace(about + "\n\n" + rest), Type: question.Boolean, Required: true,
		Options: []question.Option{{ID: question.YesID, Label: yes}, {ID: question.NoID, Label: no}},
	}}}
	if about == "" {
		set.Questions[0].Description = rest // the blanks that it begins with count
	}
	return set, len(set.Validate(limits())) == 0
}

// toolPermission is the question whether a tool may be used.
func toolPermission(host, tool string, input json.RawMessage) (*question.Set, bool) {
	return permission(fmt.Sprintf(words.AllowTool, host, question.Line(tool)), words.AllowOnce, words.Deny, "", input)
}

// ourTool reports whether a tool is one of ours, behind the name that a server
// of ours has with a host.
func ourTool(name string) bool {
	return slices.ContainsFunc([]string{"_ask_user_question", "_confirm_action", "_await_answer"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}

// literal is a JSON object as text that cannot be read as anything else: each
// member in a line, or indented below its name, all of it preformatted wherever
// it is shown as Markdown, and with nothing that hides.
func literal(input json.RawMessage) (string, bool) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	var lines []string
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return "", false
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		key := question.Line(name.(string)) + ":"
		if text = question.Block(text); !strings.Contains(text, "\n") {
			lines = append(lines, key+" "+text)
			continue
		}
		lines = append(lines, key)
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, "  "+line)
		}
	}
	if _, err := dec.Token(); err != nil || dec.More() {
		return "", false
	}
	for i := range lines {
		lines[i] = "    " + lines[i]
	}
	return strings.Join(lines, "\n"), true
}

// chosen is the option of a yes-or-no question that a reply takes.
func chosen(rec desk.Record) string {
	if r := rec.Reply(); r != nil && len(r.Answers) == 1 && len(r.Answers[0].Selected) == 1 {
		return r.Answers[0].Selected[0]
	}
	return ""
}

// granted reports whether a human has said yes, and nothing beside it.
func granted(rec desk.Record) bool {
	r := rec.Reply()
	return rec.Asker.Permission() && rec.State == desk.Answered && chosen(rec) == question.YesID &&
		rec.Outcome.Answerer.Kind == desk.UserAnswerer && r.Note == "" && r.Answers[0].Note == "" && r.Answers[0].Custom == ""
}

// permissionPrinter returns what writes a reply to a permission, as its host reads
// a yes, or a no with a message for the model. A program's word is neither.
func permissionPrinter(yes any, no func(message string) any) func(desk.Record) []byte {
	return func(rec desk.Record) []byte {
		switch {
		case rec.Reply() == nil, rec.Outcome.FromProgram():
			return nil
		case granted(rec):
			return marshal(yes)
		}
		return marshal(no(refusal(rec)))
	}
}

// decided is the end of a permission's dialog in which its human said yes or no.
func decided(host string, set *question.Set, id string) desk.Outcome {
	return answered(host, set, question.Reply{Answers: []question.Answer{{QuestionID: set.Questions[0].ID, Selected: []string{id}, By: question.ByUser}}})
}
