package web

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// Passkeys are registered and used on the page. The browser makes the signature: the script
// hands it the challenge in here, and sends back what the credential's toJSON writes.

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
	err = json.Unmarshal([]byte(text), &c)
	if err != nil {
		err = api.Problemf(api.InvalidRequest, "The browser's response is no credential: %v.", err)
	}
	return c, err
}

// askProof responds to a reply that needs a proof with what is to be signed, for the script.
func (s *Server) askProof(w http.ResponseWriter, r *http.Request, f *form, reply question.Reply) error {
	keys, err := s.passkeys(hostname(r))
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return s.showRefused(w, r, f, errNoPasskey)
	}
	at := s.Now().UTC().Round(0)
	statement, err := f.rec.ProofStatement(reply, at)
	if err != nil {
		return err
	}
	sum, err := statement.Sum()
	if err != nil {
		return err
	}
	options, err := json.Marshal(map[string]any{
		"challenge": proof.Challenge(sum), "userVerification": "required", "allowCredentials": allowed(keys),
	})
	if err != nil {
		return err
	}
	l := s.languageOf(r)
	return render(w, http.StatusForbidden, h.Div(h.ID("none"),
		h.P(h.Data("sign", string(options)), h.Data("at", at.Format(time.RFC3339Nano)),
			g.Text(sentence(l, l.T("this answer must be signed by the user"))))))
}

// passkeys returns the passkeys of a host that may sign.
func (s *Server) passkeys(host string) ([]proof.Passkey, error) {
	keys, err := s.Desk.Keys(nil)
	others := func(k proof.Passkey) bool { return k.Party != host || !k.Removed.IsZero() }
	return slices.DeleteFunc(keys.Passkeys, others), err
}

var (
	errNoPasskey = errors.New(words.Mark("this answer needs a passkey, and there is none for this page: " +
		"in a terminal run mcp-askuser passkey add, then mcp-askuser web --open"))
	errChanged    = errors.New(words.Mark("the question has changed since it was shown: read it again"))
	errUnread     = errors.New(words.Mark("your answer is signed: scroll to the end of the question first"))
	errUnproven   = errors.New(words.Mark("the signature does not count"))
	errUnscripted = errors.New(words.Mark("Signing needs scripts, which are off: switch them on, and reload the page."))
)

// checkShown returns an error unless the question that a form answers was shown as it is, and to
// its end: what is signed is what was shown.
func checkShown(r *http.Request, f *form) error {
	switch {
	case !scripted(r): // nothing tells whether its end was in sight
		return errUnscripted
	case f.values.Get("whole") == "":
		return errUnread
	case f.values.Get("asked") != f.rec.Statement():
		return errChanged
	}
	return nil
}

// proofIn returns the proof of a reply in a form, nil where there is none.
func (s *Server) proofIn(f *form, reply question.Reply) (*question.Proof, error) {
	text := f.values.Get("proof")
	if text == "" {
		return nil, nil
	}
	c, err := credentialIn(text)
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339Nano, f.values.Get("at"))
	if err != nil {
		return nil, api.Problemf(api.InvalidRequest, "The proof has no time.")
	}
	statement, err := f.rec.ProofStatement(reply, at)
	if err != nil {
		return nil, err
	}
	x := c.Response
	p := &question.Proof{
		Kind: question.PasskeyProof, Key: c.ID, At: at,
		Signature: x.Signature, ClientData: x.ClientData, AuthenticatorData: x.AuthenticatorData,
	}
	keys, err := s.Desk.Keys(nil)
	if err != nil {
		return nil, err
	}
	err = keys.Verify(statement, p)
	if err != nil {
		return p, fmt.Errorf("%w: %w", errUnproven, err)
	}
	return p, nil
}

// getPasskey shows the page on which a passkey is registered.
func (s *Server) getPasskey(w http.ResponseWriter, r *http.Request) error {
	keys, err := s.passkeys(hostname(r))
	if err != nil {
		return err
	}
	name := question.Line(r.URL.Query().Get("name"))
	return render(w, http.StatusOK, registration(s.languageOf(r), s.challenge, name, keys))
}

// postPasskey registers a passkey.
func (s *Server) postPasskey(w http.ResponseWriter, r *http.Request) error {
	err := r.ParseForm()
	if err != nil {
		return unreadBody(err)
	}
	c, err := credentialIn(r.PostForm.Get("credential"))
	if err != nil {
		return err
	}
	s.registering.Lock()
	defer s.registering.Unlock()
	x := c.Response
	name := strings.TrimSpace(question.Line(r.PostForm.Get("name")))
	key, err := proof.Register(name, c.ID, s.challenge, x.PublicKey, x.ClientData, x.AuthenticatorData)
	if err == nil && key.Name == "" {
		err = proof.ErrMismatch
	}
	if err == nil {
		key.Created = s.Now().UTC()
		err = s.AddPasskey(r.Context(), key)
	}
	if err != nil {
		return api.Problemf(api.InvalidRequest, "%s", s.languageOf(r).T("The passkey was not registered: %v.", err))
	}
	l := s.languageOf(r)
	return render(w, http.StatusOK, alone(l, l.T("New passkey"), l.T("The passkey %s is registered", key.Name), nil,
		h.P(say(l, "You can close this page."))))
}

// hostname is the host of the page: a passkey belongs to it.
func hostname(r *http.Request) string { return (&url.URL{Host: r.Host}).Hostname() }
