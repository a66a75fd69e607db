package plainjson

import "testing"

func TestMarshal(t *testing.T) {
	if got, err := Marshal([]string{"<a> & \"b\"\n"}); err != nil || string(got) != `["<a> & \"b\"\n"]` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Marshal(func() {}); err == nil {
		t.Errorf("a function is %s", got)
	}
}

func TestObject(t *testing.T) {
	names := []string{"<", "a", "b"}
	if got, err := Object(len(names), func(i int) (string, any) { return names[i], 2 - i }); err != nil || string(got) != `{"<":2,"a":1,"b":0}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Object(0, nil); err != nil || string(got) != "{}" {
		t.Errorf("an empty one: %s, %v", got, err)
	}
	if _, err := Object(1, func(int) (string, any) { return "a", func() {} }); err == nil {
		t.Error("a function is a member")
	}
}
