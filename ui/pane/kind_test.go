//go:build unix

package pane

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

func TestInside(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(foreign, 65534, -1); err != nil {
		foreign = "/nonexistent/socket" // only root can give a file away
	}
	for _, tt := range []struct {
		kind *kind
		env  string // variables, parted by blanks
		want string // the server's command and the pane; empty: not inside
	}{
		{tmux(), "TMUX=" + socket + ",12,0 TMUX_PANE=%3", "tmux -S " + socket + " %3"},
		{tmux(), "TMUX=" + socket + ",12,0", ""},
		{tmux(), "TMUX=" + socket + ",12,0 TMUX_PANE=", ""},
		{tmux(), "TMUX=" + socket + ",12,0 TMUX_PANE=3", ""},
		{tmux(), "TMUX=" + socket + ",12,0 TMUX_PANE=%3:kill-server", ""},
		{tmux(), "TMUX=s,12,0 TMUX_PANE=%3", ""},
		{tmux(), "TMUX=" + foreign + ",12,0 TMUX_PANE=%3", ""},
		{tmux(), "TMUX= TMUX_PANE=%3", ""},
		{zellij(), "ZELLIJ=0", ""},
		{wezterm(), "WEZTERM_PANE=4 WEZTERM_UNIX_SOCKET=" + socket, "wezterm cli --no-auto-start 4"},
		{wezterm(), "WEZTERM_PANE=-4 WEZTERM_UNIX_SOCKET=" + socket, ""},
		{wezterm(), "WEZTERM_PANE=4 WEZTERM_UNIX_SOCKET=" + foreign, ""},
		{wezterm(), "WEZTERM_PANE=4", ""},
		{kitty(), "KITTY_WINDOW_ID=2 KITTY_LISTEN_ON=unix:" + socket, "kitty @ --to unix:" + socket + " 2"},
		{kitty(), "KITTY_WINDOW_ID=2 KITTY_LISTEN_ON=unix:@mykitty", "kitty @ --to unix:@mykitty 2"},
		{kitty(), "KITTY_WINDOW_ID=2 KITTY_LISTEN_ON=tcp:localhost:1", ""},
		{kitty(), "KITTY_WINDOW_ID=2 KITTY_LISTEN_ON=unix:" + foreign, ""},
		{kitty(), "KITTY_WINDOW_ID=2", ""}, // remote control over the terminal: it is the host's
		{desktop(), "", ""},
		{desktop(), "DISPLAY=:0 SSH_CONNECTION=x", ""},
		{desktop(), "WAYLAND_DISPLAY=wayland-0 SSH_TTY=/dev/pts/1", ""},
	} {
		at, ok := tt.kind.inside(variables(strings.Fields(tt.env)...))
		got := ""
		if ok {
			got = strings.Join(at.server, " ") + " " + at.pane
		}
		if got != tt.want {
			t.Errorf("%s in %q: %q, want %q", tt.kind.name, tt.env, got, tt.want)
		}
	}
}

// Every command names its target, and the words of the command to run stay
// words.
func TestCommands(t *testing.T) {
	argv := []string{"/bin/sh", "-c", "script", "A=b;"}
	for _, tt := range []struct {
		kind *kind
		at   place
		v    view
		open string // words parted by |
		shut string
	}{
		{tmux(), place{pane: "%3"}, view{focus: true}, `split-window|-v|-t|%3|-P|-F|#{pane_id}|/bin/sh|-c|script|A=b\;`, "kill-pane|-t|%9"},
		{tmux(), place{pane: "%3"}, view{}, `split-window|-v|-t|%3|-d|-P|-F|#{pane_id}|/bin/sh|-c|script|A=b\;`, "kill-pane|-t|%9"},
		{tmux(), place{pane: "%3"}, view{focus: true, window: true, session: "$2"}, `new-window|-n|question|-t|$2:|-P|-F|#{pane_id}|/bin/sh|-c|script|A=b\;`, "kill-pane|-t|%9"},
		{wezterm(), place{pane: "3"}, view{}, "split-pane|--bottom|--pane-id|3|--|/bin/sh|-c|script|A=b;", "kill-pane|--pane-id|%9"},
		{kitty(), place{pane: "3"}, view{}, "launch|--match|window_id:3|--type|window|--keep-focus|--title|question|/bin/sh|-c|script|A=b;", "close-window|--match|id:%9"},
		{desktop(), place{}, view{}, "/bin/sh|-c|script|A=b;", ""},
	} {
		if got := strings.Join(tt.kind.open(tt.at, tt.v, slices.Clone(argv)), "|"); got != tt.open {
			t.Errorf("%s opens with %s, want %s", tt.kind.name, got, tt.open)
		}
		if (tt.kind.id == nil) != (tt.shut == "") {
			t.Errorf("%s: ids without a command that closes, or the other way round", tt.kind.name)
		}
		if tt.shut == "" {
			continue
		}
		if got := strings.Join(tt.kind.shut("%9"), "|"); got != tt.shut {
			t.Errorf("%s closes with %s, want %s", tt.kind.name, got, tt.shut)
		}
	}
}

