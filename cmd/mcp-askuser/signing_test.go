//go:build unix

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/spool"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// signing is a user on a terminal, with a question that needs a proof.
type signing struct {
	*signer
	*seat
	desk *desk.Desk
	rec  desk.Record
}

// faces are the ways to answer on a terminal; choose marks yes and sends it.
var faces = map[string]struct {
	args []string // the id follows, except in the inbox
	cols int
}{
	"form":  {[]string{"answer"}, 80},
	"lines": {[]string{"answer", "--plain"}, 80},
	"inbox": {[]string{"inbox"}, 120},
}

func newSigning(t *testing.T, face string) *signing {
	t.Helper()
	s := newSigner(t)
	store, err := spool.Open(s.dir)
	s.check(err)
	keys, err := proof.Load(filepath.Join(s.dir, keysDir))
	s.check(err)
	x := &signing{signer: s, desk: desk.New(store, desk.Options{Prove: desk.ProveConfirm, Keys: trusting(keys)})}
	set := question.Set{Questions: []question.Question{{ID: "q1", Text: "rm -r build", Header: question.Confirmation, Type: question.Boolean, Required: true, Options: question.YesAndNo()}}}
	x.rec, err = storetest.Ask(t.Context(), x.desk, set, "", desk.Asker{Client: "agent", Directory: "/srv/shop", Via: "mcp"})
	s.check(err)
	args := faces[face].args
	if face != "inbox" {
		args = append(slices.Clip(args), x.rec.ID)
	}
	x.seat = &seat{Terminal: termtest.Start(t, s.program(args...), faces[face].cols, 30), dir: s.dir}
	return x
}

// yes chooses yes and sends it, as far as the passphrase.
func (x *signing) yes(face string) {
	x.t.Helper()
	switch face {
	case "lines":
		x.Expect("y or n: ")
		x.Type("y\r")
	case "inbox":
		x.WaitFor("rm -r build")
		x.Type("\r")
		x.WaitFor("ctrl+l back to the list")
		fallthrough
	default:
		x.WaitFor("rm -r build")
		x.Type("y")
		x.WaitFor("(•) Yes")
		x.enter()
	}
	x.prompt()
}

// prompt waits until ssh-keygen asks for the passphrase, and hides it.
func (x *signing) prompt() {
	x.t.Helper()
	x.Expect("Enter passphrase")
	x.Until("ssh-keygen to read", func() bool { return x.Termios().Lflag&echo == 0 })
}

func (x *signing) answered(t *testing.T) {
	t.Helper()
	rec, err := x.desk.Wait(t.Context(), x.rec.ID)
	if err != nil || rec.State != desk.Answered || rec.Outcome.Proof == nil || !rec.Outcome.Proof.Verified || rec.Outcome.Proof.Kind != question.SSHProof {
		t.Errorf("%+v, %v", rec.Outcome, err)
	}
}

// end leaves the face, where the answer has not, and checks the terminal.
func (x *signing) end(t *testing.T, face string) {
	t.Helper()
	if face == "inbox" {
		x.Until("the inbox to end", func() bool { x.Type("\x03"); return !x.FullScreen() })
	}
	x.Wait()
	x.left(t)
	if strings.Contains(x.Output(), passphrase) {
		t.Error("the passphrase is on the screen")
	}
}

// TestSigningOnATerminal: ssh-keygen asks for the passphrase where the user answers, and the
// answer is sent with its signature. A wrong passphrase sends nothing, and keeps the answer.
func TestSigningOnATerminal(t *testing.T) {
	for face := range faces {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			x := newSigning(t, face)
			x.yes(face)
			x.Type("wrong\r")
			x.Expect("not signed")
			if now, err := x.desk.Get(t.Context(), x.rec.ID); err != nil || now.Outcome != nil {
				t.Fatalf("it ended: %+v, %v", now.Outcome, err)
			}
			if face == "lines" {
				x.Expect("Enter sends")
				<-time.After(time.Second) // the review waits for a pause
				x.Type("\r")
			} else {
				x.WaitFor("(•) Yes")
				x.enter()
			}
			x.prompt()
			x.Type(passphrase + "\r")
			x.answered(t)
			x.end(t, face)
		})
	}
}

// TestInterruptedSigning: Ctrl+C at the passphrase sends nothing; the question stays open,
// and the terminal is left as it was found.
func TestInterruptedSigning(t *testing.T) {
	for face := range faces {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			x := newSigning(t, face)
			x.yes(face)
			x.Type("\x03")
			x.end(t, face)
			if now, err := x.desk.Get(t.Context(), x.rec.ID); err != nil || now.Outcome != nil {
				t.Errorf("it ended: %+v, %v", now.Outcome, err)
			}
		})
	}
}

// TestWithdrawnWhileSigning: a question that ends while ssh-keygen asks takes ssh-keygen
// with it, and the terminal is left as it was found.
func TestWithdrawnWhileSigning(t *testing.T) {
	for _, face := range []string{"form", "lines"} {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			x := newSigning(t, face)
			x.yes(face)
			start := time.Now()
			if _, err := x.desk.Close(t.Context(), x.rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "not needed"}); err != nil {
				t.Fatal(err)
			}
			x.Wait()
			t.Logf("it ended after %s", time.Since(start))
			x.left(t)
		})
	}
}

const echo = unix.ECHO
