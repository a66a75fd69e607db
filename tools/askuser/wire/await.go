package wire

import (
	"strings"

	"mcp-askuser/question"
)

// DecodeAwait reads the arguments of await_answer: the id of a record, never
// empty. The errors are those of [DecodeAsk].
func DecodeAwait(data []byte) (id string, err error) {
	d, err := decode(data, question.Limits{})
	if err != nil {
		return "", err
	}
	m, _ := d.object(root, data, "an object")
	id = strings.Trim(d.text("id", m.get("id", "ticket")), " \t\r\n\"'`") // our own text has it in quotes
	if id == "" && !d.reported("id") {
		d.found.Add("id", "is required: the id that came with the pending result")
	}
	return id, d.found.Err()
}
