// Package codex is a client of Codex's daemon, and mirrors the questions that it asks:
// Codex has no hook that could answer. It runs in a server of ours that the daemon has
// started. The protocol, JSON-RPC over a WebSocket on a unix socket, is marked as
// experimental: an unknown form of a message ends the connection, with one line in the
// log. Secrets and approvals are not mirrored.
//
// Codex asks by a request to its clients, whose end the daemon announces, or in a message
// of the agent's, for which the turn does not wait: its answer is a message of the user's
// that names the question. The daemon holds one back, unannounced, until it asks the model
// again, so that two can reach the model; the first one counts.
//
// It imports mirror and desk; no surface and nothing of MCP.
package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"mcp-askuser/desk"
	"mcp-askuser/mirror"
)

// Socket is where the daemon of this environment listens.
func Socket(getenv func(string) string) string {
	home := getenv("CODEX_HOME")
	if home == "" {
		home = filepath.Join(getenv("HOME"), ".codex")
	}
	return filepath.Join(home, "app-server-control", "app-server-control.sock")
}

// Options are the parameters of [Watch].
type Options struct {
	Desk    *desk.Desk
	Log     *slog.Logger
	Socket  string
	Daemon  int    // the process id that the peer must have
	Version string // of this program
	// Notify is as in [mirror.Options].
	Notify func(ctx context.Context, rec desk.Record)
	// After is as in [mirror.Options].
	After func(time.Duration) <-chan time.Time
}

// errForeignProcess means that another process than the daemon has the socket.
var errForeignProcess = errors.New("the socket is not of the process that started us")

// errUnknownProtocol means that a message does not have the form known here.
var errUnknownProtocol = errors.New("its protocol is not the one known here")

const (
	signOnTimeout = 10 * time.Second // for the daemon's first message
	maxSize       = 32 << 20         // of a message, in bytes
	dialogLimit   = 24 * time.Hour
)

// Watch mirrors the daemon's questions until ctx or the connection ends. Without a
// daemon, or if another one has started this process, it returns at once.
func Watch(ctx context.Context, o Options) {
	err := watch(ctx, o)
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, errForeignProcess), errors.Is(err, os.ErrNotExist):
	case errors.As(err, new(*net.OpError)), errors.As(err, new(websocket.CloseError)), errors.Is(err, io.EOF): // it has exited
	default:
		o.Log.WarnContext(ctx, "Codex's questions are not mirrored any more", "error", err)
	}
}

func watch(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	conn, err := dial(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	c := &client{Options: o, conn: conn, open: map[string]*dialog{}, directories: map[string]string{}, active: map[string]bool{}}
	defer c.running.Wait()
	defer stop()
	return c.run(ctx)
}

// dial connects to the daemon.
func dial(ctx context.Context, o Options) (*websocket.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, signOnTimeout)
	defer stop()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "unix", o.Socket)
		if err != nil {
			return nil, err
		}
		if pid, err := peer(conn.(*net.UnixConn)); err != nil || pid != o.Daemon {
			return nil, errors.Join(errForeignProcess, err, conn.Close())
		}
		return conn, nil
	}}
	conn, _, err := websocket.Dial(ctx, "ws://localhost/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}}) //nolint:bodyclose // the connection has the body
	if err == nil {
		conn.SetReadLimit(maxSize)
	}
	return conn, err
}

// peer returns the id of the process at the other end.
func peer(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := raw.Control(func(fd uintptr) { pid, err = peerOf(int(fd)) }); e != nil {
		return 0, e
	}
	return pid, err
}

// client is a connection to the daemon.
type client struct {
	Options
	conn        *websocket.Conn
	open        map[string]*dialog // by the id of the daemon's request, or of our message with the answer
	directories map[string]string  // of threads
	active      map[string]bool    // the threads whose items the daemon sends us; true if a turn is under way
	calls       []response         // the handlers of our requests, whose ids are their indexes plus 1
	running     sync.WaitGroup
}

