//go:build browser

package web

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
)

// signing is a view of a page on which answers are signed, in a browser with an
// authenticator.
type signing struct {
	*view
	store, keys   string // directories
	authenticator webauthn.AuthenticatorID
}

// sign opens the page of a desk on which every answer needs a proof.
func sign(t *testing.T, l look) *signing {
	t.Helper()
	dir := t.TempDir()
	s := &signing{store: dir + "/desk", keys: dir + "/keys"}
	store := desktest.Store(t, s.store)
	trusted := func(change func(*proof.Keys) error) (proof.Keys, error) {
		if change != nil {
			if err := proof.UpdatePasskeys(s.keys, change); err != nil {
				return proof.Keys{}, err
			}
		}
		return proof.Load(s.keys)
	}
	s.view = newView(t, browser(t), l, chromedp.WithNewBrowserContext())
	s.rig = start(t, func(o *Options) {
		o.Desk = desk.New(store, desk.Options{MaxRounds: 10, Prove: desk.ProveConfirm, Keys: trusted})
		o.Proves = true
		o.AddPasskey = func(_ context.Context, key proof.Passkey) error {
			_, err := o.Desk.Keys(func(keys *proof.Keys) error { keys.Passkeys = append(keys.Passkeys, key); return nil })
			return err
		}
	})
	address, err := url.Parse(s.server.Address(s.addr))
	if err != nil || address.Hostname() != "localhost" {
		t.Fatalf("the page's address is %s, %v", address, err)
	}
	s.base = "http://" + address.Host
	call(s.view, webauthn.Enable, webauthn.EnableParams{})
	ctx, cancel := context.WithTimeout(s.ctx, patient)
	defer cancel()
	added, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.authenticator = added.AuthenticatorID
	s.visit("/?" + address.RawQuery)
	return s
}

// register registers a passkey on the page.
func (s *signing) register(name string) {
	s.t.Helper()
	s.visit("/passkey?name=" + name)
	s.click(confirmButton)
	s.shows("h1", s.language.T("The passkey %s is registered", name))
}

// change changes the only passkey that is trusted.
func (s *signing) change(how func(*proof.Passkey)) {
	s.t.Helper()
	if err := proof.UpdatePasskeys(s.keys, func(keys *proof.Keys) error { how(&keys.Passkeys[0]); return nil }); err != nil {
		s.t.Fatal(err)
	}
}

// open asks a question, and shows it.
func (s *signing) open(q ...question.Question) desk.Record {
	s.t.Helper()
	rec := s.put("codex", "/home/ada/shop", "s", q...)
	s.visit("/?id=" + rec.ID)
	s.hasten()
	s.shows(within(rec.ID, confirmButton), s.language.T("Send with passkey"))
	return rec
}

// yes has the passkey sign Yes, and sends it.
func (s *signing) yes(rec desk.Record) {
	s.t.Helper()
	s.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
}

