//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// confirmation is a set that asks for leave to act.
func confirmation(action, details string) question.Set {
	return question.Set{Questions: []question.Question{wire.Confirm(action, details, nil)}}
}

// answered is a record that the user has answered and signed.
func (s *signer) answered(set question.Set, at time.Time, answers ...question.Answer) desk.Record {
	rec := desk.Record{ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: set, CreatedAt: time.Now(),
		Asker: desk.Asker{Client: "codex", Directory: "/srv/shop", Via: "mcp"}, SessionID: "s1", State: desk.Answered}
	r := question.Reply{Answers: answers}
	p := s.passkey.Sign(&rec, r, at).Proof
	rec.Outcome = &desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &r, At: p.At, Proof: p}
	return rec
}

// TestVerify: verify passes for a signed yes to the action that it is asked for, and for nothing
// else that was signed.
func TestVerify(t *testing.T) {
	const action = "Deploy 3f2a1c?"
	confirm := func(details string) question.Set { return confirmation(action, details) }
	yes, no := choose(question.YesID).Answers[0], choose(question.NoID).Answers[0]
	of := func(action string) []string { return []string{"--action", action} }
	line := func(text string) []string { return []string{"--details-contain", text} }
	inTwo := confirm("")
	inTwo.Questions = append(inTwo.Questions, question.Question{ID: "q2", Text: "Well?", Type: question.Boolean,
		Options: question.YesAndNo()})
	inverted := confirm("")
	inverted.Questions[0].Options[0].Description = "Deploy nothing"
	for name, tt := range map[string]struct {
		set    question.Set
		answer []question.Answer
		at     time.Duration
		flags  []string
		said   string // Valid, or why not
	}{
		"a yes":          {set: confirm(""), said: "Valid"},
		"with this line": {set: confirm("12 changes\n  by ada  \n"), flags: line("by ada"), said: "Valid"},
		"a no":           {set: confirm(""), answer: []question.Answer{no}, said: "did not answer yes"},
		"another action": {set: confirm(""), flags: of("Deploy 3f2a1d?"), said: "the action is"},
		"refused, in a set of two": {set: inTwo, answer: []question.Answer{no,
			{QuestionID: "q2", Selected: []string{question.YesID}, By: question.ByUser}}, flags: of(action),
			said: "it is no confirmation"},
		"a yes that says something else": {set: inverted, flags: of(action), said: "it is no confirmation"},
		"too old": {set: confirm(""), at: -2 * time.Hour, flags: []string{"--max-age", "1h"},
			said: "not within the last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			if tt.answer == nil {
				tt.answer = []question.Answer{yes}
			}
			rec := s.answered(tt.set, time.Now().Add(tt.at), tt.answer...)
			want := exitBad
			if tt.said == "Valid" {
				want = 0
			}
			if status, out := s.verify(s.export(rec), tt.flags...); status != want || !strings.Contains(out, tt.said) ||
				want != 0 && strings.Contains(out, "Valid") {
				t.Errorf("%d, %s; want %d, %q", status, out, want, tt.said)
			}
		})
	}
}

// TestVerifyPrintsWhatIsSigned: what is not signed can be edited in an export, and is not
// printed.
func TestVerifyPrintsWhatIsSigned(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	rec := s.answered(confirmation("Deploy 3f2a1c?", "12 changes"), time.Now(),
		question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser, Note: "after lunch"})
	edited := rec
	edited.State, edited.Asker.Via, edited.Asker.Version, edited.CreatedAt = "edited", "edited", "edited",
		time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	edited.Round, edited.Rounds, edited.Metadata, edited.ToolUse = 77, 78, map[string]any{"x": "edited"}, "edited"
	o := *rec.Outcome
	o.ID, o.Surface, o.Reason, o.Answerer = "edited", "edited", "edited",
		&desk.Answerer{Kind: desk.ProgramAnswerer, Name: "edited"}
	edited.Outcome, edited.Later = &o, &desk.Outcome{Status: desk.Dismissed, Reason: "edited",
		Reply: &question.Reply{Dismissed: true, Reason: "edited"}}
	for _, flags := range [][]string{nil, {"--json"}} {
		status, want := s.verify(s.export(rec), flags...)
		if status != 0 {
			t.Fatalf("%d: %s", status, want)
		}
		for _, signed := range []string{rec.ID, "codex", "/srv/shop", "s1", "Deploy 3f2a1c?", "12 changes", "after lunch",
			"laptop"} {
			if !strings.Contains(want, signed) {
				t.Errorf("%v: %q is missing in %s", flags, signed, want)
			}
		}
		if _, got := s.verify(s.export(edited), flags...); got != want {
			t.Errorf("%v: edited it prints\n%s\ninstead of\n%s", flags, got, want)
		}
	}
	if _, out := s.verify(s.export(rec)); !strings.HasPrefix(out,
		"Valid: signed with the passkey laptop at "+clock(rec.Outcome.At)+".\nKey "+s.passkey.ID+"\n") {
		t.Errorf("it prints %s", out)
	}
	edited.Prove = true
	if status, out := s.verify(s.export(edited)); status != exitBad ||
		!strings.Contains(out, "another question, answer or time") {
		t.Errorf("prove was edited: %d %s", status, out)
	}
}

// TestVerifyIDIsNoFile: an id names a question on the desk, whatever files there are; a file has
// a path, or the suffix of an export.
func TestVerifyIDIsNoFile(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	rec := s.answered(confirmation("Deploy?", ""), time.Now(), choose(question.YesID).Answers...)
	data, err := os.ReadFile(s.export(rec))
	fatal.If(t, err)
	dir := t.TempDir()
	for name, want := range map[string]int{
		rec.ID: exitBad, "01M6GA60M060R30C1G60R30C1X": exitBad, "01M6": exitBad, "approval": exitBad,
		"./approval": 0, "approval.json": 0, filepath.Join(dir, "approval"): 0,
	} {
		fatal.If(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
		cmd := s.program(append([]string{"verify", name}, s.pinned...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); exitStatus(err) != want {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
	cmd := s.program(append([]string{"verify", "-"}, s.pinned...)...)
	cmd.Stdin = bytes.NewReader(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("from standard input: %v %s", err, out)
	}
}
