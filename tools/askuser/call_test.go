package askuser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// patience is how long a test waits for what must come. It is no limit of the
// program's.
const patience = time.Minute

// link is a transport in memory.
type link struct {
	mcpserver.ClientSession // nil

	agent   string
	client  Client
	session string // the connection's; empty: one that all share
	elicit  func(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error)
	turn    func(ctx context.Context) (placed func(), err error) // nil: at once
	placed  <-chan struct{}                                      // closed when turn's placed was called

	logged    chan any     // may be nil
	noted     chan string  // progress messages; may be nil
	sent      atomic.Int64 // how many
	over      atomic.Bool  // its last call has returned
	late      atomic.Bool  // a message was sent after that
	delivered func(written bool)
}

func (l *link) Client() Client {
	c := l.client
	c.Agent, c.Session = l.agent, cmp.Or(l.session, "connection")
	return c
}

func (l *link) Directory(context.Context) string { return "/src/shop" }

func (l *link) Turn(ctx context.Context) (func(), error) {
	if l.turn == nil {
		return func() {}, nil
	}
	return l.turn(ctx)
}

func (l *link) Notify(_ string, params any) error {
	data, err := json.Marshal(params)
	l.sent.Add(1)
	if l.over.Load() {
		l.late.Store(true)
	}
	if l.noted != nil {
		l.noted <- string(data)
	}
	return err
}

func (l *link) SendLog(data any) error {
	if l.logged != nil {
		l.logged <- data
	}
	return nil
}

func (l *link) Delivered(f func(bool)) { l.delivered = f }

// call is a call of a tool, to its end.
func (l *link) call(ctx context.Context, tool mcpserver.ToolHandlerFunc, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	l.over.Store(false)
	defer l.over.Store(true)
	return tool(new(mcpserver.MCPServer).WithContext(ctx, l), req)
}

func (l *link) Elicit(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	sent := time.Now()
	result, err := l.elicit(ctx, form)
	return result, time.Since(sent), err
}

// told writes the response of a call, or fails to.
func (l *link) told(written bool) {
	if l.delivered != nil {
		l.delivered(written)
	}
}

// rig is the tools over a desk of their own.
type rig struct {
	*Tools
	t    *testing.T
	dir  string
	desk *desk.Desk
}

func newRig(t *testing.T, surfaces ...ui.Surface) *rig { return openRig(t, t.TempDir(), surfaces...) }

// openRig is newRig on a desk that others may have used.
func openRig(t *testing.T, dir string, surfaces ...ui.Surface) *rig {
	t.Helper()
	return openDesk(t, dir, desk.Options{}, surfaces...)
}

func openDesk(t *testing.T, dir string, o desk.Options, surfaces ...ui.Surface) *rig {
	t.Helper()
	o.Copies = filepath.Join(dir, "files")
	r := openStore(t, desktest.Store(t, dir), o, surfaces...)
	r.dir = dir
	return r
}

func openStore(t *testing.T, s store.Store, o desk.Options, surfaces ...ui.Surface) *rig {
	t.Helper()
	d := desk.New(s, o)
	p := present.New(present.Options{Desk: d})
	t.Cleanup(func() { p.Close(ErrDisconnected) })
	r := &rig{New(Config{Desk: d, Presenter: p, Log: slog.New(slog.DiscardHandler), Limits: question.DefaultLimits(), Surfaces: surfaces, Hold: time.Hour, Tick: time.Hour}), t, "", d}
	return r
}

const which = `{"questions":[{"question":"Which?","options":["A","B"]}]}`

func request(args string) mcp.CallToolRequest {
	var req mcp.CallToolRequest
	req.Params.RawArguments = json.RawMessage(args)
	return req
}

// result is what a call has returned.
type result struct {
	*mcp.CallToolResult
	err error
}

func (r result) status(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		return r.err.Error()
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var x struct {
		Status  string            `json:"status"`
		ID      string            `json:"id"`
		Answers map[string]string `json:"answers"`
		Message string            `json:"message"`
		Code    string            `json:"code"`
	}
	if err := json.Unmarshal(data, &x); err != nil || x.Status == "" || x.Code != "" {
		return r.Content[0].(mcp.TextContent).Text
	}
	return strings.TrimSpace(x.Status + " " + x.Answers["Which?"])
}

func (r result) text(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.Content[0].(mcp.TextContent).Text
}

// start begins a call of ask_user_question.
func (r *rig) start(ctx context.Context, l *link, req mcp.CallToolRequest) <-chan result {
	out := make(chan result, 1)
	go func() {
		got, err := l.call(ctx, r.ask, req)
		out <- result{got, err}
	}()
	return out
}