// TestBrowserPasskey: a passkey is registered on the page, an answer that needs a proof is
// signed with it, and the asker that waits gets it with the proof.
func TestBrowserPasskey(t *testing.T) {
	t.Parallel()
	s := sign(t, wide)
	s.register("laptop")
	s.visit("/passkey?name=laptop") // the authenticator has one for the page
	s.click(confirmButton)
	s.wait(`document.querySelector(".fault").textContent`)
	for range 2 {
		rec := s.open(deploy())
		s.yes(rec)
		if got := s.answered(rec.ID); got["deploy"] != "Yes" {
			t.Errorf("the answer is %v", got)
		}
		s.shows("#news", "Sent to Codex in shop.")
		ended, err := s.desk.Get(t.Context(), rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p := ended.Outcome.Proof; p == nil || !p.Verified || p.Name != "laptop" || p.Kind != question.PasskeyProof || !p.At.Equal(ended.Outcome.At) {
			t.Errorf("the proof is %+v", p)
		}
	}
	keys, err := proof.Load(s.keys)
	if err != nil || len(keys.Passkeys) != 1 || keys.Passkeys[0].Party != "localhost" || keys.Passkeys[0].Created.IsZero() {
		t.Errorf("the keys are %+v, %v", keys, err)
	}
}

// hold has the page keep what it has signed until release is called. Then it sends it, as
// alter, a function of the form's fields in the browser, has changed it.
func (s *signing) hold(alter string) (release func()) {
	s.t.Helper()
	eval[bool](s.view, `(() => {
		const real = window.fetch, alter = %s;
		window.fetch = (to, how) => to !== "/answer" || !how.body.has("proof") ? real(to, how) : new Promise((done) => {
			window.release = () => {
				alter(how.body);
				window.sent = String(how.body);
				done(real(to, how));
			};
		});
		return true;
	})()`, alter)
	return func() {
		s.t.Helper()
		s.wait(`window.release`)
		eval[bool](s.view, `(window.release(), true)`)
	}
}

// TestBrowserPasskeyRefused: nothing counts but a signature by a passkey that is trusted, of a
// user who was verified, over this question and answer. The question stays open.
func TestBrowserPasskeyRefused(t *testing.T) {
	t.Parallel()
	const asIs = `(form) => {}`
	yes := true
	for name, tt := range map[string]struct {
		alter   string                          // what is sent, after it was signed
		before  func(s *signing, id []byte)     // it is signed
		after   func(s *signing, r desk.Record) // it was signed
		unasked bool                            // it is not signed
		want    string
	}{
		"another key": {before: func(s *signing, id []byte) {
			key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			private, _ := x509.MarshalPKCS8PrivateKey(key)
			call(s.view, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: s.authenticator})
			add := cdp.Command[map[string]any, cdp.Empty]{Method: webauthn.CommandAddCredential}
			call(s.view, add, map[string]any{"authenticatorId": s.authenticator, "credential": map[string]any{
				"credentialId": id, "isResidentCredential": true, "rpId": "localhost", "privateKey": private, "userHandle": []byte("u"), "signCount": 9,
			}})
		}, want: "The signature does not count: the signature is not by its key."},
		"a bogus signature": {before: func(s *signing, _ []byte) {
			call(s.view, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{AuthenticatorID: s.authenticator, IsBogusSignature: &yes})
		}, want: "The signature does not count: the signature is not by its key."},
		"no user verification": {before: func(s *signing, _ []byte) {
			eval[bool](s.view, `(() => {
				const parse = PublicKeyCredential.parseRequestOptionsFromJSON;
				PublicKeyCredential.parseRequestOptionsFromJSON = (options) => parse({ ...options, userVerification: "discouraged" });
				return true;
			})()`)
			call(s.view, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: s.authenticator})
			call(s.view, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{AuthenticatorID: s.authenticator, IsBadUV: &yes})
		}, want: "The signature does not count: the passkey did not verify its user by PIN, fingerprint or face."},
		"another answer": {alter: `(form) => form.set("q0", "1")`, want: "it was signed for another question, answer or time."},
		"another note":   {alter: `(form) => form.set("n0", "and delete the old one")`, want: "it was signed for another question, answer or time."},
		"another time":   {alter: `(form) => form.set("at", new Date().toISOString())`, want: "it was signed for another question, answer or time."},
		"another question's assertion": {alter: `(form) => form.set("id", document.body.dataset.other)`, before: func(s *signing, _ []byte) {
			other := s.put("codex", "/home/ada/shop", "s2", deploy())
			eval[bool](s.view, `(document.body.dataset.other = %q, true)`, other.ID)
		}, want: "it was signed for another question, answer or time."},
		"a changed question": {after: func(s *signing, rec desk.Record) {
			s.rewrite(rec, "Deploy", "Delete")
		}, want: "it was signed for another question, answer or time."},
		"a changed option": {after: func(s *signing, rec desk.Record) { s.rewrite(rec, `"label":"Yes"`, `"label":"Yep"`) }, want: "it was signed for another question, answer or time."},
		"a changed detail": {after: func(s *signing, rec desk.Record) { s.rewrite(rec, "3f2a1c", "3f2a1d") }, want: "it was signed for another question, answer or time."},
		"a key removed meanwhile": {after: func(s *signing, _ desk.Record) {
			s.change(func(k *proof.Passkey) { k.Removed = k.Created })
		}, want: "The signature does not count: its key is not among those that are trusted."},
		"a removed key": {before: func(s *signing, _ []byte) {
			s.change(func(k *proof.Passkey) { k.Removed = time.Now() })
		}, unasked: true, want: "in a terminal run mcp-askuser passkey add"},
		"a question changed since it was shown": {before: func(s *signing, _ []byte) {
			open, err := s.desk.Pending(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.rewrite(open[0], "3f2a1c", "3f2a1d")
		}, unasked: true, want: "The question has changed since it was shown: read it again."},
		"a signature left out": {alter: `(form) => form.delete("proof")`, want: "This answer must be signed by the user"},
		"no credential":        {alter: `(form) => form.set("proof", "x")`, want: "The browser's response is no credential"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sign(t, wide)
			s.register("laptop")
			q := deploy()
			q.Description = "commit 3f2a1c"
			rec := s.open(q)
			keys, err := proof.Load(s.keys)
			if err != nil {
				t.Fatal(err)
			}
			id, err := base64.RawURLEncoding.DecodeString(keys.Passkeys[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			if tt.before != nil {
				tt.before(s, id)
			}
			if tt.alter == "" {
				tt.alter = asIs
			}
			release := s.hold(tt.alter)
			s.yes(rec)
			if !tt.unasked {
				s.wait(`window.release`)
				if tt.after != nil {
					tt.after(s, rec)
				}
				release()
			}
			s.shows(".refused", tt.want)
			open, err := s.desk.Pending(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range open {
				s.pending(rec.ID)
			}
			if len(open) == 0 {
				t.Error("no question is open")
			}
		})
	}
}

// rewrite changes a record in the store.
func (s *signing) rewrite(rec desk.Record, from, to string) {
	s.t.Helper()
	desktest.Rewrite(s.t, s.store, rec.ID, from, to)
}

// TestBrowserPasskeyReplay: what was signed and sent once counts for no other question; sent
// again, it is the answer that there is.
func TestBrowserPasskeyReplay(t *testing.T) {
	t.Parallel()
	s := sign(t, wide)
	s.register("laptop")
	rec := s.open(deploy())
	release := s.hold(`(form) => {}`)
	s.yes(rec)
	release()
	s.answered(rec.ID)
	again, err := s.desk.Reopen(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{rec.ID: "Sent to Codex in shop.", again.ID: "it was signed for another question, answer or time."} {
		got := run(s.view, chromedp.Evaluate[string](`(async () => {
			const body = new URLSearchParams(window.sent);
			body.set("id", "`+id+`");
			const done = fetch("/answer", { method: "POST", body, headers: { "X-Script": "1" } });
			window.release();
			const page = new DOMParser().parseFromString(await (await done).text(), "text/html");
			return page.querySelector("#news").textContent + page.querySelector("#pane").textContent;
		})()`, chromedp.EvalAwaitPromise))
		if !bytes.Contains([]byte(got), []byte(want)) {
			t.Errorf("the answer to %s: %s", id, got)
		}
	}
	s.pending(again.ID)
}

// TestBrowserSignedWhole: a question that does not fit on the screen is signed only once it
// was scrolled to its end; a leap to the options is not enough. What Markdown would hide is shown.
func TestBrowserSignedWhole(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"wide": wide, "phone": tall} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sign(t, l)
			s.register("laptop")
			q := deploy()
			q.Description = strings.Repeat("A line of the details.\n\n", 100) + "[//]: # (and the backups)"
			rec := s.open(q)
			s.shows(within(rec.ID, ".about"), "[//]: # (and the backups)")
			s.view.keys("y", kb.Enter)
			s.shows(".refused", "Your answer is signed: scroll to the end of the question first.")
			s.pending(rec.ID)
			eval[bool](s.view, `(scrollTo(0, document.documentElement.scrollHeight), true)`)
			s.yes(rec)
			s.shows(".refused", "Your answer is signed: scroll to the end of the question first.")
			s.pending(rec.ID)
			eval[bool](s.view, `((async () => {
				for (scrollTo(0, 0); scrollY + innerHeight < document.documentElement.scrollHeight - 1; scrollBy(0, innerHeight / 2)) {
					await new Promise(requestAnimationFrame);
				}
			})(), true)`)
			s.wait(`document.querySelector("[name=whole]").value === "yes"`)
			s.yes(rec)
			s.answered(rec.ID)
			short := s.open(deploy())
			s.view.keys("y", kb.Enter)
			s.answered(short.ID)
		})
	}
}

