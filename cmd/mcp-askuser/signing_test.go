//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
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
	return newSigner(t).signing(face)
}

// signing has the signer asked, and shows the question on a terminal.
func (s *signer) signing(face string) *signing {
	t := s.t
	t.Helper()
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
// with it, and the terminal is left as it was found. The inbox continues.
func TestWithdrawnWhileSigning(t *testing.T) {
	for face := range faces {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			x := newSigning(t, face)
			x.yes(face)
			start := time.Now()
			if _, err := x.desk.Close(t.Context(), x.rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "not needed"}); err != nil {
				t.Fatal(err)
			}
			if face == "inbox" {
				x.WaitFor("not needed")
				x.end(t, face)
				return
			}
			x.Wait()
			t.Logf("it ended after %s", time.Since(start))
			x.left(t)
		})
	}
}

// securityKey is OpenSSH's security key in software, which is touched whenever it must be.
var securityKey = sync.OnceValues(func() (file string, err error) {
	out, err := exec.Command("make", "-s", "-C", "../..", "bin/sk-dummy.so").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Abs("../../bin/sk-dummy.so")
})

// TestSecurityKey: a security key signs, which `verify` accepts elsewhere. One that signs
// without a touch is refused, and the question stays open.
func TestSecurityKey(t *testing.T) {
	for name, tt := range map[string]struct {
		face    string
		keygen  []string
		touched bool
	}{
		"ed25519":           {"form", []string{"-t", "ed25519-sk"}, true},
		"ecdsa":             {"lines", []string{"-t", "ecdsa-sk"}, true},
		"inbox":             {"inbox", []string{"-t", "ed25519-sk"}, true},
		"ed25519 untouched": {"form", []string{"-t", "ed25519-sk", "-O", "no-touch-required"}, false},
		"ecdsa untouched":   {"form", []string{"-t", "ecdsa-sk", "-O", "no-touch-required"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			s.useSecurityKey(tt.keygen)
			x := s.signing(tt.face)
			x.yes(tt.face)
			x.Type(passphrase + "\r")
			if !tt.touched {
				x.WaitFor("without being touched")
				x.Type("\x03")
				x.end(t, tt.face)
				if now, err := x.desk.Get(t.Context(), x.rec.ID); err != nil || now.Outcome != nil {
					t.Errorf("it ended: %+v, %v", now.Outcome, err)
				}
				return
			}
			x.answered(t)
			x.end(t, tt.face)
			rec, err := x.desk.Get(t.Context(), x.rec.ID)
			s.check(err)
			if status, out := s.verify(s.export(rec)); status != 0 {
				t.Errorf("verify: %d %s", status, out)
			}
		})
	}
}

// useSecurityKey replaces the SSH key, here and where it is pinned.
func (s *signer) useSecurityKey(keygen []string) {
	s.t.Helper()
	provider, err := securityKey()
	s.check(err)
	s.env = []string{"SSH_SK_PROVIDER=" + provider}
	s.check(os.Remove(s.file))
	cmd := exec.CommandContext(s.t.Context(), "ssh-keygen", append(keygen, "-q", "-N", passphrase, "-f", s.file)...)
	cmd.Env = append(os.Environ(), s.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(s.file + ".pub")
	s.check(err)
	for _, name := range []string{filepath.Join(s.dir, keysDir, proof.SignersFile), s.pinned[1]} {
		s.check(os.WriteFile(name, append([]byte("ada@laptop "), public...), 0o600))
	}
}

// TestSignedOverHTTP: a client over HTTP gets an address at which its user signs. It opens in
// the user's browser, which has opened the page before, and shows and takes nothing elsewhere.
func TestSignedOverHTTP(t *testing.T) {
	for _, e := range eras {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			jar, err := cookiejar.New(nil)
			s.check(err)
			browser, stranger := &http.Client{Jar: jar}, &http.Client{}
			fetch := func(c *http.Client, r *http.Request) (status int, page string) {
				t.Helper()
				answer, err := c.Do(r.WithContext(t.Context()))
				s.check(err)
				defer func() { _ = answer.Body.Close() }()
				data, err := io.ReadAll(answer.Body)
				s.check(err)
				return answer.StatusCode, string(data)
			}
			get := func(c *http.Client, address string) (status int, page string) {
				t.Helper()
				r, err := http.NewRequest(http.MethodGet, address, nil)
				s.check(err)
				return fetch(c, r)
			}
			if status, _ := get(browser, listening(t, s.program("web"), new(bytes.Buffer))); status != http.StatusOK {
				t.Fatalf("the page: %d", status)
			}
			asked := make(chan mcp.ElicitationParams, 1)
			h := &human{t: t, do: []func(mcp.ElicitationParams) (*mcp.ElicitationResult, error){func(p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				asked <- p
				return act(mcp.ElicitationResponseActionAccept, nil)(p)
			}}}
			both := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}
			over, err := transport.NewStreamableHTTP(listening(t, s.program("serve", "--http", "127.0.0.1:0", "--surface", "elicit,web"), new(bytes.Buffer)),
				transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + newToken(t, s.dir, "agent")}))
			s.check(err)
			c := initialized(t, client.NewClient(over, append(slices.Clip(e.options), client.WithElicitationHandler(h), client.WithClientCapabilities(both))...), e)
			got := asks(t, c, "confirm_action", confirmWhich)
			p := <-asked
			d := openDesk(t, s.dir)
			rec := openRecord(t, d)
			page, err := url.Parse(p.URL)
			s.check(err)
			if p.Mode != mcp.ElicitationModeURL || page.Hostname() != "localhost" || page.RawQuery != "id="+rec.ID {
				t.Errorf("asked: %+v", p)
			}
			for _, path := range []string{"/?id=" + rec.ID, "/", "/history", "/api/questions"} {
				if status, page := get(stranger, page.ResolveReference(&url.URL{Path: path}).String()); status != http.StatusUnauthorized || strings.Contains(page, "Delete it?") {
					t.Errorf("%s: %d %s", path, status, page)
				}
			}
			for c, want := range map[*http.Client]int{stranger: http.StatusUnauthorized, browser: http.StatusForbidden} {
				r, err := http.NewRequest(http.MethodPost, page.ResolveReference(&url.URL{Path: "/answer"}).String(), strings.NewReader(url.Values{"id": {rec.ID}, "asked": {rec.Statement()}, "action": {"confirm"}, "q0": {"0"}}.Encode()))
				s.check(err)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Origin", "http://"+page.Host)
				if status, page := fetch(c, r); status != want {
					t.Errorf("an answer without a passkey: %d, want %d: %s", status, want, page)
				}
			}
			if status, page := get(browser, p.URL); status != http.StatusOK || !strings.Contains(page, "Delete it?") {
				t.Errorf("the user's browser: %d %s", status, page)
			}
			r := choose("true")
			r.Proof = s.assert(s.passkey, s.entry.ID, &rec, r, time.Now().UTC())
			keys, err := proof.Load(filepath.Join(s.dir, keysDir))
			s.check(err)
			store, err := spool.Open(s.dir)
			s.check(err)
			_, err = desk.New(store, desk.Options{Keys: trusting(keys)}).Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "web", How: desk.HowPage})
			s.check(err)
			if got := <-got; got["proof"] == nil {
				t.Errorf("the result: %v", got)
			}
		})
	}
}

const echo = unix.ECHO
