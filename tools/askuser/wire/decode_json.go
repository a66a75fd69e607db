package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"time"
)

func (d *decoder) seconds(path string, raw json.RawMessage) time.Duration {
	var n float64
	if json.Unmarshal(raw, &n) != nil || n < 0 || n > math.MaxInt32 {
		d.add(path, "must be a number of seconds, 0 or more")
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

func (d *decoder) text(path string, raw json.RawMessage) string {
	var s string
	if raw != nil && json.Unmarshal(raw, &s) != nil {
		d.add(path, "must be a string")
	}
	return s
}

func (d *decoder) flag(path string, raw json.RawMessage, otherwise bool) bool {
	b := otherwise
	if raw != nil && json.Unmarshal(raw, &b) != nil {
		d.add(path, "must be true or false")
	}
	return b
}

func (d *decoder) array(path string, raw json.RawMessage, want string) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		d.add(path, "must be %s", want)
		return nil, false
	}
	return items, true
}

// object reads a JSON object.
func (d *decoder) object(path string, raw json.RawMessage) (ordered, bool) {
	var m ordered
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		if path == "" {
			path = root
		}
		d.add(path, "must be an object")
		return m, false
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break // data was valid as a whole, so this is not reached
		}
		name, _ := key.(string)
		m.put(name, value)
	}
	return m, true
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (d *decoder) isObject(raw json.RawMessage) bool { return opens(raw, '{') }
func (d *decoder) isArray(raw json.RawMessage) bool  { return opens(raw, '[') }

func opens(raw json.RawMessage, with byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == with
}

// unquote returns the JSON inside a JSON string, where a model wrote an array
// or object as one (FACTS 6); anything else comes back as it is.
func unquote(raw json.RawMessage) json.RawMessage {
	var inner string
	if json.Unmarshal(raw, &inner) != nil {
		return raw
	}
	if in := []byte(strings.TrimSpace(inner)); json.Valid(in) && (opens(in, '[') || opens(in, '{')) {
		return in
	}
	return raw
}