// dialog is a question that the daemon has asked.
type dialog struct {
	event mirror.CodexEvent
	stop  context.CancelCauseFunc

	mu      sync.Mutex // held while the answer is sent
	sent    bool
	closed  bool
	foreign bool // another process mirrors it
}

// message is a request, a response or a notification.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// response handles the result of our request, which is nil if it was refused.
type response func(ctx context.Context, result json.RawMessage) error

func (c *client) run(ctx context.Context) error {
	first, stop := context.WithTimeout(ctx, signOnTimeout)
	defer stop()
	err := c.request(ctx, "initialize", map[string]any{
		"clientInfo": map[string]any{"name": "mcp-askuser", "title": nil, "version": c.Version},
		"capabilities": map[string]any{"experimentalApi": true, "optOutNotificationMethods": []string{"item/started", "item/agentMessage/delta",
			"item/plan/delta", "item/reasoning/summaryTextDelta", "item/reasoning/textDelta", "item/commandExecution/outputDelta", "item/fileChange/patchUpdated",
			"turn/diff/updated", "thread/tokenUsage/updated"}},
	}, c.initialized)
	for err == nil {
		var m message
		if m, err = c.read(first); err == nil {
			first = ctx
			err = c.handle(ctx, m)
		}
	}
	return err
}

func (c *client) read(ctx context.Context) (m message, err error) {
	kind, data, err := c.conn.Read(ctx)
	if err == nil && (kind != websocket.MessageText || json.Unmarshal(data, &m) != nil) {
		err = errUnknownProtocol
	}
	return m, err
}

func (c *client) send(ctx context.Context, m message) error {
	return wsjson.Write(ctx, c.conn, m)
}

func (c *client) request(ctx context.Context, method string, params any, then response) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.calls = append(c.calls, then)
	return c.send(ctx, message{ID: fmt.Append(nil, len(c.calls)), Method: method, Params: data})
}

// handle handles a message of the daemon's.
func (c *client) handle(ctx context.Context, m message) error {
	switch {
	case m.Method == "" && bytes.HasPrefix(m.ID, []byte(`"`)): // of an answer
		if c.open[string(m.ID)] != nil && m.Result == nil {
			return c.end(ctx, string(m.ID), false, "") // refused
		}
		return nil
	case m.Method == "" && m.ID != nil:
		var id int
		if json.Unmarshal(m.ID, &id) != nil {
			return errUnknownProtocol // ours are numbers
		}
		if id < 1 || id > len(c.calls) {
			return nil
		}
		return c.calls[id-1](ctx, m.Result)
	case m.Method == "thread/status/changed":
		return c.status(ctx, m.Params)
	case m.Method == "item/tool/requestUserInput":
		return c.asked(ctx, m)
	case m.Method == "serverRequest/resolved":
		return c.resolved(ctx, m.Params)
	case m.Method == "item/completed", m.Method == "thread/reverted":
		return c.completed(ctx, m.Params)
	}
	return nil // for other clients
}

// status is the state of a thread, which is a conversation.
type status struct {
	Type  string   `json:"type"`
	Flags []string `json:"activeFlags"`
}

func (s status) active() bool { return s.Type == "active" }

func (c *client) initialized(ctx context.Context, result json.RawMessage) error {
	if result == nil {
		return errUnknownProtocol
	}
	if err := c.send(ctx, message{Method: "initialized"}); err != nil {
		return err
	}
	return c.request(ctx, "thread/loaded/list", struct{}{}, func(ctx context.Context, result json.RawMessage) error {
		var loaded struct {
			Threads []string `json:"data"`
		}
		if json.Unmarshal(result, &loaded) != nil {
			return errUnknownProtocol
		}
		for _, thread := range loaded.Threads {
			if err := c.resume(ctx, thread); err != nil {
				return err
			}
		}
		return nil
	})
}

// item is a part of a turn.
type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Client    string          `json:"clientId"` // what its sender calls it
	Delivery  string          `json:"delivery"`
	Questions json.RawMessage `json:"questions"`
	Content   json.RawMessage `json:"content"`
}

