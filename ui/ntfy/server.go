package ntfy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func (p *Phone) publish(ctx context.Context, m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return p.send(ctx, http.MethodPost, "", data, p.Token)
}

// probe is the message of [Phone.TryPress], which listeners ignore.
const probe = "mcp-askuser: a test of whether a button may write here"

// ErrRefused means that the server refuses a request with these credentials.
var ErrRefused = errors.New("the ntfy server refuses this")

// statusError is a response other than 200, and what the server says of it.
type statusError struct {
	status int
	why    string
}

func (e *statusError) Error() string {
	status := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	if e.why == "" {
		return words.T("the ntfy server says %s", status)
	}
	return words.T("the ntfy server says %s: %s", status, question.Line(e.why))
}

// Is reports whether the server refuses the credentials.
func (e *statusError) Is(target error) bool {
	return target == ErrRefused && (e.status == http.StatusUnauthorized || e.status == http.StatusForbidden)
}

// TryPress sends a message as a button would, without a credential. The server neither stores
// it nor notifies phones. The error wraps ErrRefused where every press would fail.
func (p *Phone) TryPress(ctx context.Context) error {
	return p.send(ctx, http.MethodPost, p.reply+"?cache=no&firebase=no", []byte(probe), "")
}

// Readable returns nil if we may read the reply topic: answers arrive.
func (p *Phone) Readable(ctx context.Context) error {
	return p.send(ctx, http.MethodGet, p.reply+"/auth", nil, p.Token)
}

// request sends a request, with an access token if there is one. Requests with different tokens
// must not be under way at once: ntfy (2.13) may apply the rights of one to the other.
func (p *Phone) request(ctx context.Context, method, path string, body []byte, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.Server+"/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.Request.Method != method { // the GET of a redirection, which publishes nothing
		_ = resp.Body.Close()
		resp = resp.Request.Response
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }()
		var why struct{ Error string } // docs.ntfy.sh has no list of them
		_ = json.NewDecoder(io.LimitReader(resp.Body, 1<<10)).Decode(&why)
		return nil, &statusError{resp.StatusCode, why.Error}
	}
	return resp, nil
}

// send sends a request whose response has nothing to read.
func (p *Phone) send(ctx context.Context, method, path string, body []byte, token string) error {
	ctx, done := context.WithTimeout(ctx, sendTimeout)
	defer done()
	resp, err := p.request(ctx, method, path, body, token)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	return resp.Body.Close()
}
