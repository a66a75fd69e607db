//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/internal/keyfile"
	"mcp-askuser/internal/ntfytest"
)

// usePhone does what phone setup does in the store, for the topic of these tests.
func usePhone(t *testing.T, dir, server string) {
	a := &app{config: settings.New(), getenv: func(name string) string { return map[string]string{"MCP_ASKUSER_DIR": dir}[name] }}
	a.config.Values.NtfyServer, a.config.Values.NtfyTopic = server, "questions"
	path, err := a.phoneKey()
	if err := errors.Join(err, keyfile.Make(path)); err != nil {
		t.Fatal(err)
	}
}

// A question asked by a command is on the phone, and a button answers it; a
// program that only shows it there, as the hooks run it, takes the answer too.
func TestPhone(t *testing.T) {
	for _, by := range []string{"the asker", "another"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			server, dir := ntfytest.New(t, "tk_1"), t.TempDir()
			server.Grant("tk_button", "questions-*")
			usePhone(t, dir, server.URL)
			phone := []string{"ASK_NTFY_SERVER=" + server.URL, "ASK_NTFY_TOPIC=questions", "ASK_NTFY_TOKEN=tk_1", "ASK_NTFY_BUTTON_TOKEN=tk_button", "ASK_NTFY_TEXT=full"}
			asker := program(t, dir, "confirm", "--surface", "inbox", "Deploy?")
			if by == "the asker" {
				asker.Env = append(asker.Env, phone...)
			}
			var out strings.Builder
			asker.Stdout = &out
			if err := asker.Start(); err != nil {
				t.Fatal(err)
			}
			rec := await(t, openDesk(t, dir))
			if by == "another" {
				other := program(t, dir, "phone", "show", rec.ID)
				other.Env = append(other.Env, phone...)
				if err := other.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := other.Wait(); err != nil {
						t.Errorf("it ends with %v", err)
					}
				}()
			}
			m := server.Await(t, "questions", ntfytest.Titled)
			if m["message"] != "Deploy?" {
				t.Errorf("it says %v", m)
			}
			ntfytest.Press(t, m, 0)
			if err := asker.Wait(); err != nil || strings.TrimSpace(out.String()) != "yes" {
				t.Errorf("%v, %q", err, out.String())
			}
		})
	}
}

// The access tokens are not shown.
func TestPhoneTokenIsNotShown(t *testing.T) {
	cmd := program(t, t.TempDir(), "config")
	cmd.Env = append(cmd.Env, "ASK_NTFY_TOKEN=tk_secret", "ASK_NTFY_BUTTON_TOKEN=tk_button")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "tk_") || strings.Count(string(out), "(not shown)") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

// The doctor says whether a press would be accepted.
func TestDoctorTriesThePhone(t *testing.T) {
	server := ntfytest.New(t, "tk_1")
	server.Grant("tk_button", "questions-*")
	server.Grant("tk_other", "elsewhere")
	open := ntfytest.New(t, "")
	for _, tc := range []struct {
		name  string
		env   []string
		state state
		text  string
	}{
		{"its own token", []string{"ASK_NTFY_TOKEN=tk_1", "ASK_NTFY_BUTTON_TOKEN=tk_button", "ASK_NTFY_TEXT=full"}, stateOK, "takes a press"},
		{"no token", []string{"ASK_NTFY_TOKEN=tk_1", "ASK_NTFY_TEXT=full"}, stateWrong, "a press of a button would fail"},
		{"another token", []string{"ASK_NTFY_TOKEN=tk_1", "ASK_NTFY_BUTTON_TOKEN=tk_other", "ASK_NTFY_TEXT=full"}, stateWrong, "a press of a button would fail"},
		{"our own token", []string{"ASK_NTFY_TOKEN=tk_1", "ASK_NTFY_BUTTON_TOKEN=tk_1", "ASK_NTFY_TEXT=full"}, stateWrong, "ntfy_button_token is ntfy_token"},
		{"no right to read", []string{"ASK_NTFY_TEXT=full"}, stateWrong, "answers do not arrive"},
		{"a token that reads", []string{"ASK_NTFY_SERVER=" + open.URL, "ASK_NTFY_BUTTON_TOKEN=tk_button", "ASK_NTFY_TEXT=full"}, stateWrong, "may read your questions"},
		{"not set up", []string{"ASK_NTFY_TOKEN=tk_1"}, stateWrong, "the phone is not set up for the topic questions"},
		{"header", []string{"ASK_NTFY_TOKEN=tk_1"}, stateOK, "without buttons"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.name != "not set up" {
				usePhone(t, dir, server.URL)
				usePhone(t, dir, open.URL)
			}
			cmd := program(t, dir, "doctor", "--json")
			cmd.Env = append(append(cmd.Env, "ASK_NTFY_SERVER="+server.URL, "ASK_NTFY_TOPIC=questions"), tc.env...)
			out, _ := cmd.Output() // other parts of this machine may be wrong
			var found []finding
			if err := json.Unmarshal(out, &found); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			i := slices.IndexFunc(found, func(f finding) bool { return f.Part == "phone" })
			if i < 0 || found[i].State != tc.state || !strings.Contains(found[i].Text, tc.text) || (found[i].Remedy == "") == (tc.state == stateWrong) {
				t.Errorf("got %+v", found)
			}
		})
	}
}
