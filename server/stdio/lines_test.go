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

// TestRefusals: what is no message gets an error response, under its id where
// that can be told, and the connection goes on.
func TestRefusals(t *testing.T) {
	tests := []struct{ name, in, id, code string }{
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
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo}))
	for _, test := range tests {
		p.send(test.in)
		want := `{"jsonrpc":"2.0","id":` + test.id + `,"error":{"code":` + test.code + `,"message":"`
		if got := p.next(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got  %s\nwant %s…", test.name, got, want)
		}
	}
	p.send(pingLine("1"))
	p.want(pong("1"))
}

// TestSilence: notifications, broken or unknown, blank lines and answers
// nobody waits for get no answer.
func TestSilence(t *testing.T) {
	p := connect(t, testServer(nil))
	p.send("", "  \t", "\r",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"no/such"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":[1,2]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}`,
		`{"jsonrpc":"2.0","id":"askuser-1","result":{"action":"accept"}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"you"}}`,
		pingLine("1")+"\r")
	p.want(pong("1"))
}

// TestLineLimit: a message that is too long is refused, the next one served.
func TestLineLimit(t *testing.T) {
	p := connect(t, testServer(nil), func(o *Options) { o.LineLimit = 200 })
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("x", 200)+`"}}`, pingLine("2"))
	p.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"message longer than 200 bytes"}}`, pong("2"))
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
