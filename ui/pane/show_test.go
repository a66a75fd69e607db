//go:build unix

package pane

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui/words"
)

func TestInside(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	fatal.If(t, err)
	t.Cleanup(func() { _ = l.Close() })
	foreign := filepath.Join(dir, "foreign")
	fatal.If(t, os.WriteFile(foreign, nil, 0o600))
	if err := os.Chown(foreign, 65534, -1); err != nil {
		foreign = "/nonexistent/socket" // only root can give a file away
	}
	for _, tt := range []struct {
		env  string // variables, parted by blanks
		want string // the server's command and the pane; empty: not inside
	}{
		{"TMUX=" + socket + ",12,0 TMUX_PANE=%3", socket + " %3"},
		{"TMUX=" + socket + ",12,0", ""},
		{"TMUX=" + socket + ",12,0 TMUX_PANE=", ""},
		{"TMUX=" + socket + ",12,0 TMUX_PANE=3", ""},
		{"TMUX=" + socket + ",12,0 TMUX_PANE=%", ""},
		{"TMUX=" + socket + ",12,0 TMUX_PANE=%-3", ""},
		{"TMUX=" + socket + ",12,0 TMUX_PANE=%3:kill-server", ""},
		{"TMUX=s,12,0 TMUX_PANE=%3", ""},
		{"TMUX=" + foreign + ",12,0 TMUX_PANE=%3", ""},
		{"TMUX= TMUX_PANE=%3", ""},
	} {
		got := ""
		if at := findTmux(variables(strings.Fields(tt.env)...)); at != nil {
			got = at.socket + " " + at.pane
		}
		if got != tt.want {
			t.Errorf("in %q: %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestView(t *testing.T) {
	const alice = "\n/dev/pts/1,@1,$1,1000,0,"
	quietAt := time.Unix(1003, 0) // the second is over at 1001
	for _, tt := range []struct {
		output string
		want   view
		err    string
	}{
		{"%3,@1,$1,1,40,0," + alice, view{session: "$1", clients: 1, quietAt: quietAt}, ""},
		{"%3,@1,$1,0,40,0," + alice, view{session: "$1", clients: 1, elsewhere: true}, ""},                                // in the window, in another pane
		{"%3,@1,$1,1,40,0,\n/dev/pts/1,@2,$1,1000,0,", view{session: "$1", clients: 1, elsewhere: true}, ""},              // in another window
		{"%3,@1,$1,1,40,0,a,b\n/dev/pts/1,@2,$2,1000,0,a,b", view{session: "$1", clients: 1, elsewhere: true}, ""},        // in a session of the same group
		{"%3,@1,$1,1,40,0,\n/dev/pts/1,@1,$2,1000,0,", view{session: "$2", clients: 1, quietAt: quietAt}, ""},             // linked there
		{"%3,@1,$1,1,40,0," + alice + "\n/dev/pts/2,@1,$1,998,0,", view{session: "$1", clients: 2, quietAt: quietAt}, ""}, // the last key counts
		{"%3,@1,$1,1,40,0," + alice + "\nclient-7,@1,$1,998,1,", view{session: "$1", clients: 2}, ""},                     // a program's keys are not told
		{"%3,@1,$1,1,40,0,\n/dev/pts/1,@1,$1,,,", view{session: "$1", clients: 1}, ""},
		{"%3,@1,$1,1,23,0," + alice, view{session: "$1", clients: 1, window: true, quietAt: quietAt}, ""}, // low
		{"%3,@1,$1,1,40,1," + alice, view{session: "$1", clients: 1, window: true, quietAt: quietAt}, ""}, // zoomed
		{"%3,@1,$1,1,40,0,", view{session: "$1", elsewhere: true}, ""},
		{"%3,@1,$1,1,40,0,\n/dev/pts/1,@9,$9,1000,0,", view{session: "$1", elsewhere: true}, ""}, // to another
		{"%4,@1,$1,1,40,0,", view{}, "tmux no longer has the pane %3"},
		{",,,,,,", view{}, "tmux no longer has the pane %3"},
		{"", view{}, "tmux no longer has the pane %3"},
	} {
		got, err := (&tmux{pane: "%3"}).parse(tt.output)
		why := ""
		if err != nil {
			why = err.Error()
		}
		if !reflect.DeepEqual(got, tt.want) || why != tt.err {
			t.Errorf("%q: %+v %q, want %+v %q", tt.output, got, why, tt.want, tt.err)
		}
	}
}

// The nearest ancestor that is in tmux comes first.
func TestFind(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	fatal.If(t, os.WriteFile(socket, nil, 0o600))
	in := func(pane string) func(string) string { return variables("TMUX="+socket+",1,0", "TMUX_PANE="+pane) }
	for _, tt := range []struct {
		name      string
		own       func(string) string
		ancestors []process
		want      string
	}{
		{"own", in("%1"), []process{{in("%2"), false}}, "%1"},
		{"nearest", variables(), []process{{variables(), false}, {in("%2"), false}, {in("%3"), false}}, "%2"},
		{"own, under a daemon", in("%1"), []process{{in("%2"), true}}, "%1"},
		{"a daemon's", variables(), []process{{in("%2"), true}}, "only a daemon above is inside tmux, which may serve other screens than its own"},
		{"below a daemon", variables(), []process{{in("%2"), false}, {in("%3"), true}}, "%2"},
		{"above a daemon", variables(), []process{{variables(), true}, {in("%2"), false}}, "not inside tmux"},
		{"none", variables(), []process{{variables(), false}}, "not inside tmux"},
	} {
		s := surface{getenv: tt.own, ancestors: slices.Values(tt.ancestors)}
		at, err := s.find()
		got := fmt.Sprint(err)
		if err == nil {
			got = at.pane
		}
		if got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The asker's settings hold in its pane.
func TestSettingsOfThePane(t *testing.T) {
	s := &surface{getenv: variables("ASK_LANGUAGE=zh", "NO_COLOR=1", "TERM=dumb"), self: "self"}
	got, err := s.command("01J", false)
	if want := "env MCP_ASKUSER_PANE=1 NO_COLOR=1 ASK_LANGUAGE=zh self answer 01J"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	words.Local = words.Portuguese // by the asker's locale, which is not the pane's
	t.Cleanup(func() { words.Local = words.English })
	s.getenv, s.env = variables("MCP_ASKUSER_CONFIG=/another.toml", "LANG=pt_BR.UTF-8"), []string{"MCP_ASKUSER_DIR=/d", "MCP_ASKUSER_CONFIG=/c.toml"}
	got, err = s.command("01J", false)
	if want := "env MCP_ASKUSER_PANE=1 MCP_ASKUSER_DIR=/d MCP_ASKUSER_CONFIG=/c.toml ASK_LANGUAGE=pt self answer 01J"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// A pane that is open for a day has tmux run once every fifteen seconds, one that has just opened
// each second.
func TestLooksGrowRare(t *testing.T) {
	looks := map[time.Duration]int{time.Minute: 0, 24 * time.Hour: 0}
	for of := range looks {
		for open, pause := time.Duration(0), interval; open < of; pause = later(pause) {
			open += pause
			looks[of]++
		}
	}
	if n := looks[time.Minute]; n < 30 {
		t.Errorf("%d looks in the first minute", n)
	}
	if n := looks[24*time.Hour]; n > 6000 {
		t.Errorf("%d looks in a day", n)
	}
}