func within[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("waited in vain")
		panic("unreachable")
	}
}

// watch watches the desk until stop, after which no watch goes on: one that does
// would make the store anew when it is removed.
func (r *rig) watch() (events <-chan desk.Event, stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	events, err := r.desk.Watch(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	return events, func() {
		cancel()
		for range events {
		}
	}
}

// await waits for an event of this type.
func await(t *testing.T, events <-chan desk.Event, kind desk.EventType) {
	t.Helper()
	for {
		got := within(t, events).Type
		if got == kind {
			return
		}
		if got == "" {
			t.Fatal("the watch ended")
		}
	}
}

// open waits for the one question that is open.
func (r *rig) open() desk.Record {
	r.t.Helper()
	events, stop := r.watch()
	defer stop()
	records, err := r.desk.Pending(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	if len(records) > 0 {
		return records[0]
	}
	return within(r.t, events).Record
}

func (r *rig) reply(id, option string) {
	r.t.Helper()
	reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
	if _, err := r.desk.Reply(r.t.Context(), id, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		r.t.Fatal(err)
	}
}

func TestAskAndAnswer(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	l := &link{}
	got := r.start(t.Context(), l, request(which))
	r.reply(r.open().ID, "b")
	if status := within(t, got).status(t); status != "answered B" {
		t.Errorf("the result is %s", status)
	}
	l.told(true)
	again := r.start(t.Context(), &link{}, request(which)) // is a question of its own now
	r.reply(r.open().ID, "a")
	if status := within(t, again).status(t); status != "answered A" {
		t.Errorf("asked again: %s", status)
	}
}

// What no answer can bring up is left out, and the agent is told so with the
// answer, and with the ticket.
func TestResultNamesWhatWasDropped(t *testing.T) {
	const odd = `{"question":"Which?","options":["A","B"],"follow_up_questions":{"oauth2":[{"question":"Who?"}]}}`
	const told = "Not asked, because no answer can bring it up: questions[0].follow_up_questions.oauth2 is none of its options."
	r := newRig(t, ui.Elsewhere())
	got := r.start(t.Context(), &link{}, request(odd))
	r.reply(r.open().ID, "b")
	if text := within(t, got).text(t); !strings.HasSuffix(text, told) {
		t.Errorf("answered: %s", text)
	}
	r.Hold = time.Millisecond
	if text := within(t, r.start(t.Context(), &link{}, request(odd))).text(t); !strings.HasSuffix(text, told) {
		t.Errorf("pending: %s", text)
	}
}

// A secret that nobody can be asked for here is not asked for in plain text.
func TestSecretIsGivenOtherwise(t *testing.T) {
	r := newRig(t, Elicit())
	l := &link{client: Client{Capabilities: mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}}}
	text := within(t, r.start(t.Context(), l, request(`{"question":"Paste your API token"}`))).text(t)
	if !strings.Contains(text, "asks for a secret") || !strings.Contains(text, "environment variable") || strings.Contains(text, "plain text") {
		t.Error(text)
	}
}

// A result that was written is the asker's, whatever happens right after; one
// that was not is there for the next who asks, in another process too.
func TestDeliveredOnce(t *testing.T) {
	for _, written := range []bool{true, false} {
		r := newRig(t, ui.Elsewhere())
		l := &link{}
		got := r.start(t.Context(), l, request(which))
		id := r.open().ID
		r.reply(id, "b")
		within(t, got)
		l.told(written)
		r.Presenter.Close(ErrDisconnected) // and nothing has been archived
		next := openRig(t, r.dir, ui.Elsewhere())
		again := next.start(t.Context(), &link{}, request(which))
		if written {
			if fresh := next.open(); fresh.ID == id {
				t.Error("an answer that was delivered is delivered again")
			}
			continue
		}
		if status := within(t, again).status(t); status != "answered B" {
			t.Errorf("an answer that was not delivered is lost: %s", status)
		}
	}
}

// A client that gives up leaves its question open; one that withdraws it does
// not.
func TestCallEnds(t *testing.T) {
	for _, tc := range []struct {
		cause error
		want  desk.Status
	}{
		{ErrDisconnected, desk.Pending},
		{&Cancelled{"MCP error -32001: Request timed out"}, desk.Pending},
		{&Cancelled{"AbortError: user-cancel"}, desk.Cancelled},
		{&Cancelled{}, desk.Cancelled},
	} {
		r := newRig(t, ui.Elsewhere())
		ctx, cancel := context.WithCancelCause(t.Context())
		got := r.start(ctx, &link{}, request(which))
		id := r.open().ID
		events, stop := r.watch()
		cancel(tc.cause)
		if err := within(t, got).err; !errors.Is(err, tc.cause) {
			t.Errorf("%v: the call returned %v", tc.cause, err)
		}
		if tc.want != desk.Pending {
			await(t, events, desk.Ended)
		}
		if rec, err := r.desk.Get(t.Context(), id); err != nil || rec.State != tc.want {
			t.Errorf("%v: the record is %s, %v", tc.cause, rec.State, err)
		}
		stop()
	}
}

// A call that waits longer than its host allows gets its ticket; whoever comes
// with it gets the answer.
func TestTicket(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	r.Hold = time.Millisecond
	ticket := within(t, r.start(t.Context(), &link{}, request(which)))
	if status := ticket.status(t); status != "pending" {
		t.Fatalf("the result is %s", status)
	}
	id := r.open().ID
	r.Hold = time.Hour
	got := make(chan result, 1)
	go func() {
		x, err := new(link).call(t.Context(), r.await, request(`{"id":"`+id+`"}`))
		got <- result{x, err}
	}()
	r.reply(id, "a")
	if status := within(t, got).status(t); status != "answered A" {
		t.Errorf("the result is %s", status)
	}
	x, err := new(link).call(t.Context(), r.await, request(`{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`))
	if status := (result{x, err}).status(t); !strings.Contains(status, "no question has the id") {
		t.Errorf("an unknown ticket: %s", status)
	}
}

// A session goes on where its agent names it, from whatever connection, with
// its rounds; not for another client, and a yes stays in the session in which it
// was asked for.
func TestSessionGoesOn(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	me := Client{Implementation: mcp.Implementation{Name: "agent"}}
	named := func(text, more string) string {
		return `{"question":"` + text + `","options":["A","B"],"session_id":"feature-x"` + more + `}`
	}
	for i, text := range []string{"First?", "Second?"} {
		got := r.start(t.Context(), &link{client: me, session: text}, request(named(text, "")))
		rec := r.open()
		if rec.SessionID != "feature-x" || rec.Round != i+1 {
			t.Errorf("%s is round %d of %s", text, rec.Round, rec.SessionID)
		}
		r.reply(rec.ID, "a")
		within(t, got)
	}
	if session, err := r.desk.Session(t.Context(), "feature-x"); err != nil || len(session) != 2 {
		t.Errorf("the session has %d rounds, %v", len(session), err)
	}

	other := &link{client: Client{Implementation: mcp.Implementation{Name: "another"}}}
	if text := within(t, r.start(t.Context(), other, request(named("Third?", "")))).text(t); !strings.Contains(text, "session_id: is a session of another client") {
		t.Errorf("another client: %s", text)
	}

	const sure = `{"question":"Delete?","type":"boolean","session_id":"feature-x"}`
	r.Hold = time.Millisecond
	within(t, r.start(t.Context(), &link{client: me, session: "one"}, request(sure)))
	first := r.open()
	r.reply(first.ID, question.YesID)
	if first.SessionID != "one" {
		t.Errorf("a confirmation is of session %s", first.SessionID)
	}
	again := within(t, r.start(t.Context(), &link{client: me, session: "two"}, request(sure)))
	if status := again.status(t); status != "pending" {
		t.Errorf("a yes from another session: %s", status)
	}
}

// A record keeps the id of the call: the one in its arguments, else the host's.
func TestToolUseID(t *testing.T) {
	for _, tc := range []struct{ meta, args, want string }{
		{"claudecode/toolUseId", which, "host"},
		{"callId", which, "host"},
		{"callId", `{"question":"Which?","tool_use_id":"own"}`, "own"},
	} {
		r := newRig(t, ui.Elsewhere())
		req := request(tc.args)
		req.Params.Meta = mcp.NewMetaFromMap(map[string]any{tc.meta: "host"})
		ctx, cancel := context.WithCancel(t.Context())
		got := r.start(ctx, &link{}, req)
		if rec := r.open(); rec.ToolUse != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.meta, tc.args, rec.ToolUse, tc.want)
		}
		cancel()
		within(t, got)
	}
}

