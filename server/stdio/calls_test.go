package stdio

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

// many is the number of calls that must be able to wait in one server.
const many = 300

// TestManyWaiting: a server in which many calls wait answers a ping at once, and each call with
// its own result.
func TestManyWaiting(t *testing.T) {
	w := newWaiter(many)
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"wait": w.call}))
	p.initialize(`{}`)
	for i := range many {
		p.send(callLine(strconv.Itoa(i), "wait"))
	}
	waittest.TakeAll(t, w.started, many)
	p.send(pingLine(`"p"`))
	p.want(pong(`"p"`))
	if running := runtime.NumGoroutine(); running > many+20 {
		t.Errorf("%d goroutines run for %d waiting calls", running, many)
	}

	close(w.release)
	var got []string
	for range many {
		got = append(got, p.next())
	}
	var want []string
	for i := range many {
		want = append(want, textResult(strconv.Itoa(i), "released"))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("not every call got its own answer, once")
	}
}

// TestCancelRightBehind: a cancel in the same write as its call is never lost,
// whether or not the handler has started by then.
func TestCancelRightBehind(t *testing.T) {
	w := newWaiter(many)
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"wait": w.call}), patient)
	for i := range many {
		id := strconv.Quote(strconv.Itoa(i))
		p.send(callLine(id, "wait"), cancelLine(id, "at once"))
	}
	// A call whose cancel was lost would still be waiting now, and the end of
	// input would be what it sees.
	if rest, err := p.hangUp(); len(rest) > 0 || err != nil {
		t.Errorf("Serve returned %v; %d cancelled calls were answered", err, len(rest))
	}
	close(w.causes)
	seen := 0
	for cause := range w.causes {
		seen++
		if _, ok := errors.AsType[*askuser.Cancelled](cause); !ok {
			t.Fatalf("a cancel was lost: the handler saw %v", cause)
		}
	}
	if len(w.started) != seen {
		t.Errorf("%d handlers started, %d were cancelled", len(w.started), seen)
	}
	t.Logf("%d of %d handlers had started before their cancel", seen, many)
}

// TestCancelOwnCall: the server distinguishes ids that mcp-go treats as equal, and a cancellation ends only the
// call that it names, whatever reason the client gives.
func TestCancelOwnCall(t *testing.T) {
	ids := []string{`1`, `"1"`, `9007199254740992`, `9007199254740993`}
	w := newWaiter(len(ids))
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"wait": w.call}))
	for _, id := range ids {
		p.send(callLine(id, "wait"))
	}
	waittest.TakeAll(t, w.started, len(ids))
	for reason, id := range map[string]string{`null`: ids[1], `{"a":1}`: ids[3]} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled",`+
			`"params":{"reason":%s,"requestId":%s}}`, reason, id))
		if _, ok := errors.AsType[*askuser.Cancelled](waittest.Take(t, w.causes)); !ok {
			t.Errorf("reason %s: not cancelled", reason)
		}
	}
	close(w.release)
	got := []string{p.next(), p.next()}
	slices.Sort(got)
	if want := []string{textResult(ids[0], "released"), textResult(ids[2], "released")}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestSameID: a second request under a waiting id is refused and does not touch the first. Once
// that is answered or cancelled, the id is free: the late handler of a cancelled call does not
// answer for the next one.
func TestSameID(t *testing.T) {
	late, next := newWaiter(1), newWaiter(1)
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{
		"stubborn": late.stubborn, "wait": next.call, "echo": echo,
	}))
	p.send(callLine("1", "stubborn"))
	waittest.Take(t, late.started)
	p.send(cancelLine("1", ""), callLine("1", "wait"))
	waittest.Take(t, next.started)
	close(late.release)
	p.send(callLine("1", "echo"))
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with this id is already waiting"}}`)
	close(next.release)
	p.want(textResult("1", "released"))
	p.send(callLine("1", "echo"))
	p.want(textResult("1", "done"))
	if rest, _ := p.hangUp(); len(rest) > 0 {
		t.Errorf("then came %q", rest)
	}
}

// modernMeta is the _meta with which a request is of 2026-07-28.
const modernMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// TestListen: subscriptions/listen is acknowledged under the id as the client
// wrote it, held open while other requests are served, and not answered when
// cancelled.
func TestListen(t *testing.T) {
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo}))
	for _, id := range []string{`1`, `"1"`, `9007199254740993`, `"\u003cid\/"`} {
		const changes = `"notifications":{"toolsListChanged":true}`
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{` +
			changes + modernMeta + `}}`)
		p.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":` +
			`{"io.modelcontextprotocol/subscriptionId":` + id + `},` + changes + `}}`)
	}
	p.send(pingLine("2"))
	p.want(pong("2"))
	p.send(cancelLine(`"1"`, ""), cancelLine(`9007199254740993`, ""), pingLine("2"))
	p.want(pong("2"))
	rest, err := p.hangUp()
	if err != nil || len(rest) != 2 {
		t.Errorf("Serve returned %v, wrote %q, want the ends of the two streams left", err, rest)
	}
}
