package main

import (
	"strings"
	"testing"

	"mcp-askuser/internal/ntfytest"
)

// A question asked by a command is on the phone, and a button answers it; a
// program that only shows it there, as the hooks run it, takes the answer too.
func TestPhone(t *testing.T) {
	for _, by := range []string{"the asker", "another"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			server, dir := ntfytest.New(t, "tk_1"), t.TempDir()
			phone := []string{"ASK_NTFY_SERVER=" + server.URL, "ASK_NTFY_TOPIC=questions", "ASK_NTFY_TOKEN=tk_1", "ASK_NTFY_TEXT=full"}
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
				other := program(t, dir, "phone", rec.ID)
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

// The access token is not shown.
func TestPhoneTokenIsNotShown(t *testing.T) {
	cmd := program(t, t.TempDir(), "config")
	cmd.Env = append(cmd.Env, "ASK_NTFY_TOKEN=tk_secret")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "tk_secret") || !strings.Contains(string(out), "(not shown)") {
		t.Errorf("%v\n%s", err, out)
	}
}
