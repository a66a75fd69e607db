package wire

import "strings"

// DecodeAwait reads the id that await_answer is called with.
func DecodeAwait(args []byte) (id string, err error) {
	d := &decoder{}
	m, _ := d.object("", args)
	id = strings.TrimSpace(d.text("id", m.get("id", "ticket")))
	if id == "" && !d.reported("id") {
		d.add("id", "is required: the id that came with the pending result")
	}
	return id, d.found.Err()
}