// resume subscribes to a thread; the daemon then repeats its open request. The questions
// in messages are in the latest turn. A thread that has not begun cannot be resumed.
func (c *client) resume(ctx context.Context, id string) error {
	c.active[id] = true // until the response
	params := map[string]any{"threadId": id, "excludeTurns": true, "initialTurnsPage": map[string]any{"limit": 1, "itemsView": "full"}}
	return c.request(ctx, "thread/resume", params, func(ctx context.Context, result json.RawMessage) error {
		if result == nil {
			delete(c.active, id)
			return nil
		}
		var r struct {
			Thread struct {
				ID        string `json:"id"`
				Directory string `json:"cwd"`
				Status    status `json:"status"`
			} `json:"thread"`
			Page struct {
				Turns []struct {
					ID    string `json:"id"`
					Items []item `json:"items"`
				} `json:"data"`
			} `json:"initialTurnsPage"`
		}
		if json.Unmarshal(result, &r) != nil || r.Thread.ID != id {
			return errUnknownProtocol
		}
		if _, subscribed := c.active[id]; !subscribed {
			return nil // its turn has ended meanwhile
		}
		c.directories[id], c.active[id] = r.Thread.Directory, r.Thread.Status.active()
		answered := map[string]string{}
		for _, turn := range r.Page.Turns { // the latest
			for _, it := range slices.Backward(turn.Items) {
				if it.Type == "userMessage" {
					replies := mirror.CodexReplies(it.Content)
					if replies == nil {
						break // which ended earlier questions
					}
					maps.Copy(answered, replies)
				}
				if err := c.askAll(ctx, id, turn.ID, it, answered); err != nil {
					return err
				}
			}
		}
		return c.leave(ctx, id)
	})
}

// leave unsubscribes from a thread that is idle and has no open question: the daemon
// keeps a thread that has a subscriber.
func (c *client) leave(ctx context.Context, thread string) error {
	if active, subscribed := c.active[thread]; active || !subscribed {
		return nil
	}
	for _, d := range c.open {
		if d.event.Thread == thread {
			return nil
		}
	}
	delete(c.active, thread)
	return c.request(ctx, "thread/unsubscribe", map[string]any{"threadId": thread}, func(context.Context, json.RawMessage) error { return nil })
}

// status handles the status of any thread, resumed or not.
func (c *client) status(ctx context.Context, params json.RawMessage) error {
	var p struct {
		Thread string `json:"threadId"`
		Status status `json:"status"`
	}
	if json.Unmarshal(params, &p) != nil || p.Thread == "" {
		return errUnknownProtocol
	}
	_, subscribed := c.active[p.Thread]
	if p.Status.active() && (!subscribed || slices.Contains(p.Status.Flags, "waitingOnUserInput")) {
		return c.resume(ctx, p.Thread)
	}
	if subscribed {
		c.active[p.Thread] = p.Status.active()
	}
	return c.leave(ctx, p.Thread)
}