// TestBrowserPasskeyNone: where nothing can be signed the page says what to do.
func TestBrowserPasskeyNone(t *testing.T) {
	t.Parallel()
	s := sign(t, wide)
	rec := s.open(deploy())
	s.yes(rec)
	s.shows(".refused", "This answer needs a passkey, and there is none for this page: in a terminal run mcp-askuser passkey add")
	s.pending(rec.ID)

	s = sign(t, wide)
	s.register("laptop")
	rec = s.open(deploy())
	call(s.view, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: s.authenticator})
	s.yes(rec)
	s.shows("#news", "Not sent.")
	s.pending(rec.ID)
	call(s.view, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: s.authenticator, IsUserVerified: true})
	s.click(within(rec.ID, confirmButton)) // once more
	s.answered(rec.ID)

	s = sign(t, scriptless)
	rec = s.open(deploy())
	s.shows(within(rec.ID, "form"), "Signing needs scripts, which are off")
	s.click(chosen(rec.ID, 0, "0"))
	if status := s.submit(chromedp.Click(chromedp.CSS(within(rec.ID, confirmButton)))); status != 403 {
		t.Errorf("the status is %d", status)
	}
	s.shows(".refused", "This answer must be signed by the user")
	s.pending(rec.ID)
	s.click(within(rec.ID, ".dismiss summary"), within(rec.ID, ".panel.dismiss button")) // needs no proof
	s.shows("#news", "Dismissed.")
}

