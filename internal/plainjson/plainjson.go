// Package plainjson writes JSON without the escapes for HTML. It imports no other
// package of this program.
package plainjson

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Marshal is [json.Marshal] without the escapes that HTML needs.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Object writes an object with its members in order.
func Object[V any](members iter.Seq2[string, V]) ([]byte, error) {
	out := []byte("{")
	for name, value := range members {
		key, err := Marshal(name)
		if err != nil {
			return nil, err
		}
		data, err := Marshal(value)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), data...)
	}
	return append(out, '}'), nil
}