func TestSeen(t *testing.T) {
	const alice = "\n/dev/pts/1,@1,$1,1000,0,"
	calm := time.Unix(1003, 0) // the second is over at 1001
	for _, tt := range []struct {
		kind   *kind
		output string
		want   view
		err    string
	}{
		{tmux(), "%3,@1,$1,1,40,0," + alice, view{session: "$1", clients: []string{"/dev/pts/1"}, calm: calm}, ""},
		{tmux(), "%3,@1,$1,0,40,0," + alice, view{session: "$1", clients: []string{"/dev/pts/1"}, elsewhere: true}, ""},                                        // in the window, in another pane
		{tmux(), "%3,@1,$1,1,40,0,\n/dev/pts/1,@2,$1,1000,0,", view{session: "$1", clients: []string{"/dev/pts/1"}, elsewhere: true}, ""},                      // in another window
		{tmux(), "%3,@1,$1,1,40,0,a,b\n/dev/pts/1,@2,$2,1000,0,a,b", view{session: "$1", clients: []string{"/dev/pts/1"}, elsewhere: true}, ""},                // in a session of the same group
		{tmux(), "%3,@1,$1,1,40,0,\n/dev/pts/1,@1,$2,1000,0,", view{session: "$2", clients: []string{"/dev/pts/1"}, calm: calm}, ""},                           // linked there
		{tmux(), "%3,@1,$1,1,40,0," + alice + "\n/dev/pts/2,@1,$1,998,0,", view{session: "$1", clients: []string{"/dev/pts/1", "/dev/pts/2"}, calm: calm}, ""}, // the last key counts
		{tmux(), "%3,@1,$1,1,40,0," + alice + "\nclient-7,@1,$1,998,1,", view{session: "$1", clients: []string{"/dev/pts/1", "client-7"}}, ""},                 // a program's keys are not told
		{tmux(), "%3,@1,$1,1,40,0,\n/dev/pts/1,@1,$1,,,", view{session: "$1", clients: []string{"/dev/pts/1"}}, ""},
		{tmux(), "%3,@1,$1,1,23,0," + alice, view{session: "$1", clients: []string{"/dev/pts/1"}, window: true, calm: calm}, ""}, // low
		{tmux(), "%3,@1,$1,1,40,1," + alice, view{session: "$1", clients: []string{"/dev/pts/1"}, window: true, calm: calm}, ""}, // zoomed
		{tmux(), "%3,@1,$1,1,40,0,", view{session: "$1", elsewhere: true}, ""},
		{tmux(), "%3,@1,$1,1,40,0,\n/dev/pts/1,@9,$9,1000,0,", view{session: "$1", elsewhere: true}, ""}, // to another
		{tmux(), "%4,@1,$1,1,40,0,", view{}, "tmux no longer has the pane %3"},
		{tmux(), ",,,,,,", view{}, "tmux no longer has the pane %3"},
		{tmux(), "", view{}, "tmux no longer has the pane %3"},
		{wezterm(), `[]`, view{}, ""},
		{wezterm(), `oops`, view{}, ""},
	} {
		got, err := tt.kind.seen(place{pane: "%3"}, tt.output)
		why := ""
		if err != nil {
			why = err.Error()
		}
		if !reflect.DeepEqual(got, tt.want) || why != tt.err {
			t.Errorf("%s, %q: %+v %q, want %+v %q", tt.kind.name, tt.output, got, why, tt.want, tt.err)
		}
	}
}

