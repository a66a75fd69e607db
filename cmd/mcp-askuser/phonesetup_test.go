//go:build unix

package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/internal/ntfytest"
	"mcp-askuser/internal/termtest"
)

// phoneUser runs commands of a user with a configuration file.
type phoneUser struct {
	t           *testing.T
	dir, config string // the store, the configuration file
	home        string // the directory of all programs' configuration
}

func newPhoneUser(t *testing.T, config string) phoneUser {
	t.Helper()
	u := phoneUser{t: t, dir: t.TempDir(), home: t.TempDir()}
	u.config = filepath.Join(u.home, "mcp-askuser", "config.toml")
	if config != "" {
		if err := errors.Join(os.Mkdir(filepath.Dir(u.config), 0o700), os.WriteFile(u.config, []byte(config), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

func (u phoneUser) program(args ...string) *exec.Cmd {
	cmd := program(u.t, u.dir, append([]string{"phone"}, args...)...)
	cmd.Env = append(cmd.Env, settings.EnvFile+"=", "XDG_CONFIG_HOME="+u.home)
	return cmd
}

// run runs a command on a terminal: the user has a test sent, and ends the input. It
// returns the exit status and all that the command prints.
func (u phoneUser) run(args ...string) (status int, out string) {
	u.t.Helper()
	x := termtest.Start(u.t, u.program(args...), 1000, 24)
	x.Paste("\r\x04")
	status = x.Wait()
	if out = x.Output(); strings.Contains(out, "tk_") {
		u.t.Errorf("a token is shown: %s", out)
	}
	return status, out
}

func (u phoneUser) file() string {
	u.t.Helper()
	data, err := os.ReadFile(u.config)
	if err != nil && !os.IsNotExist(err) {
		u.t.Fatal(err)
	}
	return string(data)
}

// topic returns the topic that setup has made.
func (u phoneUser) topic() string {
	u.t.Helper()
	found := regexp.MustCompile(`ntfy_topic = "(askuser-[a-z2-7]{16})"`).FindStringSubmatch(u.file())
	if found == nil {
		u.t.Fatalf("no topic was made: %s", u.file())
	}
	return found[1]
}

const existing = "# mine\n\nkeep = \"1h\" # an hour\nremind=\"5m\""

// Setup writes the settings, and a test waits for its press; off leaves every byte as it
// was, also where the file was changed since.
func TestPhoneSetup(t *testing.T) {
	for name, config := range map[string]string{
		"no file": "", "a file": existing, "carriage returns": strings.ReplaceAll(existing, "\n", "\r\n"), "byte order mark": "\ufeff" + existing,
		"its own setting first": "ntfy_page = \"https://page.example/\"\n" + existing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, u := ntfytest.New(t, ""), newPhoneUser(t, config)
			x := termtest.Start(t, u.program("setup", "--server", server.URL), 80, 10)
			x.Paste("\r")
			ntfytest.Press(t, server.Await(t, "", ntfytest.Titled), 0)
			if status := x.Wait(); status != 0 || !strings.Contains(x.Output(), "The press arrived") {
				t.Errorf("%d: %s", status, x.Output())
			}
			link := strings.Replace(server.URL, "http://", "ntfy://", 1) + "/" + u.topic() + "?secure=false"
			if !strings.Contains(x.Output(), link) || strings.Contains(x.Output(), "█") {
				t.Errorf("not the link alone, where the code has no room: %s", x.Output())
			}
			mark, rest := "", config
			if strings.HasPrefix(config, "\ufeff") {
				mark, rest = config[:3], config[3:]
			}
			got := u.file()
			if !strings.HasPrefix(got, mark+phoneHead) || !strings.HasSuffix(got, rest) {
				t.Errorf("the file became %q", got)
			}
			if name == "carriage returns" && strings.Count(got, "\n") != strings.Count(got, "\r\n") {
				t.Errorf("line ends are mixed: %q", got)
			}
			if status, out := u.run("setup"); status != exitInterrupted || !strings.Contains(out, link) || strings.Contains(out, "Written") {
				t.Errorf("again: %s", out)
			}
			if err := os.WriteFile(u.config, []byte(u.file()+"\nno_color = true\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if status, out := u.run("off"); status != 0 || u.file() != config+"\nno_color = true\n" {
				t.Errorf("%s: the file became %q", out, u.file())
			}
			if left, _ := os.ReadDir(u.dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if status, out := u.run("off"); status != 0 || !strings.Contains(out, "No phone is set up") {
				t.Errorf("off again: %s", out)
			}
		})
	}
}

// A file that setup has created is removed with its directory.
func TestPhoneOffRemovesTheFile(t *testing.T) {
	u := newPhoneUser(t, "")
	for _, args := range [][]string{{"setup", "--server", ntfytest.New(t, "").URL}, {"off"}} {
		status, out := u.run(args...)
		if left, _ := os.ReadDir(u.home); status != map[bool]int{true: exitInterrupted}[args[0] == "setup"] || (len(left) == 1) != (args[0] == "setup") {
			t.Errorf("after %s there is %v: %s", args, left, out)
		}
	}
}

// What is set already is kept, and said; a flag that says otherwise is refused.
func TestPhoneSetupKeeps(t *testing.T) {
	server := ntfytest.New(t, "")
	config := fmt.Sprintf("ntfy_topic = \"mine\"\nntfy_server = %q\nntfy_text = \"none\"\n", server.URL)
	u := newPhoneUser(t, config)
	status, out := u.run("setup", "--token", "tk_1")
	for _, want := range []string{"Kept: ntfy_topic, set by " + u.config + ":1", "Kept: ntfy_text, set by " + u.config + ":3", "Written to " + u.config + ": ntfy_token.", "/mine?secure=false", "no more"} {
		if status != exitInterrupted || !strings.Contains(out, want) {
			t.Errorf("does not say %q: %s", want, out)
		}
	}
	if status, out := u.run("setup", "--text", "full"); status != 1 || !strings.Contains(out, "ntfy_text is set by "+u.config) {
		t.Errorf("against the file: %d %s", status, out)
	}
	if status, out := u.run("off"); status != 1 || !strings.Contains(out, "ntfy_topic is set by "+u.config+":1; remove it there") || u.file() != config {
		t.Errorf("a topic of one's own: %d %s\n%s", status, out, u.file())
	}
}

// Run again, setup keeps its topic and changes what the flags say.
func TestPhoneSetupAgain(t *testing.T) {
	server, u := ntfytest.New(t, ""), newPhoneUser(t, existing)
	u.run("setup", "--server", server.URL)
	topic := u.topic()
	if status, out := u.run("setup", "--text", "header"); status != exitInterrupted || u.topic() != topic || !strings.Contains(out, "Written to "+u.config+": ntfy_text.") || strings.Count(u.file(), "ntfy_text") != 1 || !strings.Contains(u.file(), `ntfy_text = "header"`) {
		t.Errorf("%d %s\n%s", status, out, u.file())
	}
	u.run("off")
	if u.file() != existing {
		t.Errorf("the file became %q", u.file())
	}
}

// A server with access control refuses until it has the tokens; each time the error says
// what to do, and the topic is kept.
func TestPhoneSetupWithAccessControl(t *testing.T) {
	server, u := ntfytest.New(t, "tk_1"), newPhoneUser(t, "")
	status, out := u.run("setup", "--server", server.URL)
	topic := u.topic()
	if status != 1 || !strings.Contains(out, "Give --token") || !strings.Contains(out, "ntfy access USER '"+topic+"*' read-write") {
		t.Errorf("without a token: %d %s", status, out)
	}
	status, out = u.run("setup", "--token", "tk_1")
	if status != 1 || u.topic() != topic || !strings.Contains(out, "without a button") || !strings.Contains(out, "--button-token") {
		t.Errorf("without a button's token: %d %s", status, out)
	}
	if status, out = u.run("setup", "--text", "header"); status != 0 || !strings.Contains(out, "questions have none either") {
		t.Errorf("without buttons: %d %s", status, out)
	}
	server.Grant("tk_button", topic+"-*")
	if status, out = u.run("setup", "--text", "full", "--button-token", "tk_button"); status != exitInterrupted || u.topic() != topic || !strings.Contains(out, "The test was sent.") {
		t.Errorf("with both: %d %s", status, out)
	}
	if status, out = u.run("test"); status != exitInterrupted || !strings.Contains(out, "The test was sent.") {
		t.Errorf("test: %d %s", status, out)
	}
}

// Nothing is written where the server cannot be reached or is none, or the topic is bad.
func TestPhoneSetupWritesNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	for _, tc := range []struct{ args, says string }{
		{"setup --server http://" + ln.Addr().String(), "Nothing was written."},
		{"setup --server example", "is no address such as https://ntfy.sh"},
		{"setup --text all", "it takes none, header, full"},
		{"test", "no phone is set up; mcp-askuser phone setup does it"},
	} {
		u := newPhoneUser(t, existing)
		if status, out := u.run(strings.Fields(tc.args)...); status != 1 || !strings.Contains(out, tc.says) || u.file() != existing {
			t.Errorf("%s: %d %s", tc.args, status, out)
		}
		if left, _ := os.ReadDir(u.dir); len(left) != 0 {
			t.Errorf("%s leaves %v", tc.args, left)
		}
	}
}

// A script cannot set up the phone, and can test it.
func TestPhoneWithoutATerminal(t *testing.T) {
	server, u := ntfytest.New(t, ""), newPhoneUser(t, "")
	if out, err := u.program("setup", "--server", server.URL).CombinedOutput(); exitStatus(err) != 1 || !strings.Contains(string(out), "run this in a terminal of your own") || u.file() != "" {
		t.Errorf("setup: %v %s", err, out)
	}
	u.run("setup", "--server", server.URL)
	cmd := u.program("test")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ntfytest.Press(t, server.Await(t, u.topic(), func(m map[string]any) bool { return ntfytest.Titled(m) && m["id"] != "m0" }), 0)
	if err := cmd.Wait(); err != nil {
		t.Errorf("test: %v", err)
	}
}

// In a terminal the user sees the code, Enter sends the test and sends it again, and
// Ctrl+C leaves everything set up.
func TestPhoneSetupInATerminal(t *testing.T) {
	server, u := ntfytest.New(t, ""), newPhoneUser(t, "")
	start := func(cols int, args ...string) *termtest.Terminal {
		cmd := u.program(args...)
		cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
		return termtest.Start(t, cmd, cols, 24)
	}
	s := start(80, "setup", "--server", server.URL)
	s.WaitFor("press Enter to send a test")
	if strings.Count(s.Screen(), "█") < 100 {
		t.Errorf("no QR code:\n%s", s.Screen())
	}
	s.Type("\r")
	m := server.Await(t, u.topic(), ntfytest.Titled)
	s.WaitFor("Press its button")
	s.Type("\r")
	s.Until("it is sent again", func() bool { return strings.Count(s.Output(), "Press its button") == 2 })
	ntfytest.Press(t, m, 0)
	s.WaitFor("The press arrived")
	if status := s.Wait(); status != 0 {
		t.Errorf("ends with %d", status)
	}
	s = start(30, "setup")
	s.WaitFor("press Enter")
	if strings.Contains(s.Screen(), "█") {
		t.Errorf("a code that has no room:\n%s", s.Screen())
	}
	s.Type("\x03")
	s.WaitFor("stays set up")
	if status := s.Wait(); status != exitInterrupted || u.topic() == "" {
		t.Errorf("Ctrl+C ends it with %d", status)
	}
}

// A page that others reach with a certificate is opened by a tap, as long as it is served.
func TestTapOpensThePage(t *testing.T) {
	dir := t.TempDir()
	a := &app{config: settings.New(), getenv: func(name string) string { return map[string]string{"MCP_ASKUSER_DIR": dir}[name] }}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := url.URL{Scheme: "https", Host: ln.Addr().String(), Path: "/", RawQuery: "token=secret"}
	withdraw := a.publishPage(address.String())
	address.RawQuery = ""
	if got := a.reachablePage(); got != address.String() {
		t.Errorf("a page is served at %q", got)
	}
	ln.Close()
	if got := a.reachablePage(); got != "" {
		t.Errorf("a page that is gone: %q", got)
	}
	withdraw()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if a.config.Values.NtfyPage = "https://page.example/"; a.reachablePage() != a.config.Values.NtfyPage {
		t.Error("not the page of the settings")
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
	for _, tt := range []struct{ published, setting, want string }{
		{published: "https://localhost:" + port + "/?token=secret", want: "https://localhost:" + port + "/?id=01J"},
		{published: "https://127.0.0.1:" + port + "/?token=secret"}, // a certificate for an address
		{setting: "https://page.example/", want: "https://page.example/?id=01J"},
		{setting: "http://page.example/"},
		{},
	} {
		dir := t.TempDir()
		a := &app{config: settings.New(), getenv: func(name string) string { return map[string]string{"MCP_ASKUSER_DIR": dir}[name] }}
		a.config.Values.NtfyPage = tt.setting
		if tt.published != "" {
			defer a.publishPage(tt.published)()
		}
		if got, err := a.publicPage(nil, false, "01J"); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}
