//go:build unix

package main

import (
	"fmt"
	"slices"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

// Every language has the sample set, which differs in its words alone.
func TestDemoInEveryLanguage(t *testing.T) {
	var shape []string
	for _, l := range words.Languages() {
		sample, err := demoCalls.ReadFile("texts/demo." + string(l) + ".json")
		fatal.If(t, err)
		call, err := wire.DecodeAsk(sample, question.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		var got []string
		for _, q := range call.Set.All() {
			got = append(got, fmt.Sprint(q.ID, q.Type, q.Required, len(q.Options)))
		}
		if shape == nil {
			shape = got
		}
		if !slices.Equal(got, shape) {
			t.Errorf("%s: %v, want %v", l, got, shape)
		}
	}
}

// The first thing a newcomer runs shows the form, follow-up and review, and
// what an agent would get.
func TestDemo(t *testing.T) {
	t.Parallel()
	s := sit(t, 80, 24, "mcp-askuser", "demo")
	s.WaitFor("Which database should")
	s.Type("1")
	s.WaitFor("(•) PostgreSQL")
	s.enter()
	s.WaitFor("Who runs the PostgreSQL server?")
	s.Type("2")
	s.WaitFor("(•) A cloud provider")
	s.enter()
	s.WaitFor("Which features")
	s.Type("1")
	s.WaitFor("[x] Audit log")
	s.enter()
	s.WaitFor("What should the service be called?")
	s.Type("kiosk")
	s.enter()
	s.WaitFor("Review")
	s.enter()
	if got := s.Wait(); got != 0 {
		t.Fatalf("exit status %d\n%s", got, s.Output())
	}
	want := `The agent reads:

User has answered your questions: "Which database should the new service
use?"="PostgreSQL (Recommended)", "Who runs the PostgreSQL server?"="A cloud
provider", "Which features go into the first version?"="Audit log", "What
should the service be called?"="kiosk". You can now continue with the user's
answers in mind.

Next: mcp-askuser install
`
	if got := s.out.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.left(t)
}