func TestWezTermIdle(t *testing.T) {
	v, err := wezterm().seen(place{}, `[{"username":"x","idle_time":{"secs":500,"nanos":0}},{"username":"x","idle_time":{"secs":1,"nanos":500000000}}]`)
	if left := time.Until(v.calm); err != nil || len(v.clients) != 2 || left > 500*time.Millisecond || left < -termtest.Deadline {
		t.Errorf("calm in %v: %v", left, err)
	}
}

// A multiplexer that an ancestor knows comes before a desktop that the asker
// itself knows, and the nearest ancestor comes first.
func TestFind(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(pane string) func(string) string { return variables("TMUX="+socket+",1,0", "TMUX_PANE="+pane) }
	for _, tt := range []struct {
		name      string
		own       func(string) string
		ancestors []process
		want      string
	}{
		{"own", in("%1"), []process{{in("%2"), false}}, "%1"},
		{"nearest", variables(), []process{{variables(), false}, {in("%2"), false}, {in("%3"), false}}, "%2"},
		{"before a desktop", variables("DISPLAY=:0"), []process{{in("%2"), false}}, "%2"},
		{"own, under a daemon", in("%1"), []process{{in("%2"), true}}, "%1"},
		{"a daemon's", variables("DISPLAY=:0"), []process{{in("%2"), true}}, "only a daemon above is inside tmux, which may serve other screens than its own"},
		{"below a daemon", variables(), []process{{in("%2"), false}, {in("%3"), true}}, "%2"},
		{"above a daemon", variables(), []process{{variables(), true}, {in("%2"), false}}, "not inside a terminal multiplexer, and no desktop to open a window on"},
		{"none", variables(), []process{{variables(), false}}, "not inside a terminal multiplexer, and no desktop to open a window on"},
	} {
		s := surface{getenv: tt.own, ancestors: slices.Values(tt.ancestors)}
		_, at, err := s.find()
		got := at.pane
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Where nothing tells whether the keyboard is quiet, no pane is promised either.
func TestZellij(t *testing.T) {
	s := alone(variables("ZELLIJ=0", "ZELLIJ_SESSION_NAME=work"))
	for _, err := range []error{s.Show(t.Context(), desk.Record{ID: "01J0000000000000000000000A"}, nil), s.Check(t.Context())} {
		if !errors.Is(err, ui.ErrUnavailable) || !strings.Contains(err.Error(), "a zellij pane would take the keyboard") {
			t.Errorf("got %v", err)
		}
	}
}

// What tmux fills in itself is the same in every language.
func TestWaysKeepTheirFormats(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	format := regexp.MustCompile(`#\{[a-z_]+\}`)
	for _, v := range []view{{}, {window: true}} {
		words.Local = words.English
		want := format.FindAllString(tmux().way(v), -1)
		for _, words.Local = range words.Languages() {
			if got := tmux().way(v); !slices.Equal(format.FindAllString(got, -1), want) || strings.Count(got, "#") != len(want) {
				t.Errorf("%s: %s", words.Local, got)
			}
		}
	}
}

// The asker's settings hold in its pane.
func TestSettingsOfThePane(t *testing.T) {
	s := &surface{getenv: variables("ASK_LANGUAGE=zh", "NO_COLOR=1", "TERM=dumb"), self: "self"}
	got, err := s.answer("01J")
	if want := "MCP_ASKUSER_PANE=1 NO_COLOR=1 ASK_LANGUAGE=zh -- self answer 01J"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	words.Local = words.Portuguese // by the asker's locale, which is not the pane's
	t.Cleanup(func() { words.Local = words.English })
	s.getenv = variables("MCP_ASKUSER_CONFIG=/c.toml", "LANG=pt_BR.UTF-8")
	got, err = s.answer("01J")
	if want := "MCP_ASKUSER_PANE=1 MCP_ASKUSER_CONFIG=/c.toml ASK_LANGUAGE=pt -- self answer 01J"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
