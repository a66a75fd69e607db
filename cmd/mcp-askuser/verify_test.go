//go:build unix

package main

import (
	"bytes"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// confirmation is a set that asks for leave to act.
func confirmation(action, details string) question.Set {
	return question.Set{Questions: []question.Question{wire.Confirm(action, details, nil)}}
}

// answered is an outcome that the user has signed.
func (s *signer) answered(rec *desk.Record, at time.Time, answers ...question.Answer) {
	r := question.Reply{Answers: answers}
	p := prove(s.passkey, rec, r, at)
	rec.State = desk.Answered
	rec.Outcome = &desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &r, At: p.At, Proof: p}
}

// TestVerify: verify passes for a signed yes to the action that it is asked for, and for nothing
// else that was signed.
func TestVerify(t *testing.T) {
	const action = "Deploy 3f2a1c?"
	confirm := func(details string) question.Set { return confirmation(action, details) }
	yes := question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser}
	no := question.Answer{QuestionID: "q1", Selected: []string{question.NoID}, By: question.ByUser}
	of := func(action string) []string { return []string{"--action", action} }
	line := func(text string) []string { return []string{"--details-contain", text} }
	inTwo := confirm("")
	inTwo.Questions = append(inTwo.Questions, question.Question{ID: "q2", Text: "Well?", Type: question.Boolean, Options: question.YesAndNo()})
	collected := confirm("")
	collected.Questions[0].Collected = &question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByCaller}
	inverted := confirm("")
	inverted.Questions[0].Options[0].Description = "Deploy nothing"
	for name, tt := range map[string]struct {
		set    question.Set
		answer []question.Answer
		at     time.Duration
		flags  []string
		said   string // Valid, or why not
	}{
		"a yes":                          {set: confirm(""), said: "Valid"},
		"to this action":                 {set: confirm(""), flags: of("  " + action + "\n"), said: "Valid"},
		"with this line":                 {set: confirm("12 changes\n  by ada  \n"), flags: line("by ada"), said: "Valid"},
		"a no":                           {set: confirm(""), answer: []question.Answer{no}, said: "did not answer yes"},
		"another action":                 {set: confirm(""), flags: of("Deploy 3f2a1d?"), said: "the action is"},
		"a part of a line":               {set: confirm("not by ada"), flags: line("by ada"), said: "the details have no line"},
		"refused, in a set of two":       {set: inTwo, answer: []question.Answer{no, {QuestionID: "q2", Selected: []string{question.YesID}, By: question.ByUser}}, flags: of(action), said: "it is no confirmation"},
		"an answer of the asker's own":   {set: collected, answer: []question.Answer{}, flags: of(action), said: "it is no confirmation"},
		"a yes that says something else": {set: inverted, flags: of(action), said: "it is no confirmation"},
		"too old":                        {set: confirm(""), at: -2 * time.Hour, flags: []string{"--max-age", "1h"}, said: "not within the last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			rec := desk.Record{ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: tt.set, CreatedAt: time.Now()}
			if tt.answer == nil {
				tt.answer = []question.Answer{yes}
			}
			s.answered(&rec, time.Now().Add(tt.at), tt.answer...)
			want := exitBad
			if tt.said == "Valid" {
				want = 0
			}
			if status, out := s.verify(s.export(rec), tt.flags...); status != want || !strings.Contains(out, tt.said) || want != 0 && strings.Contains(out, "Valid") {
				t.Errorf("%d, %s; want %d, %q", status, out, want, tt.said)
			}
		})
	}
}

// TestVerifyPrintsWhatIsSigned: what is not signed can be edited in an export, and is not
// printed.
func TestVerifyPrintsWhatIsSigned(t *testing.T) {
	s := newSigner(t)
	rec := desk.Record{
		ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: confirmation("Deploy 3f2a1c?", "12 changes"), CreatedAt: time.Now(), Prove: true,
		Asker: desk.Asker{Client: "codex", Directory: "/srv/shop", Via: "mcp"}, SessionID: "s1",
	}
	s.answered(&rec, time.Now(), question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser, Note: "after lunch"})
	edited := rec
	edited.State, edited.Asker.Via, edited.Asker.Version, edited.CreatedAt = "edited", "edited", "edited", time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	edited.Round, edited.Rounds, edited.Metadata, edited.ToolUse = 77, 78, map[string]any{"x": "edited"}, "edited"
	o := *rec.Outcome
	o.ID, o.Surface, o.Reason, o.Answerer = "edited", "edited", "edited", &desk.Answerer{Kind: desk.ProgramAnswerer, Name: "edited"}
	edited.Outcome, edited.Later = &o, &desk.Outcome{Status: desk.Dismissed, Reason: "edited", Reply: &question.Reply{Dismissed: true, Reason: "edited"}}
	for _, flags := range [][]string{nil, {"--json"}} {
		status, want := s.verify(s.export(rec), flags...)
		if status != 0 {
			t.Fatalf("%d: %s", status, want)
		}
		for _, signed := range []string{rec.ID, "codex", "/srv/shop", "s1", "Deploy 3f2a1c?", "12 changes", "after lunch", "laptop"} {
			if !strings.Contains(want, signed) {
				t.Errorf("%v: %q is missing in %s", flags, signed, want)
			}
		}
		if _, got := s.verify(s.export(edited), flags...); got != want {
			t.Errorf("%v: edited it prints\n%s\ninstead of\n%s", flags, got, want)
		}
	}
	if _, out := s.verify(s.export(rec)); !strings.HasPrefix(out, "Valid: signed with the passkey laptop at "+clock(rec.Outcome.At)+".\nKey "+s.passkey.ID+"\n") {
		t.Errorf("it prints %s", out)
	}
	edited.Prove = false
	if status, out := s.verify(s.export(edited)); status != exitBad || !strings.Contains(out, "another question, answer or time") {
		t.Errorf("prove was edited: %d %s", status, out)
	}
}

