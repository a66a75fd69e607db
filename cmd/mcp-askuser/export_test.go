package main

import "testing"

// The ids of transcripts stay what they were: those of any other program
// that makes ids of names.
func TestNameUUID(t *testing.T) {
	for name, want := range map[string]string{
		"":                                    "0a68eb57-c88a-5f34-9e9d-27f85e68af4f",
		"01JD0000000000000000000000/tool_use": "894e0879-2cb1-590d-9583-4d6a0da2b60c",
	} {
		if got := nameUUID(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
