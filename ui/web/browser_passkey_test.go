//go:build browser

package web

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
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
	s.view = newView(t, chromium, l, chromedp.WithNewBrowserContext())
	s.rig = start(t, func(o *Options) {
		o.Desk = desk.New(store, desk.Options{MaxRounds: 10, Prove: desk.ProveConfirm, Keys: trusted})
		o.Proves = true
		o.AddPasskey = func(_ context.Context, key proof.Passkey) error {
			_, err := o.Desk.Keys(func(keys *proof.Keys) error {
				keys.Passkeys = append(keys.Passkeys, key)
				return nil
			})
			return err
		}
	})
	address, err := url.Parse(s.server.Address())
	if err != nil || address.Hostname() != "localhost" {
		t.Fatalf("the page's address is %s, %v", address, err)
	}
	s.base = "http://" + address.Host
	call(s.view, webauthn.Enable, webauthn.EnableParams{})
	options := &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
		AutomaticPresenceSimulation: true,
	}
	added := call(s.view, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: options})
	s.authenticator = added.AuthenticatorID
	s.visit("/?" + address.RawQuery)
	return s
}

// open asks a question, and shows it.
func (s *signing) open(q ...question.Question) desk.Record {
	s.t.Helper()
	rec := s.put("codex", "/home/ada/shop", "s", q...)
	s.visit("/?id=" + rec.ID)
	s.hasten()
	s.shows(within(rec.ID, confirmButton), "Send with passkey")
	return rec
}

// verifies says whether the authenticator verifies its user.
func (s *signing) verifies(verified bool) {
	s.t.Helper()
	call(s.view, webauthn.SetUserVerified,
		webauthn.SetUserVerifiedParams{AuthenticatorID: s.authenticator, IsUserVerified: verified})
}

// yes has the passkey sign Yes, and sends it.
func (s *signing) yes(rec desk.Record) {
	s.t.Helper()
	s.click(chosen(rec.ID, 0, "0"), within(rec.ID, confirmButton))
}

// TestBrowserPasskey: where nothing can be signed the page says what to do. A passkey is registered on
// the page, an answer that needs a proof is signed with it, and its asker gets it with the proof. Where
// the user, or their device, declines, the page says that, and the question stays open; so it does where
// another answer arrives than was signed. A card whose question ends meanwhile says so. A question that
// does not fit on the screen is signed only once it was scrolled to its end; a leap to the options is not
// enough. What a signature covers is shown in desk/proof.
func TestBrowserPasskey(t *testing.T) {
	t.Parallel()
	s := sign(t, wide)
	rec := s.open(deploy())
	s.yes(rec)
	s.shows(".refused", "This answer needs a passkey, and there is none for this page: in a terminal run mcp-askuser")
	s.pending(rec.ID)

	s.verifies(false)
	s.visit("/passkey?name=laptop")
	s.accessible()
	for _, l := range words.Languages()[1:] {
		s.speaks(l)
		s.visit("/passkey?name=laptop")
		s.fits()
	}
	s.speaks(words.English)
	s.visit("/passkey?name=laptop")
	s.click(confirmButton)
	s.shows(".fault", "No passkey was made. Try again.")
	s.verifies(true)
	s.visit("/passkey?name=laptop")
	eval[bool](s.view, `(fetch(location).then((page) => { window.another = page.ok; }), true)`) // tab
	s.wait(`window.another`)
	s.click(confirmButton)
	s.shows("h1", "The passkey laptop is registered")
	s.visit("/passkey?name=laptop") // the authenticator has one for the page
	s.click(confirmButton)
	s.wait(`document.querySelector(".fault").textContent`)

	s.visit("/?id=" + rec.ID)
	s.hasten()
	s.verifies(false)
	s.yes(rec)
	s.shows("#news", "Not sent. Your passkey did not sign the answer. Try again.")
	s.pending(rec.ID)
	s.verifies(true)
	eval[bool](s.view, `((real) => {
		window.fetch = (to, how) => {
			if (how?.body?.has?.("proof")) {
				how.body.set("q0", "1");
				window.fetch = real;
			}
			return real(to, how);
		};
		return true;
	})(window.fetch)`)
	s.click(within(rec.ID, confirmButton))
	s.shows(".refused", "it was signed for another question, answer or time.")
	s.pending(rec.ID)
	s.accessible()
	s.visit("/?id=" + rec.ID)
	s.hasten()
	s.yes(rec)
	s.answered(rec.ID)
	s.shows("#news", "Sent to Codex in shop.")
	o := s.record(rec.ID).Outcome
	if p := o.Proof; p == nil || !p.Verified || p.Name != "laptop" || p.Kind != question.PasskeyProof ||
		!p.At.Equal(o.At) {
		t.Errorf("the proof is %+v", p)
	}
	keys, err := proof.Load(s.keys)
	if err != nil || len(keys.Passkeys) != 1 || keys.Passkeys[0].Party != "localhost" ||
		keys.Passkeys[0].Created.IsZero() {
		t.Errorf("the keys are %+v, %v", keys, err)
	}

	q := deploy()
	q.Description = strings.Repeat("A line of the details.\n\n", 100)
	rec = s.open(q)
	unread := func() {
		t.Helper()
		s.shows(".refused", "Your answer is signed: scroll to the end of the question first.")
		s.pending(rec.ID)
	}
	s.view.keys("y", kb.Enter)
	unread()
	eval[bool](s.view, `(scrollTo(0, document.documentElement.scrollHeight), true)`)
	s.yes(rec)
	unread()
	eval[bool](s.view, `((async () => {
		const { scrollHeight } = document.documentElement;
		for (scrollTo(0, 0); scrollY + innerHeight < scrollHeight - 1; scrollBy(0, innerHeight / 2)) {
			await new Promise(requestAnimationFrame);
		}
	})(), true)`)
	s.wait(`document.querySelector("[name=whole]").value === "yes"`)
	s.yes(rec)
	s.answered(rec.ID)
	short := s.open(deploy())
	s.view.keys("y", kb.Enter)
	s.answered(short.ID)

	rec = s.open(deploy())
	eval[bool](s.view, `(navigator.credentials.get = () => new Promise((_, no) => {
		window.decline = () => no(new DOMException("", "NotAllowedError"));
	}), true)`)
	s.yes(rec)
	s.wait(`window.decline`)
	_, err = s.desk.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled})
	fatal.If(t, err)
	s.wait(`!document.querySelector("#list [data-id]")`)
	eval[bool](s.view, `(decline(), true)`)
	s.shows(".card.ended", "withdrawn")
}
