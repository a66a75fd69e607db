//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/keyfile"
	"mcp-askuser/internal/ntfytest"
	"mcp-askuser/internal/termtest"
)

// appOn is the program's own view of a store.
func appOn(dir string) *app {
	getenv := func(name string) string { return map[string]string{local.EnvDir: dir}[name] }
	return &app{config: settings.Load(func(string) string { return "" }), getenv: getenv}
}

// usePhone does what phone setup does in the store, for the topic of these tests.
func usePhone(t *testing.T, dir string, setup phoneSetup) {
	t.Helper()
	setup.Topic, setup.Key = "questions", keyfile.New()
	fatal.If(t, appOn(dir).keepPhone(&setup))
}

// A program that shows a question on the phone, as the hooks run it, takes the press of a button.
func TestPhone(t *testing.T) {
	t.Parallel()
	server, dir := ntfytest.New(t, "tk_1"), t.TempDir()
	server.Grant("", "questions-*")
	asker := program(t, dir, "confirm", "--surface", "inbox", "Deploy?")
	var out strings.Builder
	asker.Stdout = &out
	fatal.If(t, asker.Start())
	rec := openRecord(t, desktest.Open(t, dir))
	usePhone(t, dir, phoneSetup{Server: server.URL, Token: "tk_1"})
	other := program(t, dir, "phone", "show", rec.ID)
	fatal.If(t, other.Start())
	m := server.Await(t, "questions", ntfytest.Titled)
	if m["message"] != "Deploy?" {
		t.Errorf("it says %v", m)
	}
	ntfytest.Press(t, m, 0)
	if err := asker.Wait(); err != nil || strings.TrimSpace(out.String()) != "yes" {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := other.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// phoneUser runs commands of a user.
type phoneUser struct {
	t   *testing.T
	dir string // the store
}

// run runs a command on a terminal, and returns the exit status and all that it prints. With
// leave it is interrupted once it waits for a press.
func (u phoneUser) run(leave bool, args ...string) (status int, out string) {
	u.t.Helper()
	x := termtest.Start(u.t, program(u.t, u.dir, args...), 1000, 24)
	if leave {
		x.WaitFor("Android:")
		x.Signal(syscall.SIGINT)
	}
	status, out = x.Wait(), x.Output()
	if strings.Contains(out, "tk_") {
		u.t.Errorf("a token is shown: %s", out)
	}
	return status, out
}

// setup is what is kept.
func (u phoneUser) setup() phoneSetup {
	u.t.Helper()
	setup, err := appOn(u.dir).readPhone()
	fatal.If(u.t, err)
	if setup == nil {
		return phoneSetup{}
	}
	return *setup
}

// topic returns the topic that setup has made.
func (u phoneUser) topic() string {
	u.t.Helper()
	topic := u.setup().Topic
	if !regexp.MustCompile(`^askuser-[a-z2-7]{16}$`).MatchString(topic) {
		u.t.Fatalf("no topic was made: %q", topic)
	}
	return topic
}

// Setup shows a code to scan and keeps one file for the user alone, and a test waits for its press; a change keeps the
// topic; a test needs no terminal; off removes the file.
func TestPhoneSetup(t *testing.T) {
	t.Parallel()
	server, u := ntfytest.New(t, ""), phoneUser{t, t.TempDir()}
	x := termtest.Start(t, onScreen(program(t, u.dir, "phone", "setup", "--server", server.URL)), 80, 24)
	x.WaitFor("scan the code")
	if strings.Count(x.Screen(), "█") < 100 {
		t.Errorf("no QR code:\n%s", x.Screen())
	}
	ntfytest.Press(t, server.Await(t, "", ntfytest.Titled), 0)
	if status := x.Wait(); status != 0 || !strings.Contains(x.Output(), "The press arrived") {
		t.Errorf("%d: %s", status, x.Output())
	}
	link := strings.Replace(server.URL, "http://", "ntfy://", 1) + "/" + u.topic() + "?secure=false"
	if !strings.Contains(x.Output(), link) {
		t.Errorf("no link: %s", x.Output())
	}
	if info, err := os.Stat(filepath.Join(u.dir, phoneFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	first := u.setup()
	status, out := u.run(true, "phone", "setup", "--private")
	if status != exitInterrupted || !strings.Contains(out, link) || !strings.Contains(out, "and no more") {
		t.Errorf("again: %s", out)
	}
	now := u.setup()
	if !now.Private || now.Topic != first.Topic || now.Server != first.Server || string(now.Key) != string(first.Key) {
		t.Errorf("it became %+v", now)
	}
	test := program(t, u.dir, "phone", "test")
	fatal.If(t, test.Start())
	ntfytest.Press(t, server.Await(t, u.topic(), func(m map[string]any) bool {
		return ntfytest.Titled(m) && m["id"] != "m0" && m["id"] != "m1"
	}), 0)
	if err := test.Wait(); err != nil {
		t.Errorf("test: %v", err)
	}
	if status, out := u.run(false, "phone", "off"); status != 0 || u.setup().Topic != "" {
		t.Errorf("off: %s", out)
	}
	if left, _ := os.ReadDir(u.dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	status, out = u.run(false, "phone", "test")
	if status != 1 || !strings.Contains(out, "no phone is set up; mcp-askuser phone setup does it") {
		t.Errorf("test without a phone: %s", out)
	}
}

// A server with access control refuses until it has the tokens and permits a press: the error
// says what to do, and the topic is kept. The doctor says the same later. Nothing is kept where the
// server cannot be reached.
func TestPhoneSetupRefused(t *testing.T) {
	t.Parallel()
	server, u := ntfytest.New(t, "tk_1"), phoneUser{t, t.TempDir()}
	status, out := u.run(false, "phone", "setup", "--server", "http://127.0.0.1:1")
	if status != exitBad || !strings.Contains(out, "nothing was kept: ") || u.setup().Topic != "" {
		t.Errorf("no server: %d %s", status, out)
	}
	status, out = u.run(false, "phone", "setup", "--server", server.URL)
	topic := u.topic()
	if status != exitBad || !strings.Contains(out, "ntfy access USER '"+topic+"*' read-write") {
		t.Errorf("without a token: %d %s", status, out)
	}
	status, out = u.run(false, "phone", "setup", "--token", "tk_1")
	if status != exitBad || u.topic() != topic || !strings.Contains(out, "ntfy access everyone '"+topic+"-") {
		t.Errorf("where nobody may press: %d %s", status, out)
	}
	doctor := func(want string) {
		t.Helper()
		_, out := u.run(false, "doctor") // other parts of this machine may be wrong
		if !strings.Contains(out, want) {
			t.Errorf("the doctor says %s", out)
		}
	}
	doctor("wrong  " + topic + ": a press of a button would fail")
	server.Grant("", topic+"-*")
	doctor("ok     " + topic + ": shows questions, and takes a press")
	elsewhere := ntfytest.New(t, "")
	status, out = u.run(true, "phone", "setup", "--server", elsewhere.URL)
	if now := u.setup(); status != exitInterrupted || now.Token != "" || now.Server != elsewhere.URL {
		t.Errorf("the token of another server goes along: %+v, %s", now, out)
	}
	u.run(true, "phone", "setup", "--server", server.URL+"/", "--token", "tk_1")
	u.run(true, "phone", "setup", "--server", server.URL)
	if now := u.setup(); now.Token != "tk_1" {
		t.Errorf("the token of the same server is lost: %+v", now)
	}
	server.Close()
	doctor("→ Is " + server.URL + " an ntfy server")
}
