//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/internal/ntfytest"
	"mcp-askuser/internal/termtest"
)

// phoneUser runs commands of a user.
type phoneUser struct {
	t   *testing.T
	dir string // the store
}

func newPhoneUser(t *testing.T) phoneUser { return phoneUser{t, t.TempDir()} }

func (u phoneUser) program(args ...string) *exec.Cmd {
	return program(u.t, u.dir, append([]string{"phone"}, args...)...)
}

// run runs a command on a terminal, and returns the exit status and all that it prints.
func (u phoneUser) run(args ...string) (status int, out string) {
	u.t.Helper()
	return u.ended(termtest.Start(u.t, u.program(args...), 1000, 24))
}

// leave runs a command until it waits for a press.
func (u phoneUser) leave(args ...string) (status int, out string) {
	u.t.Helper()
	x := termtest.Start(u.t, u.program(args...), 1000, 24)
	x.WaitFor("Android:")
	x.Signal(syscall.SIGINT)
	return u.ended(x)
}

func (u phoneUser) ended(x *termtest.Terminal) (status int, out string) {
	u.t.Helper()
	status, out = x.Wait(), x.Output()
	if strings.Contains(out, "tk_") {
		u.t.Errorf("a token is shown: %s", out)
	}
	return status, out
}

// setup is what is kept.
func (u phoneUser) setup() phoneSetup {
	u.t.Helper()
	a := &app{config: settings.Load(func(string) string { return "" }), getenv: func(name string) string { return map[string]string{"MCP_ASKUSER_DIR": u.dir}[name] }}
	setup, err := a.readPhone()
	if err != nil {
		u.t.Fatal(err)
	}
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

// Setup keeps one file for the user alone, and a test waits for its press; off removes it.
func TestPhoneSetup(t *testing.T) {
	server, u := ntfytest.New(t, ""), newPhoneUser(t)
	x := termtest.Start(t, u.program("setup", "--server", server.URL), 80, 10)
	ntfytest.Press(t, server.Await(t, "", ntfytest.Titled), 0)
	if status := x.Wait(); status != 0 || !strings.Contains(x.Output(), "The press arrived") {
		t.Errorf("%d: %s", status, x.Output())
	}
	link := strings.Replace(server.URL, "http://", "ntfy://", 1) + "/" + u.topic() + "?secure=false"
	if !strings.Contains(x.Output(), link) || strings.Contains(x.Output(), "█") {
		t.Errorf("not the link alone, where the code has no room: %s", x.Output())
	}
	if info, err := os.Stat(filepath.Join(u.dir, phoneFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	first := u.setup()
	if status, out := u.leave("setup", "--private"); status != exitInterrupted || !strings.Contains(out, link) || !strings.Contains(out, "and no more") {
		t.Errorf("again: %s", out)
	}
	if now := u.setup(); !now.Private || now.Topic != first.Topic || now.Server != first.Server || string(now.Key) != string(first.Key) {
		t.Errorf("it became %+v", now)
	}
	if status, out := u.run("off"); status != 0 || u.setup().Topic != "" {
		t.Errorf("off: %s", out)
	}
	if left, _ := os.ReadDir(u.dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if status, out := u.run("off"); status != 0 || !strings.Contains(out, "No phone is set up") {
		t.Errorf("off again: %s", out)
	}
}

// A server with access control refuses until it has the tokens and permits a press: the
// error says what to do, and the topic is kept.
func TestPhoneSetupWithAccessControl(t *testing.T) {
	server, u := ntfytest.New(t, "tk_1"), newPhoneUser(t)
	status, out := u.run("setup", "--server", server.URL)
	topic := u.topic()
	if status != 1 || !strings.Contains(out, "Give --token") || !strings.Contains(out, "ntfy access USER '"+topic+"*' read-write") {
		t.Errorf("without a token: %d %s", status, out)
	}
	status, out = u.run("setup", "--token", "tk_1")
	if status != 1 || u.topic() != topic || !strings.Contains(out, "without a button") || !strings.Contains(out, "ntfy access everyone '"+topic+"-") {
		t.Errorf("where nobody may press: %d %s", status, out)
	}
}

// Nothing is kept where the server cannot be reached or is none, or the topic is bad.
func TestPhoneSetupWritesNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	for _, tc := range []struct{ args, says string }{
		{"setup --server http://" + ln.Addr().String(), "Nothing was kept."},
		{"setup --server example", "is no address such as https://ntfy.sh"},
		{"test", "no phone is set up; mcp-askuser phone setup does it"},
	} {
		u := newPhoneUser(t)
		if status, out := u.run(strings.Fields(tc.args)...); status != 1 || !strings.Contains(out, tc.says) {
			t.Errorf("%s: %d %s", tc.args, status, out)
		}
		if left, _ := os.ReadDir(u.dir); len(left) != 0 {
			t.Errorf("%s leaves %v", tc.args, left)
		}
	}
}

// A script cannot set up the phone, and can test it.
func TestPhoneWithoutATerminal(t *testing.T) {
	server, u := ntfytest.New(t, ""), newPhoneUser(t)
	if out, err := u.program("setup", "--server", server.URL).CombinedOutput(); exitStatus(err) != 1 || !strings.Contains(string(out), "run this in a terminal of your own") || u.setup().Topic != "" {
		t.Errorf("setup: %v %s", err, out)
	}
	u.leave("setup", "--server", server.URL)
	cmd := u.program("test")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ntfytest.Press(t, server.Await(t, u.topic(), func(m map[string]any) bool { return ntfytest.Titled(m) && m["id"] != "m0" }), 0)
	if err := cmd.Wait(); err != nil {
		t.Errorf("test: %v", err)
	}
}

// In a terminal the user sees the code, and Ctrl+C leaves everything set up.
func TestPhoneSetupInATerminal(t *testing.T) {
	server, u := ntfytest.New(t, ""), newPhoneUser(t)
	cmd := u.program("setup", "--server", server.URL)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
	s := termtest.Start(t, cmd, 80, 24)
	s.WaitFor("scan the code")
	if strings.Count(s.Screen(), "█") < 100 {
		t.Errorf("no QR code:\n%s", s.Screen())
	}
	s.Signal(syscall.SIGINT)
	if status := s.Wait(); status != exitInterrupted || u.topic() == "" {
		t.Errorf("Ctrl+C ends it with %d", status)
	}
}

// A client on another machine gets the address of a page that it reaches and that takes
// passkeys, without a token, or none.
func TestPageForOtherMachines(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ published, want string }{
		{published: "https://localhost:" + port + "/?token=secret", want: "https://localhost:" + port + "/?id=01J"},
		{published: "https://127.0.0.1:" + port + "/?token=secret"}, // a certificate for an address
		{},
	} {
		dir := t.TempDir()
		a := &app{config: settings.Load(func(string) string { return "" }), getenv: func(name string) string { return map[string]string{"MCP_ASKUSER_DIR": dir}[name] }}
		withdraw := func() {}
		if tt.published != "" {
			withdraw = a.publishPage(tt.published)
		}
		if got, err := a.publicPage(nil, false, "01J"); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
		withdraw()
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}
