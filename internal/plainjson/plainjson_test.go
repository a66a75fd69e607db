package plainjson

import (
	"maps"
	"slices"
	"testing"
)

func TestMarshal(t *testing.T) {
	if got, err := Marshal([]string{"<a> & \"b\"\n"}); err != nil || string(got) != `["<a> & \"b\"\n"]` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Marshal(func() {}); err == nil {
		t.Errorf("a function is %s", got)
	}
}

func TestObject(t *testing.T) {
	names := []string{"b", "a", "<"}
	members := func(yield func(string, any) bool) {
		for i, name := range slices.Backward(names) {
			if !yield(name, i) {
				return
			}
		}
	}
	if got, err := Object(members); err != nil || string(got) != `{"<":2,"a":1,"b":0}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Object(maps.All(map[string]any{})); err != nil || string(got) != "{}" {
		t.Errorf("an empty one: %s, %v", got, err)
	}
	if _, err := Object(maps.All(map[string]any{"a": func() {}})); err == nil {
		t.Error("a function is a member")
	}
}
