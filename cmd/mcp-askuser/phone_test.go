//go:build unix

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/internal/keyfile"
	"mcp-askuser/internal/ntfytest"
)

// usePhone does what phone setup does in the store, for the topic of these tests.
func usePhone(t *testing.T, dir string, setup phoneSetup) {
	t.Helper()
	a := &app{config: settings.Load(func(string) string { return "" }), getenv: func(name string) string { return map[string]string{"MCP_ASKUSER_DIR": dir}[name] }}
	setup.Topic, setup.Key = "questions", keyfile.New()
	if err := a.keepPhone(&setup); err != nil {
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
			server.Grant("", "questions-*")
			setup := phoneSetup{Server: server.URL, Token: "tk_1"}
			if by == "the asker" {
				usePhone(t, dir, setup)
			}
			asker := program(t, dir, "confirm", "--surface", "inbox", "Deploy?")
			var out strings.Builder
			asker.Stdout = &out
			if err := asker.Start(); err != nil {
				t.Fatal(err)
			}
			rec := openRecord(t, openDesk(t, dir))
			if by == "another" {
				usePhone(t, dir, setup)
				other := program(t, dir, "phone", "show", rec.ID)
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

// The doctor says whether a press would be accepted.
func TestDoctorTriesThePhone(t *testing.T) {
	server, closed := ntfytest.New(t, "tk_1"), ntfytest.New(t, "tk_1")
	server.Grant("", "questions-*")
	for _, tc := range []struct {
		name  string
		setup phoneSetup
		state state
		text  string
	}{
		{"everyone presses", phoneSetup{Server: server.URL, Token: "tk_1"}, stateOK, "takes a press"},
		{"nobody presses", phoneSetup{Server: closed.URL, Token: "tk_1"}, stateWrong, "a press of a button would fail"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			usePhone(t, dir, tc.setup)
			cmd := program(t, dir, "doctor", "--json")
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
