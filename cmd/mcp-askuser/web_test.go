//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui/web"
)

// The web command prints its address and serves, in the language that is set, until it is
// interrupted, which is no failure.
func TestWeb(t *testing.T) {
	t.Parallel()
	cmd := program(t, t.TempDir()+"/desk", "web")
	cmd.Env = append(cmd.Env, "ASK_LANGUAGE=pt")
	s := serve(t, cmd)
	if s.address.Scheme != "http" || s.address.Hostname() != "127.0.0.1" || s.address.Path != "/" ||
		len(s.address.Query().Get("token")) < 26 {
		t.Errorf("address %s", s.address)
	}
	for _, tc := range []struct{ method, path, body, want string }{
		{"GET", "/", "", `200 OK.*<html lang="pt"`},
		{"POST", "/api/questions", `{"question":"Which?","options":["A","B"]}`, "201 Created"},
	} {
		address := s.address.ResolveReference(&url.URL{Path: tc.path}).String()
		r, err := http.NewRequestWithContext(t.Context(), tc.method, address, strings.NewReader(tc.body))
		fatal.If(t, err)
		r.Header.Set("Authorization", "Bearer "+s.address.Query().Get("token"))
		resp, err := http.DefaultClient.Do(r)
		fatal.If(t, err)
		body, err := io.ReadAll(resp.Body)
		fatal.If(t, errors.Join(err, resp.Body.Close()))
		if got := resp.Status + string(body); !regexp.MustCompile(tc.want).MatchString(got) {
			t.Errorf("%s %s: %s", tc.method, tc.path, got)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.end(syscall.SIGINT); err != nil {
		t.Errorf("interrupted: %v; %s", err, s.stderr.String())
	}
}

// What is no address to listen on is refused.
func TestListen(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0": "0.0.0.0 0", "127.0.0.1:80": "127.0.0.1 80", "::1": "::1 0", "[::1]": "::1 0",
		"[::1]:80": "::1 80",
		":80":      "", "host:http": "", "a:b:c": "",
	} {
		var o web.Options
		err := readListen(text, &o)
		if got := fmt.Sprint(o.Host, " ", o.Port); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: %s, %v, want %q", text, got, err, want)
		}
	}
}
