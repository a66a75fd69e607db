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

// A permission is the question whether an agent may use a tool this once, with this
// input. Only a user's own yes is printed as yes. "Always" remains to the host's dialog,
// as it changes the host's settings.

// permission asks whether an agent may use a tool, with the tool's input as literal text
// below a description in Markdown.
func permission(text, yes, no, description string, input json.RawMessage) (*question.Set, bool) {
	literalInput, ok := literal(input)
	if !ok {
		return nil, false
	}
	set := &question.Set{Questions: []question.Question{{
		ID: "q1", Text: text, Header: words.Permission, Type: question.Boolean, Required: true,
		Description: strings.TrimSpace(description + "\n\n" + literalInput),
		Options:     []question.Option{{ID: question.YesID, Label: yes}, {ID: question.NoID, Label: no}},
	}}}
	if description == "" {
		set.Questions[0].Description = literalInput // with its indentation
	}
	return set, len(set.Validate(limits())) == 0
}

// toolPermission asks whether an agent may use a tool.
func toolPermission(host, tool string, input json.RawMessage) (*question.Set, bool) {
	return permission(fmt.Sprintf(words.AllowTool, host, question.Line(tool)), words.AllowOnce, words.Deny, "", input)
}

// ourTool reports whether a tool is one of ours, by the end of its name: each host
// prefixes the name of the server.
func ourTool(name string) bool {
	return slices.ContainsFunc([]string{"_ask_user_question", "_confirm_action", "_await_answer"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}

// literal returns a JSON object as preformatted Markdown: one line for each member, or
// its lines indented below its name, without invisible characters.
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

// chosen returns the option that a reply takes of a yes-or-no question.
func chosen(rec desk.Record) string {
	if r := rec.Reply(); r != nil && len(r.Answers) == 1 && len(r.Answers[0].Selected) == 1 {
		return r.Answers[0].Selected[0]
	}
	return ""
}

// granted reports whether the user has answered yes, without a note.
func granted(rec desk.Record) bool {
	r := rec.Reply()
	return rec.Asker.Permission() && rec.State == desk.Answered && chosen(rec) == question.YesID &&
		rec.Outcome.Answerer.Kind == desk.UserAnswerer && r.Note == "" && r.Answers[0].Note == "" && r.Answers[0].Custom == ""
}

// permissionPrinter returns the function that writes a reply to a permission: the
// host's yes, or its no with a message for the model.
func permissionPrinter(yes any, no func(message string) any) func(desk.Record) []byte {
	return func(rec desk.Record) []byte {
		if granted(rec) {
			return marshal(yes)
		}
		return marshal(no(refusal(rec)))
	}
}

// decided is the outcome of a permission's dialog in which the user chose yes or no.
func decided(host string, set *question.Set, id string) desk.Outcome {
	return answered(host, set, question.Reply{Answers: []question.Answer{{QuestionID: set.Questions[0].ID,
		Selected: []string{id}, By: question.ByUser}}})
}
