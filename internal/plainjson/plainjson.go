// Package plainjson writes JSON without the escapes for HTML. It imports no other
// package of this program.
package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Marshal is [json.Marshal] without the escapes that HTML needs.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Object writes an object of n members in order.
func Object(n int, member func(i int) (name string, value any)) ([]byte, error) {
	out := []byte("{")
	for i := range n {
		name, value := member(i)
		key, err := Marshal(name)
		data, wrong := Marshal(value)
		if err := errors.Join(err, wrong); err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), data...)
	}
	return append(out, '}'), nil
}