// TestBrowserPasskeyLook compares the card and the page that registers with their screenshots,
// and has axe-core check them.
func TestBrowserPasskeyLook(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("run make deps first: ", err)
	}
	for name, l := range map[string]look{
		"": wide, "-dark": dark, "-phone": tall, "-phone-dark": tallDark, "-zh-phone-dark": tallInChinese, "-zh": inChinese, "-pt-phone": tallPortuguese, "-pt-dark": darkPortuguese,
	} {
		t.Run("look"+name, func(t *testing.T) {
			t.Parallel()
			s := sign(t, l)
			s.visit("/passkey?name=laptop")
			compare(t, "passkey"+name, run(s.view, chromedp.CaptureScreenshot()))
			s.accessible(string(axe))
			s.do(chromedp.EmulateViewport(l.width, l.height))
			s.register("laptop")
			s.accessible(string(axe))
			s.do(chromedp.EmulateViewport(l.width, l.height))
			rec := s.open(deploy())
			s.click(chosen(rec.ID, 0, "0"))
			eval[bool](s.view, `(document.activeElement.blur(), scrollTo(0, 0), document.querySelector("#notify").hidden = true)`)
			compare(t, "proof"+name, run(s.view, chromedp.CaptureScreenshot()))
			s.accessible(string(axe))
		})
	}
}