// asked mirrors a question for which the turn waits.
func (c *client) asked(ctx context.Context, m message) error {
	var p struct {
		Thread    string          `json:"threadId"`
		Turn      string          `json:"turnId"`
		Item      string          `json:"itemId"`
		Questions json.RawMessage `json:"questions"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Thread == "" || p.Item == "" || m.ID == nil || p.Questions == nil {
		return errUnknownProtocol
	}
	e := mirror.CodexEvent{Thread: p.Thread, Request: p.Thread + " " + p.Turn + " " + p.Item, Questions: p.Questions}
	c.ask(ctx, m.ID, e, func(answer []byte) message { return message{ID: m.ID, Result: answer} })
	return nil
}

// completed handles an item that is complete, and the end of items (without one).
func (c *client) completed(ctx context.Context, params json.RawMessage) error {
	var p struct {
		Thread string `json:"threadId"`
		Turn   string `json:"turnId"`
		Item   item   `json:"item"`
	}
	if json.Unmarshal(params, &p) != nil || p.Thread == "" {
		return errUnknownProtocol
	}
	if p.Item.Type != "userMessage" && p.Item.Type != "" {
		return c.askAll(ctx, p.Thread, p.Turn, p.Item, nil)
	}
	// Codex ends its open questions, too, when the user writes something else.
	replies := mirror.CodexReplies(p.Item.Content)
	for key, d := range c.open {
		answer, answered := replies[d.event.Item]
		if d.event.Thread == p.Thread && d.event.Item != "" && (answered || replies == nil) {
			if err := c.end(ctx, key, p.Item.Client == d.event.Request, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// askAll mirrors the questions of an item that are not answered. A turn that is under way
// takes the answer in; else it starts one.
func (c *client) askAll(ctx context.Context, thread, turn string, it item, answered map[string]string) error {
	var questions []json.RawMessage
	if it.Type != "agentMessage" || it.Delivery != "async" {
		return nil
	}
	if json.Unmarshal(it.Questions, &questions) != nil {
		return errUnknownProtocol
	}
	for i, q := range questions {
		e := mirror.CodexEvent{Thread: thread, Item: mirror.CodexItem(it.ID, i), Questions: q}
		e.Request = thread + " " + turn + " " + e.Item
		if _, ok := answered[e.Item]; ok {
			continue
		}
		id, _ := json.Marshal(e.Request)
		c.ask(ctx, id, e, func(answer []byte) message {
			input := []any{map[string]any{"type": "text", "text": string(answer), "text_elements": []any{}}}
			params, _ := json.Marshal(map[string]any{"threadId": thread, "clientUserMessageId": e.Request, "input": input})
			return message{ID: id, Method: "turn/start", Params: params}
		})
	}
	return nil
}

// ask mirrors a question, and sends the answer that is given here.
func (c *client) ask(ctx context.Context, id json.RawMessage, e mirror.CodexEvent, reply func([]byte) message) {
	if _, open := c.open[string(id)]; open {
		return
	}
	e.PID, e.Directory = c.Daemon, c.directories[e.Thread]
	asking, stop := context.WithCancelCause(ctx)
	d := &dialog{event: e, stop: stop}
	c.open[string(id)] = d
	c.running.Go(func() {
		defer d.stop(nil)
		answer, mirrored := c.mirror(asking, e)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.foreign = !mirrored
		if len(answer) > 0 && !d.closed {
			d.sent = c.send(ctx, reply(answer)) == nil
		}
	})
}

// mirror mirrors an event. It returns the answer for the daemon, and whether the event's
// question was put on the desk.
func (c *client) mirror(ctx context.Context, e mirror.CodexEvent) ([]byte, bool) {
	var out bytes.Buffer
	mirrored := mirror.Run(ctx, mirror.Options{Host: mirror.Codex(e), Desk: c.Desk, In: http.NoBody, Out: &out, Limit: dialogLimit, Notify: c.Notify, After: c.After})
	return out.Bytes(), mirrored
}

// resolved handles the end of a request, which was answered by any client.
func (c *client) resolved(ctx context.Context, params json.RawMessage) error {
	var p struct {
		Thread  string          `json:"threadId"`
		Request json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || p.Request == nil {
		return errUnknownProtocol
	}
	if d := c.open[string(p.Request)]; d == nil || d.event.Thread != p.Thread {
		return nil
	}
	return c.end(ctx, string(p.Request), true, "")
}

// end ends an open dialog. first is false if Codex had another answer before ours;
// answer is that one, if known.
func (c *client) end(ctx context.Context, key string, first bool, answer string) error {
	d := c.open[key]
	delete(c.open, key)
	d.mu.Lock()
	d.closed = true
	end, foreign := mirror.CodexEvent{Thread: d.event.Thread, Request: d.event.Request, Sent: d.sent && first, Answer: answer}, d.foreign
	d.mu.Unlock()
	if !foreign {
		c.running.Go(func() {
			c.mirror(context.WithoutCancel(ctx), end)
			d.stop(mirror.ErrGone) // if the question was not stored yet
		})
	}
	return c.leave(ctx, d.event.Thread)
}
