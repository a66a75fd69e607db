package wire

import (
	"encoding/json"

	"mcp-askuser/internal/plainjson"
)

// ordered is a JSON object whose members keep the order in which they were
// written.
type ordered struct {
	keys   []string
	values map[string]json.RawMessage
}

// get returns the first of these members that is there and not null.
func (o *ordered) get(names ...string) json.RawMessage {
	for _, n := range names {
		if raw := o.values[n]; len(raw) > 0 && string(raw) != "null" {
			return raw
		}
	}
	return nil
}

// put appends a member, or replaces the one of this name.
func (o *ordered) put(name string, value json.RawMessage) {
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	if _, there := o.values[name]; !there {
		o.keys = append(o.keys, name)
	}
	o.values[name] = value
}

// set puts a member whose value has no reason to fail to be JSON.
func (o *ordered) set(name string, value any) {
	data, err := encode(value)
	if err != nil {
		panic(err)
	}
	o.put(name, json.RawMessage(data))
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	return plainjson.Object(func(yield func(string, json.RawMessage) bool) {
		for _, key := range o.keys {
			if !yield(key, o.values[key]) {
				return
			}
		}
	})
}

// encode writes v as JSON on one line.
func encode(v any) (string, error) {
	data, err := plainjson.Marshal(v)
	return string(data), err
}