// A host's model is shown the images of an answer as its host passes them on, as far as they
// are not too large; every agent on this machine gets the paths of all files.
func TestFilesOfAnAnswer(t *testing.T) {
	var small, large bytes.Buffer
	noise := image.NewGray(image.Rect(0, 0, 2000, 2000))
	for i := range noise.Pix {
		noise.Pix[i] = byte(rand.IntN(256))
	}
	if err := errors.Join(png.Encode(&small, image.NewGray(image.Rect(0, 0, 4, 4))), png.Encode(&large, noise)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		client              string
		remote              bool
		images              int
		structured, hasPath bool
	}{
		{"claude-code", false, 1, true, true},
		{"claude-code", true, 1, true, false},
		{"codex-mcp-client", false, 1, false, true},
		{"gemini-cli-mcp-client", false, 1, true, true},
		{"opencode", false, 1, true, true},
		{"another", false, 0, true, true},
	} {
		r := newRig(t, ui.Elsewhere())
		r.Remote = tc.remote
		l := &link{}
		l.client.Name = tc.client
		got := r.start(t.Context(), l, request(which))
		id := r.open().ID
		a := question.Answer{QuestionID: r.open().Questions[0].ID, Selected: []string{r.open().Questions[0].Options[0].ID}}
		for name, data := range map[string][]byte{"large.png": large.Bytes(), "small.png": small.Bytes(), "log.txt": []byte("x")} {
			f, err := r.desk.AttachFile(t.Context(), id, name, bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			a.Files = append(a.Files, f)
		}
		if _, err := r.desk.Reply(t.Context(), id, question.Reply{Answers: []question.Answer{a}}, desk.Evidence{How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		x := within(t, got)
		images := 0
		for _, c := range x.Content {
			if c, is := c.(mcp.ImageContent); is {
				images++
				if c.MIMEType != "image/png" || c.Data != base64.StdEncoding.EncodeToString(small.Bytes()) {
					t.Errorf("%s: an image of type %s", tc.client, c.MIMEType)
				}
			}
		}
		text := x.text(t)
		for _, f := range a.Files {
			if !strings.Contains(text, f.Name) || strings.Contains(text, f.Key()) != tc.hasPath {
				t.Errorf("%s: of %s says %s", tc.client, f.Name, text)
			}
		}
		if images != tc.images || (x.StructuredContent != nil) != tc.structured {
			t.Errorf("%s: %d images, structured %v", tc.client, images, x.StructuredContent)
		}
	}
}

// Where the host tells which of its user's prompts a call serves, rounds in a
// row are those of one prompt.
func TestRoundsOfOnePrompt(t *testing.T) {
	r := openDesk(t, t.TempDir(), desk.Options{MaxRounds: 2}, ui.Elsewhere())
	for _, prompt := range []string{"1", "2", "3"} {
		for n := range 3 {
			text := prompt + "." + strconv.Itoa(n) + "?"
			req := request(`{"question":"` + text + `"}`)
			req.Params.Meta = mcp.NewMetaFromMap(map[string]any{"threadId": "thread", "x-codex-turn-metadata": map[string]any{"turn_id": prompt}})
			got := r.start(t.Context(), &link{}, req)
			if n == 2 {
				refused := within(t, got)
				if x, _ := refused.StructuredContent.(*wire.Result); x == nil || x.Status != desk.Failed || x.Code != wire.CodeRoundLimit || x.Message != refused.text(t) {
					t.Errorf("a refused call is %+v", x)
				}
				if text := refused.text(t); !strings.HasPrefix(text, "Go on with what you know") || !strings.Contains(text, "recursive_limit_exceeded") {
					t.Errorf("prompt %s, a question too many: %s", prompt, text)
				}
				continue
			}
			id := r.open().ID
			if at, err := r.desk.AtLimit(t.Context(), "thread"); err != nil || at != (n == 1) {
				t.Errorf("prompt %s, question %d: the limit is near: %t, %v", prompt, n+1, at, err)
			}
			if _, err := r.desk.Reply(t.Context(), id, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
				t.Fatal(err)
			}
			within(t, got)
		}
	}
	if session, err := r.desk.Session(t.Context(), "thread"); err != nil || len(session) != 6 || session[5].Round != 6 {
		t.Errorf("the session has %d rounds, %v", len(session), err)
	}
}

// What the user says when they go back to a question reaches the one who asks
// it again, and the one who awaits its old ticket, also before they have said it.
func TestReopened(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	first := &link{}
	got := r.start(t.Context(), first, request(which))
	old := r.open().ID
	r.reply(old, "a")
	within(t, got)
	first.told(true)
	r.Presenter.Flush()

	again, err := r.desk.Reopen(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	// Both wait before it is answered: a call says so once it does.
	noting := func(args string) (*link, mcp.CallToolRequest) {
		req := request(args)
		req.Params.Meta = &mcp.Meta{ProgressToken: 1}
		return &link{noted: make(chan string, 10)}, req
	}
	l, req := noting(which)
	asks := r.start(t.Context(), l, req)
	within(t, l.noted)
	l, req = noting(`{"id":"` + old + `"}`)
	awaits := make(chan result, 1)
	go func() {
		x, err := l.call(t.Context(), r.await, req)
		awaits <- result{x, err}
	}()
	within(t, l.noted)
	r.reply(again.ID, "b")
	for name, c := range map[string]<-chan result{"who asks again": asks, "who awaits the old ticket": awaits} {
		x := within(t, c)
		const told = `"Which?"="B". You can now continue with the user's answers in mind. The user went back to this question`
		if text := x.text(t); x.status(t) != "answered B" || !strings.Contains(text, told) || !strings.Contains(text, old) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestUnavailable(t *testing.T) {
	r := newRig(t, Elicit())
	got := within(t, r.start(t.Context(), &link{}, request(which)))
	if status := got.status(t); status != "unavailable" || !got.IsError {
		t.Errorf("the result is %s", status)
	}
}

// Where a user sits at a client that can show them nothing, its model tells
// them what to do; the answer is fetched with the ticket.
func TestUntold(t *testing.T) {
	r := newRig(t, Elicit())
	r.Attended = func(known bool) bool { return known }
	r.Command = "mcp-askuser inbox"
	got := within(t, r.start(t.Context(), &link{client: Client{Implementation: mcp.Implementation{Name: "opencode"}}}, request(which)))
	if status := got.status(t); status != "pending" || got.IsError {
		t.Fatalf("the result is %s", status)
	}
	text := got.Content[0].(mcp.TextContent).Text
	id := r.open().ID
	if !strings.HasPrefix(text, `Tell the user now, in your reply: "To answer my question, run mcp-askuser inbox in a terminal."`) || !strings.Contains(text, id) {
		t.Errorf("the model is told: %s", text)
	}
	r.reply(id, "a")
	x, err := new(link).call(t.Context(), r.await, request(`{"id":"`+id+`"}`))
	if status := (result{x, err}).status(t); status != "answered A" {
		t.Errorf("the result is %s", status)
	}
}

// A question for a secret is not asked in the chat: the text for the model says so.
func TestUntoldSecret(t *testing.T) {
	r := newRig(t, Elicit())
	r.Attended, r.Command = func(bool) bool { return true }, "mcp-askuser inbox"
	text := within(t, r.start(t.Context(), &link{}, request(`{"question":"Paste your API token"}`))).text(t)
	if !strings.HasPrefix(text, "Tell the user now") || !strings.Contains(text, "asks for a secret, which must not go through the chat: do not ask for it in your reply.") {
		t.Error(text)
	}
}

// full is a store on a full disk.
type full struct{ store.Store }

func (s full) Ask(_ context.Context, row store.Row) (store.Row, error) {
	return row, errors.New("disk full")
}

// A call that brought every answer along has its result, also where no trace of
// it can be kept.
func TestNothingToAsk(t *testing.T) {
	const brought = `{"questions":[{"question":"Which?","options":["A","B"]}],"answers":{"Which?":"A"}}`
	for _, fails := range []bool{false, true} {
		r := newRig(t)
		if fails {
			r.Desk = desk.New(full{desktest.Store(t, t.TempDir())}, desk.Options{})
		}
		got := within(t, r.start(t.Context(), &link{}, request(brought)))
		x, ok := got.StructuredContent.(*wire.Result)
		kept := 0
		for range r.Desk.History(t.Context(), desk.Query{}) {
			kept++
		}
		if !ok || x.Status != desk.Answered || (kept == 0) != fails || !strings.HasPrefix(x.Message, "Not asked, because you brought the answer yourself") {
			t.Errorf("with a full disk %v: %+v, %v", fails, x, got.err)
		}
	}
}

// An inbox that was opened while the page waited for somebody has the question:
// nobody need be told of it, until it is closed.
func TestInboxOpenedMeanwhile(t *testing.T) {
	r := newRig(t)
	closed := make(chan struct{})
	inbox := surfaceFunc{"inbox", func(ctx context.Context) error {
		if open, err := r.desk.Present(ctx); err != nil || len(open) == 0 {
			return ui.Unavailablef("no inbox is open: %v", err)
		}
		<-closed
		return ui.Unavailablef("the inbox was closed")
	}}
	opens := surfaceFunc{"web", func(ctx context.Context) error {
		leave, err := r.desk.Announce(ctx, "inbox")
		if err != nil {
			return err
		}
		go func() { <-closed; leave() }()
		return ui.Unavailablef("nobody opened the page")
	}}
	r.Surfaces = []ui.Surface{inbox, opens}
	r.Attended, r.Command = func(bool) bool { return true }, "mcp-askuser inbox"
	req := request(which)
	req.Params.Meta = &mcp.Meta{ProgressToken: 7}
	l := &link{noted: make(chan string, 10)}
	got := r.start(t.Context(), l, req)
	for !strings.Contains(within(t, l.noted), "Run mcp-askuser inbox to answer") {
	}
	close(closed)
	if text := within(t, got).text(t); !strings.HasPrefix(text, "Tell the user now") {
		t.Errorf("when the inbox was closed: %s", text)
	}
}

// surfaceFunc is a surface that does as a test says.
type surfaceFunc struct {
	name string
	show func(ctx context.Context) error
}

func (s surfaceFunc) Name() string { return s.name }

func (s surfaceFunc) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error { return s.show(ctx) }

// page is a surface that needs somebody to be told its address.
type page struct{ told chan string }

func (page) Name() string { return "web" }

func (page) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("this is no desktop session")
}

func (p page) Telling(tell func(string)) ui.Surface { return telling{p, tell} }

type telling struct {
	page
	tell func(string)
}

func (t telling) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error {
	t.tell("http://127.0.0.1:4000/")
	close(t.told)
	<-ctx.Done()
	return context.Cause(ctx)
}

// The progress messages have the page's address only where a user reads them: claude -p and
// gemini -p show none.
func TestAddressIsToldToSomebody(t *testing.T) {
	req := request(which)
	req.Params.Meta = &mcp.Meta{ProgressToken: 7}
	for _, human := range []bool{true, false} {
		told := make(chan string)
		r := newRig(t, page{told})
		r.Attended = func(bool) bool { return human }
		got := r.start(t.Context(), &link{client: Client{Implementation: mcp.Implementation{Name: "gemini-cli-mcp-client"}}}, req)
		if human {
			within(t, told)
			r.reply(r.open().ID, "a")
		}
		want := map[bool]string{true: "answered A", false: "unavailable"}[human]
		if status := within(t, got).status(t); status != want {
			t.Errorf("with a human %v: %s", human, status)
		}
	}
}

// A pane beside the client comes before the form of Claude Code, whatever is asked, and
// before another one that would cut the question.
func TestPaneBeforeTheForm(t *testing.T) {
	asked := func(name, options string, beside ui.Surface, attended bool) string {
		r := newRig(t, Elicit(), ui.Elsewhere())
		r.Beside, r.Attended = beside, func(bool) bool { return attended }
		l := &link{client: Client{Implementation: mcp.Implementation{Name: name}, Capabilities: mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}}}
		l.elicit = func(ctx context.Context, _ mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		got := r.start(t.Context(), l, request(`{"question":"Which?","options":[{"label":"A",`+options+`},{"label":"B"}]}`))
		var rec desk.Record
		waittest.Until(patience, func() bool {
			rec = r.open()
			return len(rec.ShownOn) > 0 && rec.ShownOn[len(rec.ShownOn)-1].Why == ""
		})
		r.reply(rec.ID, "a")
		within(t, got)
		return rec.ShownOn[len(rec.ShownOn)-1].Surface
	}
	const long = `"description":"a long one, of which some forms show no more than this"`
	const about = `"description":"short"},{"label":"B"}],"description":"four\nlines\nof\ndetails","more":[{"label":"A"` // of the question
	const high = `"description":"short"},{"label":"B"}],"description":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10","more":[{"label":"A"`
	shows := make(terminal, 1)
	for _, tc := range []struct {
		host, options string
		beside        ui.Surface
		attended      bool
		want          string
	}{
		{"claude-code", `"description":"short"`, shows, true, "tty"},
		{"claude-code", `"description":"short"`, shows, false, "elicit"},
		{"claude-code", long, shows, true, "tty"},
		{"claude-code", about, shows, true, "tty"},
		{"codex", about, shows, true, "elicit"},
		{"codex", high, shows, true, "tty"},
		{"codex", long, shows, true, "elicit"},
		{"codex", `"preview":"x"`, shows, true, "tty"},
		{"codex", `"description":"` + strings.Repeat("long ", 50) + `"`, shows, true, "tty"},
		{"claude-code", long, nil, true, "elicit"},
		{"claude-code", long, unavailableForm("not inside tmux"), true, "elicit"},
	} {
		if got := asked(tc.host, tc.options, tc.beside, tc.attended); got != tc.want {
			t.Errorf("%s, %s: shown on %s", tc.host, tc.options, got)
		}
	}
}

// A client that declares forms receives one, whatever its name; one that does not receives
// none.
func TestFormsFollowTheCapability(t *testing.T) {
	names := []string{"a client without a row", "opencode-v2", "Visual Studio Code", "kiro-cli"}
	for _, h := range knownHosts() {
		names = append(names, h.name)
	}
	for _, name := range names {
		for _, declared := range []*mcp.ElicitationCapability{{}, nil} {
			forms := 0
			l := &link{client: Client{Implementation: mcp.Implementation{Name: name}, Capabilities: mcp.ClientCapabilities{Elicitation: declared}}}
			l.elicit = func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
				forms++
				return nil, errors.New("seen enough")
			}
			within(t, newRig(t, Elicit()).start(t.Context(), l, request(which)))
			if want := map[bool]int{true: 1}[declared != nil]; forms != want {
				t.Errorf("%s, which declares %v, received %d forms", name, declared, forms)
			}
		}
	}
}

// What is told of where to answer follows the question: an address comes first.
func TestProgressFollows(t *testing.T) {
	for _, tc := range []struct {
		surface ui.Surface
		want    string
	}{
		{ui.Elsewhere(), "Run mcp-askuser inbox to answer: Which?"},
		{page{make(chan string)}, "http://127.0.0.1:4000/ waits for your answer: Which?"},
	} {
		t.Run(tc.surface.Name(), func(t *testing.T) {
			t.Parallel()
			req := request(which)
			req.Params.Meta = &mcp.Meta{ProgressToken: 7}
			r := newRig(t, Elicit(), tc.surface)
			r.settleTime = 10 * time.Second // on a busy machine the form takes its time to say that it is not there
			r.Attended = func(bool) bool { return true }
			l := &link{noted: make(chan string, 10), client: Client{Implementation: mcp.Implementation{Name: "gemini"}}}
			got := r.start(t.Context(), l, req)
			if first := within(t, l.noted); !strings.Contains(first, tc.want) {
				t.Errorf("the first is %s", first) // and not of the form, which is not there
			}
			r.reply(r.open().ID, "a")
			within(t, got)
		})
	}
}

// A host that cuts each line of progress at the terminal's width, unless all of them fit,
// gets the whole question in short lines, an address first.
func TestProgressWhole(t *testing.T) {
	const long = `{"question":"Which database should the shop use for its orders, given that reports must run at night without locking the tables that the web pages read?","options":["PostgreSQL","SQLite"]}`
	req := request(long)
	req.Params.Meta = &mcp.Meta{ProgressToken: 7}
	r := newRig(t, page{make(chan string)})
	r.Attended = func(bool) bool { return true }
	l := &link{noted: make(chan string, 10), client: Client{Implementation: mcp.Implementation{Name: "gemini-cli-mcp-client"}}}
	got := r.start(t.Context(), l, req)
	var note struct{ Message string }
	for !strings.HasPrefix(note.Message, "http") { // the first may be of the time before the page
		if err := json.Unmarshal([]byte(within(t, l.noted)), &note); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(note.Message, "\n")
	for _, line := range lines {
		if len(line) > 70 {
			t.Errorf("too long a line: %s", line)
		}
	}
	const want = "http://127.0.0.1:4000/ waits for your answer: Which database should the shop use for its orders, given that reports must run at night without locking the tables that the web pages read? (PostgreSQL, SQLite)"
	if strings.Join(lines, " ") != want {
		t.Errorf("the message is %q", note.Message)
	}
	r.reply(r.open().ID, "postgresql")
	within(t, got)
}

// terminal is a surface that shows one question at a time.
type terminal chan struct{}

func (terminal) Name() string { return "tty" }

func (s terminal) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error {
	select {
	case s <- struct{}{}:
		defer func() { <-s }()
		<-ctx.Done()
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// The client's own form, in both eras.
func TestOwnForm(t *testing.T) {
	can := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
	fill := func(form mcp.ElicitationParams) *mcp.ElicitationResult {
		var schema struct {
			Properties map[string]struct {
				Enum  []string `json:"enum"`
				OneOf []struct {
					Const string `json:"const"`
					Title string `json:"title"`
				} `json:"oneOf"`
			} `json:"properties"`
		}
		data, err := json.Marshal(form.RequestedSchema)
		if err == nil {
			err = json.Unmarshal(data, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		content := map[string]any{}
		for key, p := range schema.Properties {
			if slices.Contains(p.Enum, "B") {
				content[key] = "B"
			}
			for _, o := range p.OneOf {
				if o.Title == "B" {
					content[key] = o.Const
				}
			}
		}
		var x mcp.ElicitationResult
		x.Action, x.Content = mcp.ElicitationResponseActionAccept, content
		return &x
	}
	human := func() { <-time.After(610 * time.Millisecond) } // no accept sooner is a user's

	t.Run("a request of ours", func(t *testing.T) {
		r := newRig(t, Elicit())
		l := &link{client: Client{Capabilities: can, ProtocolVersion: mcp.ProtocolVersion20251125}}
		l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			human()
			return fill(form), nil
		}
		if status := within(t, r.start(t.Context(), l, request(which))).status(t); status != "answered B" {
			t.Errorf("the result is %s", status)
		}
	})
	t.Run("a round trip of the call", func(t *testing.T) {
		r := newRig(t, Elicit())
		l := &link{client: Client{Capabilities: can, ProtocolVersion: "2026-07-28", Modern: true}}
		first := within(t, r.start(t.Context(), l, request(which)))
		dropped := first.RequestState
		second := within(t, r.start(t.Context(), l, request(which))) // the client lost the form, and asks again
		if records, err := r.desk.Pending(t.Context()); err != nil || len(records) != 1 {
			t.Fatalf("%d questions, %v", len(records), err)
		}
		human()
		back := request(which)
		back.Params.RequestState = second.RequestState
		back.Params.InputResponses = mcp.InputResponses{formKey: mcp.NewElicitationInputResponse(*fill(formOf(t, second)))}
		if status := within(t, r.start(t.Context(), l, back)).status(t); status != "answered B" {
			t.Errorf("the result is %s", status)
		}
		back.Params.RequestState = dropped
		if status := within(t, r.start(t.Context(), l, back)).status(t); status != "answered B" {
			t.Errorf("the first form comes back after all: %s", status)
		}
	})
	t.Run("a request of ours over HTTP", func(t *testing.T) {
		r := newRig(t, Elicit())
		r.Remote = true
		l := &link{client: Client{Capabilities: can, ProtocolVersion: mcp.ProtocolVersion20251125}}
		var shown []string
		l.elicit = func(_ context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
			shown = append(shown, form.Message)
			if len(shown) > 1 {
				<-time.After(remoteTransit)
			}
			human()
			return fill(form), nil
		}
		if status := within(t, r.start(t.Context(), l, request(which))).status(t); status != "answered B" {
			t.Errorf("the result is %s", status)
		}
		if len(shown) != 2 || !strings.HasPrefix(shown[1], "That was too quick") {
			t.Errorf("the form is shown with %q", shown)
		}
	})
	t.Run("a round trip of the call over HTTP", func(t *testing.T) {
		r := newRig(t, Elicit())
		r.Remote = true
		l := &link{client: Client{Capabilities: can, ProtocolVersion: "2026-07-28", Modern: true}}
		back := func(shown result) result {
			req := request(which)
			req.Params.RequestState = shown.RequestState
			req.Params.InputResponses = mcp.InputResponses{formKey: mcp.NewElicitationInputResponse(*fill(formOf(t, shown)))}
			return within(t, r.start(t.Context(), l, req))
		}
		first := within(t, r.start(t.Context(), l, request(which)))
		human()
		second := back(first)
		if got := formOf(t, second).Message; !strings.HasPrefix(got, "That was too quick") {
			t.Errorf("the form is shown again with %q", got)
		}
		<-time.After(remoteTransit)
		human()
		if status := back(second).status(t); status != "answered B" {
			t.Errorf("the result is %s", status)
		}
	})
	t.Run("one that could not be taken back", func(t *testing.T) {
		for first, want := range map[string]string{
			"a": `"Which?"="A". You can now continue with the user's answers in mind.`,
			"":  `The user did not answer within 1 second. Silence is not consent: no option may be treated as chosen.`,
		} {
			r := newRig(t, Elicit())
			l := &link{client: Client{Capabilities: can, ProtocolVersion: "2026-07-28", Modern: true}}
			shown := within(t, r.start(t.Context(), l, request(which)))
			id := r.open().ID
			if first != "" {
				r.reply(id, first)
			} else if _, err := r.desk.Close(t.Context(), id, desk.Outcome{Status: desk.Timeout, Reason: "1s"}); err != nil {
				t.Fatal(err)
			}
			human()
			back := request(which)
			back.Params.RequestState = shown.RequestState
			back.Params.InputResponses = mcp.InputResponses{formKey: mcp.NewElicitationInputResponse(*fill(formOf(t, shown)))}
			got := within(t, r.start(t.Context(), l, back))
			if text := got.text(t); !strings.HasSuffix(text, want) {
				t.Errorf("%q, then B: %s", first, text)
			}
			l.told(true)
			r.Presenter.Flush()
		}
	})
}

// formOf is the form that a call's result takes along.
func formOf(t *testing.T, r result) mcp.ElicitationParams {
	t.Helper()
	for _, in := range r.InputRequests {
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var x struct {
			Params mcp.ElicitationParams `json:"params"`
		}
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatal(err)
		}
		return x.Params
	}
	t.Fatalf("the result takes no form along: %+v", r.CallToolResult)
	return mcp.ElicitationParams{}
}
