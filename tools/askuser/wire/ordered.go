package wire

import (
	"bytes"
	"encoding/json"
	"errors"
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

// UnmarshalJSON reads an object.
func (o *ordered) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not an object")
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return err
		}
		o.put(key.(string), value) //nolint:forcetypeassert // a member's name is a string
	}
	return nil
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(k)
		if err != nil {
			return nil, err
		}
		b.WriteString(key)
		b.WriteByte(':')
		b.Write(o.values[k])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode writes v as JSON on one line, with <, > and & as they are.
func encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