// TestVerifyIDIsNoFile: an id names a question on the desk, whatever files there are; a file has
// a path, or the suffix of an export.
func TestVerifyIDIsNoFile(t *testing.T) {
	s := newSigner(t)
	rec := desk.Record{ID: "01M6GA60M060R30C1G60R30C1Z", Round: 1, Set: confirmation("Deploy?", ""), CreatedAt: time.Now()}
	s.answered(&rec, time.Now(), question.Answer{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByUser})
	data, err := os.ReadFile(s.export(rec))
	s.check(err)
	dir := t.TempDir()
	for name, want := range map[string]int{
		rec.ID: exitBad, "01M6GA60M060R30C1G60R30C1X": exitBad, "01M6": exitBad, "approval": exitBad,
		"./approval": 0, "approval.json": 0, filepath.Join(dir, "approval"): 0,
	} {
		s.check(os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
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

// TestDeployOfTheGuide: the guide's scripts refuse to deploy a commit without the user's
// signed yes to it.
func TestDeployOfTheGuide(t *testing.T) {
	var guide document
	for _, d := range documents(t) {
		if d.path == "docs/scripting.md" {
			guide = d
		}
	}
	var scripts []string
	for _, block := range guide.blocks("sh") {
		if strings.Contains(block, "git notes") {
			scripts = append(scripts, block)
		}
	}
	if len(scripts) != 2 {
		t.Fatalf("%d scripts", len(scripts))
	}
	s := newSigner(t)
	dir := t.TempDir()
	run := func(script string) (status int, out string) {
		cmd := s.program()
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script}
		cmd.Dir = filepath.Join(dir, "work")
		cmd.Env = append(cmd.Env, "KEYS="+s.pinned[1], "ASK_SURFACE=inbox", "HOME="+dir,
			"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.org")
		said, err := cmd.CombinedOutput()
		return exitStatus(err), string(said)
	}
	must := func(script string) {
		t.Helper()
		if status, out := run(script); status != 0 {
			t.Fatalf("%s: %d %s", script, status, out)
		}
	}
	x := exec.CommandContext(t.Context(), "git", "init", "-q", "--bare", filepath.Join(dir, "origin"))
	s.check(x.Run())
	s.check(os.Mkdir(filepath.Join(dir, "work"), 0o700))
	must(`git init -q . && git remote add origin ../origin && printf '#!/bin/sh\necho "deployed $1"\n' >deploy && chmod +x deploy && git add . && git commit -qm one && git push -q origin HEAD`)
	d := openDesk(t, s.dir)
	deploys := func(want bool) {
		t.Helper()
		_, commit := run("git rev-parse HEAD")
		commit = strings.TrimSpace(commit)
		status, out := run(scripts[1])
		if (status == 0) != want || strings.Contains(out, "deployed "+commit) != want {
			t.Errorf("the script: %d %s", status, out)
		}
	}
	approve := func(option string, sign bool) {
		t.Helper()
		done := make(chan string, 1)
		go func() {
			status, out := run(scripts[0])
			done <- strings.Repeat("!", status) + out
		}()
		rec := openRecord(t, d)
		r := choose(option)
		if sign {
			r.Proof = prove(s.passkey, &rec, r, time.Now().UTC())
			keys, err := proof.Load(filepath.Join(s.dir, keysDir))
			s.check(err)
			_, err = desk.New(desktest.Store(t, s.dir), desk.Options{Keys: trusting(keys)}).Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "web", How: desk.HowPage})
			s.check(err)
		} else {
			_, err := d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "web", How: desk.HowPage})
			s.check(err)
		}
		if out := <-done; strings.HasPrefix(out, "!") {
			t.Errorf("asking: %s", out)
		}
	}
	deploys(false)
	approve("", false)
	deploys(false)
	approve(question.NoID, true)
	deploys(false)
	approve(question.YesID, true)
	deploys(true)
	must("git commit -q --allow-empty -m two")
	deploys(false)
}
