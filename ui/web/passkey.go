package web

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"time"

	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// Passkeys are registered and used on the page. The browser makes the signature: the script
// hands it the options in here, as PublicKeyCredential.parse…OptionsFromJSON reads them, and
// sends back what toJSON writes.

// bytes64 are bytes in base64url without padding, as WebAuthn's JSON has them.
type bytes64 []byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *bytes64) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.AppendDecode(nil, text)
	return err
}

// credential is a browser's response.
type credential struct {
	ID       string `json:"id"`
	Response struct {
		ClientData        bytes64 `json:"clientDataJSON"`
		AuthenticatorData bytes64 `json:"authenticatorData"`
		Signature         bytes64 `json:"signature"`
		PublicKey         bytes64 `json:"publicKey"`
	} `json:"response"`
}

func credentialIn(text string) (c credential, err error) {
	if err = json.Unmarshal([]byte(text), &c); err != nil {
		err = api.Problemf(api.InvalidRequest, "The browser's response is no credential: %v.", err)
	}
	return c, err
}

// toSign is what the script has a passkey sign.
type toSign struct {
	Options map[string]any
	At      time.Time
}

// postSign returns what is signed for the answers in a form.
func (s *Server) postSign(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.formAndRecord(r)
	if err != nil {
		return err
	}
	reply, err := s.replyIn(&rec, r.PostForm)
	if err != nil {
		return s.showRefused(w, r, rec.ID, err)
	}
	keys, err := s.passkeys(r.Context(), hostname(r))
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return s.showForm(w, r, rec.ID, http.StatusForbidden, func(c *card) {
			c.Faults = []fault{{Field: c.ID + "-form", Words: c.lang.T("This answer needs a passkey, and there is none for this page. In a terminal: mcp-askuser passkey add")}}
		})
	}
	at := s.Now().UTC().Round(0)
	statement, err := rec.ProofStatement(reply, at)
	if err != nil {
		return err
	}
	sum, err := statement.Sum()
	if err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, "sign", toSign{map[string]any{
		"challenge": proof.Challenge(sum), "rpId": hostname(r), "userVerification": "required", "allowCredentials": descriptors(keys),
	}, at})
}

// descriptors name passkeys to the browser.
func descriptors(keys []proof.Passkey) (out []any) {
	for _, k := range keys {
		out = append(out, map[string]string{"type": "public-key", "id": k.ID})
	}
	return out
}

// passkeys returns the passkeys of a host that may sign.
func (s *Server) passkeys(ctx context.Context, host string) ([]proof.Passkey, error) {
	keys, err := s.Keys(ctx)
	return slices.DeleteFunc(keys.Passkeys, func(k proof.Passkey) bool { return k.Party != host || !k.Removed.IsZero() }), err
}

// proofIn returns the proof in a form, nil where there is none, and the passkeys with its
// counter.
func (s *Server) proofIn(r *http.Request) (p *question.Proof, counted []proof.Passkey, err error) {
	text := r.PostForm.Get("proof")
	if text == "" {
		return nil, nil, nil
	}
	c, err := credentialIn(text)
	if err != nil {
		return nil, nil, err
	}
	at, err := time.Parse(time.RFC3339Nano, r.PostForm.Get("at"))
	if err != nil {
		return nil, nil, api.Problemf(api.InvalidRequest, "The proof has no time.")
	}
	keys, err := s.Keys(r.Context())
	if err != nil {
		return nil, nil, err
	}
	p = &question.Proof{Kind: question.PasskeyProof, Key: c.ID, At: at, Signature: c.Response.Signature, ClientData: c.Response.ClientData, AuthenticatorData: c.Response.AuthenticatorData}
	counted, err = keys.Count(p)
	return p, counted, err
}

// registration is a page on which a passkey is registered.
type registration struct {
	Name    string
	Options map[string]any
}

// getPasskey shows the page on which a passkey is registered.
func (s *Server) getPasskey(w http.ResponseWriter, r *http.Request) error {
	name := question.Line(r.URL.Query().Get("name"))
	keys, err := s.passkeys(r.Context(), hostname(r))
	if err != nil {
		return err
	}
	s.registering.Lock()
	defer s.registering.Unlock()
	s.challenge = rand.Text()
	return s.render(w, r, http.StatusOK, "passkey", registration{name, map[string]any{
		"challenge": s.challenge,
		"rp":        map[string]string{"id": hostname(r), "name": "mcp-askuser"},
		"user":      map[string]string{"id": rand.Text(), "name": name, "displayName": name},
		"pubKeyCredParams": []any{
			map[string]any{"type": "public-key", "alg": -7}, // ECDSA on P-256
			map[string]any{"type": "public-key", "alg": -8}, // Ed25519
			map[string]any{"type": "public-key", "alg": -257},
		},
		"authenticatorSelection": map[string]string{"userVerification": "required", "residentKey": "preferred"},
		"excludeCredentials":     descriptors(keys),
	}})
}

// postPasskey registers a passkey.
func (s *Server) postPasskey(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return unreadBody(err)
	}
	c, err := credentialIn(r.PostForm.Get("credential"))
	if err != nil {
		return err
	}
	s.registering.Lock()
	defer s.registering.Unlock()
	challenge := s.challenge
	s.challenge = "" // it counts once
	x := c.Response
	key, err := proof.Register(r.PostForm.Get("name"), c.ID, challenge, x.PublicKey, x.ClientData, x.AuthenticatorData)
	if err == nil && challenge == "" {
		err = proof.ErrMismatch
	}
	if err != nil {
		return api.Problemf(api.InvalidRequest, "The passkey was not registered: %v.", err)
	}
	if err := s.AddPasskey(key); err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, "registered", key)
}

// hostname is the host of the page: a passkey belongs to it.
func hostname(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return r.Host
	}
	return host
}
