package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
)

// FuzzLines: whatever the chunks in which the input comes, the lines are those
// that splitting at newlines gives.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb"), 3)
	f.Add([]byte("\n\n\r\n{}"), 1)
	f.Add([]byte("0123456789abcde\n0123456789abcdef\n0123456789abcdefg\n"), 16)
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef"), 47)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = max(limit, 1)
		var want []string
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if len(line) > limit {
				line = []byte("<too long>")
			}
			want = append(want, string(line))
		}
		if want[len(want)-1] == "" {
			want = want[:len(want)-1] // after the last newline comes no line
		}
		r := &lineReader{in: bufio.NewReaderSize(iotest.HalfReader(bytes.NewReader(in)), 16), limit: limit}
		var got []string
		line, err := r.next()
		for ; !errors.Is(err, io.EOF); line, err = r.next() {
			if errors.Is(err, errLineTooLong) {
				line, err = []byte("<too long>"), nil
			}
			fatal.If(t, err)
			got = append(got, string(line))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %.200q, want %.200q", got, want)
		}
	})
}

// TestRefusals: a line that is no message gets an error response, with its id where the line has one, and the
// connection stays open. Invalid or unknown notifications, blank lines and responses to no request get no
// response.
func TestRefusals(t *testing.T) {
	tools := map[string]mcpserver.ToolHandlerFunc{"echo": echo}
	p := connect(t, testServer(tools))
	for _, test := range []struct{ name, in, id, code string }{ // no code: no response
		{"not JSON", `{"jsonrpc":`, `null`, `-32700`},
		{"a string", `"ping"`, `null`, `-32600`},
		{"null", `null`, `null`, `-32600`},
		{"a batch", ` [{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null`, `-32600`},
		{"no version", `{"id":7,"method":"ping"}`, `7`, `-32600`},
		{"no method", `{"jsonrpc":"2.0","id":"x"}`, `"x"`, `-32600`},
		{"a method that is no string", `{"jsonrpc":"2.0","id":7,"method":{}}`, `7`, `-32600`},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `null`, `-32600`},
		{"an unknown method", `{"jsonrpc":"2.0","id":7,"method":"no/such"}`, `7`, `-32601`},
		{"an unknown tool", callLine("7", "nosuch"), `7`, `-32602`},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxLine) + `"}`, `null`, `-32600`},
		{"an empty line", "", "", ""},
		{"a blank line", "  \t\r", "", ""},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", ""},
		{"with no id", `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`, "", ""},
		{"an unknown one", `{"jsonrpc":"2.0","method":"no/such"}`, "", ""},
		{"a list", `{"jsonrpc":"2.0","method":"notifications/progress","params":[1,2]}`, "", ""},
		{"a cancel of nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, "", ""},
		{"a cancel of a number", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`, "", ""},
		{"a late cancel", cancelLine(`"gone"`, ""), "", ""},
		{"a late answer", `{"jsonrpc":"2.0","id":"askuser-1","result":{"action":"accept"}}`, "", ""},
		{"another answer", `{"jsonrpc":"2.0","id":1,"result":null}`, "", ""},
		{"an error", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"you"}}`, "", ""},
	} {
		p.send(test.in, pingLine("1")+"\r")
		want := `{"jsonrpc":"2.0","id":` + test.id + `,"error":{"code":` + test.code + `,"message":"`
		if test.code == "" {
			p.want(pong("1"))
			continue
		}
		got := []string{p.next(), p.next()} // requests are answered side by side
		slices.Sort(got)
		ping := slices.Index(got, pong("1"))
		if ping < 0 || !strings.HasPrefix(got[1-ping], want) {
			t.Errorf("%s: got  %s\nwant %s…", test.name, got, want)
		}
	}
}

// TestIDs: a response carries the id as the client wrote it.
func TestIDs(t *testing.T) {
	p := connect(t, testServer(nil))
	for _, id := range []string{
		`0`, `-1`, `9007199254740993`, `18446744073709551615`, `123456789012345678901234567890`, `1.50`, `1e3`, `1e999`,
		`""`, `"1"`, `"a b"`, `"<&>"`, `"\u003c\/"`, `"你好 \ud83d\ude00"`, `"\u2028"`,
	} {
		p.send(pingLine(id))
		p.want(pong(id))
	}
}
