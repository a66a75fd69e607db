package askuser

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
)

// A question is asked without the parts that no answer can bring up, which the result names.
func TestImpossibleParts(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	r.Hold = time.Millisecond
	odd := strings.Replace(which, `]}]`, `],"follow_up_questions":{"oauth2":["Who?"]}}]`, 1)
	got := waittest.Take(t, r.start(t.Context(), &link{}, request(odd)))
	const told = "Not asked, because no answer can bring it up: questions[0].follow_up_questions.oauth2 is none of its options."
	if text := got.text(t); got.status(t) != "pending" || !strings.HasSuffix(text, told) {
		t.Errorf("%s: %s", got.status(t), text)
	}
}

// What the model reads where the question is shown nowhere: with a user at the client, what to
// tell them; a secret is never asked for in the chat.
func TestShownNowhere(t *testing.T) {
	const secret = `{"question":"Paste your API token"}`
	for _, tc := range []struct {
		name, args     string
		attended       bool
		status, prefix string
		says           string
	}{
		{"nobody is there", which, false, "unavailable", "There is no way", "ask the user in plain text"},
		{"a user at the client", which, true, "pending", `Tell the user now, in your reply: "To answer my question, run mcp-askuser inbox in a terminal."`, ""},
		{"a secret, nobody is there", secret, false, "unavailable", "This asks for a secret", "environment variable"},
		{"a secret, a user at the client", secret, true, "pending", "Tell the user now", "asks for a secret, which must not go through the chat: do not ask for it in your reply."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, Elicit())
			r.Attended = func(known bool) bool { return known && tc.attended }
			got := waittest.Take(t, r.start(t.Context(), &link{client: client("opencode", false)}, request(tc.args)))
			text := got.text(t)
			if got.status(t) != tc.status || got.IsError == tc.attended || !strings.HasPrefix(text, tc.prefix) || !strings.Contains(text, tc.says) {
				t.Errorf("%s: %s", got.status(t), text)
			}
			if tc.args == secret && strings.Contains(text, "plain text") {
				t.Errorf("a secret is asked for: %s", text)
			}
			if tc.attended && !strings.Contains(text, r.open().ID) {
				t.Errorf("the model has no ticket: %s", text)
			}
		})
	}
}

// A client that gives up leaves its question open; one that withdraws it does
// not, and its reason is part of a sentence, whose full stop follows it.
func TestCallEnds(t *testing.T) {
	for _, tc := range []struct {
		cause  error
		want   desk.Status
		reason string
	}{
		{ErrDisconnected, desk.Pending, ""},
		{&Cancelled{"MCP error -32001: Request timed out"}, desk.Pending, ""},
		{&Cancelled{"AbortError: user-cancel."}, desk.Cancelled, "cancelled by the client: AbortError: user-cancel"},
		{&Cancelled{}, desk.Cancelled, "cancelled by the client"},
	} {
		r := newRig(t, ui.Elsewhere())
		ctx, cancel := context.WithCancelCause(t.Context())
		got := r.start(ctx, &link{}, request(which))
		id := r.open().ID
		cancel(tc.cause)
		if err := waittest.Take(t, got).err; !errors.Is(err, tc.cause) {
			t.Errorf("%v: the call returned %v", tc.cause, err)
		}
		r.Presenter.Close(ErrDisconnected) // a withdrawal runs in the background
		rec, err := r.desk.Get(t.Context(), id)
		if err != nil || rec.State != tc.want || rec.Outcome != nil && rec.Outcome.Reason != tc.reason {
			t.Errorf("%v: the record is %s, %+v, %v", tc.cause, rec.State, rec.Outcome, err)
		}
	}
}

// A call that waits longer than its host allows, or whose server ends, has a ticket as its
// result; the answer is the result of a call that awaits it, and says how old it is.
func TestTicket(t *testing.T) {
	ago := func() time.Time { return time.Now().Add(-2 * time.Hour) }
	r := openDesk(t, desk.Options{Now: ago}, ui.Elsewhere())
	ctx, end := context.WithCancelCause(t.Context())
	waiting := r.start(ctx, &link{}, request(which))
	id := r.open().ID
	end(ErrClosing)
	closed := waittest.Take(t, waiting)
	r.Hold = time.Millisecond
	held := waittest.Take(t, r.startAwait(t.Context(), &link{}, []string{id}, ""))
	r.Hold = time.Hour
	for name, got := range map[string]result{"held": held, "closed": closed} {
		if got.status(t) != "pending" || !strings.Contains(got.text(t), id) {
			t.Errorf("%s: %s", name, got.text(t))
		}
	}
	got := r.startAwait(t.Context(), &link{}, []string{id}, "")
	r.reply(id, "a")
	answer := waittest.Take(t, got)
	if answer.status(t) != "answered A" || !strings.HasSuffix(answer.text(t), "The user answered this 2 h ago.") {
		t.Errorf("%s: %s", answer.status(t), answer.text(t))
	}
}

// A session goes on where its agent names it, from whatever connection, with
// its rounds; not for another client, and a yes stays in the session in which it
// was asked for.
func TestSessionGoesOn(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	me := client("agent", false)
	named := func(text string) mcp.CallToolRequest {
		return request(`{"question":"` + text + `","options":["A","B"],"session_id":"feature-x"}`)
	}
	for i, text := range []string{"First?", "Second?"} {
		got := r.start(t.Context(), &link{client: me, session: text}, named(text))
		rec := r.open()
		if rec.SessionID != "feature-x" || rec.Round != i+1 {
			t.Errorf("%s is round %d of %s", text, rec.Round, rec.SessionID)
		}
		r.reply(rec.ID, "a")
		waittest.Take(t, got)
	}

	other := &link{client: client("another", false)}
	text := waittest.Take(t, r.start(t.Context(), other, named("Third?"))).text(t)
	if !strings.Contains(text, "session_id: is a session of another client") {
		t.Errorf("another client: %s", text)
	}

	const sure = `{"question":"Delete?","type":"boolean","session_id":"feature-x"}`
	r.Hold = time.Millisecond
	waittest.Take(t, r.start(t.Context(), &link{client: me, session: "one"}, request(sure)))
	first := r.open()
	r.reply(first.ID, question.YesID)
	if first.SessionID != "one" {
		t.Errorf("a confirmation is of session %s", first.SessionID)
	}
	again := waittest.Take(t, r.start(t.Context(), &link{client: me, session: "two"}, request(sure)))
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
		r.Hold = time.Millisecond
		req := request(tc.args)
		req.Params.Meta = mcp.NewMetaFromMap(map[string]any{tc.meta: "host"})
		waittest.Take(t, r.start(t.Context(), &link{}, req))
		if rec := r.open(); rec.ToolUse != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.meta, tc.args, rec.ToolUse, tc.want)
		}
	}
}

// A host's model is shown the images of an answer as its host passes them on, as far as they
// are not too large; every agent on this machine gets the paths of all files.
func TestFilesOfAnAnswer(t *testing.T) {
	var small bytes.Buffer
	fatal.If(t, png.Encode(&small, image.NewGray(image.Rect(0, 0, 4, 4))))
	large := append(bytes.Clone(small.Bytes()), make([]byte, maxImages)...) // what follows an image is not looked at
	contents := map[string][]byte{"large.png": large, "small.png": small.Bytes(), "log.txt": []byte("x")}
	for _, tc := range []struct {
		client              string
		remote              bool
		images              int
		structured, hasPath bool
	}{
		{"claude-code", false, 1, true, true},
		{"claude-code", true, 1, true, false},
		{"codex-mcp-client", false, 1, false, true},
		{"another", false, 0, true, true},
	} {
		r := newRig(t, ui.Elsewhere())
		r.Remote = tc.remote
		got := r.start(t.Context(), &link{client: client(tc.client, false)}, request(which))
		id := r.open().ID
		a := question.Answer{QuestionID: "q1", Selected: []string{"a"}}
		for name, data := range contents {
			if name == "large.png" && tc.images == 0 {
				continue // no image is shown there
			}
			f, err := r.desk.AttachFile(t.Context(), id, name, bytes.NewReader(data))
			fatal.If(t, err)
			a.Files = append(a.Files, f)
		}
		if _, err := r.desk.Reply(t.Context(), id, question.Reply{Answers: []question.Answer{a}}, desk.Evidence{How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		x := waittest.Take(t, got)
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

// Where the host tells which of its user's prompts a call serves, rounds in a row are those of
// one prompt; the model is told of one too many.
func TestRoundsOfOnePrompt(t *testing.T) {
	r := openDesk(t, desk.Options{MaxRounds: 1}, ui.Elsewhere())
	r.Command = "mcp-askuser inbox --dir /x"
	for _, prompt := range []string{"1", "2"} {
		asked := func(text string) <-chan result {
			req := request(strings.Replace(which, "Which?", prompt+text, 1))
			req.Params.Meta = mcp.NewMetaFromMap(map[string]any{"threadId": "thread", "x-codex-turn-metadata": map[string]any{"turn_id": prompt}})
			return r.start(t.Context(), &link{}, req)
		}
		got := asked(". First?")
		r.reply(r.open().ID, "a")
		waittest.Take(t, got)
		refused := waittest.Take(t, asked(". Second?"))
		text := refused.text(t)
		if !strings.HasPrefix(text, "Go on with what you know") ||
			!strings.Contains(text, "recursive_limit_exceeded") ||
			!strings.Contains(text, "(mcp-askuser lift thread --dir /x)") {
			t.Errorf("prompt %s, a question too many: %s", prompt, text)
		}
		x, _ := refused.StructuredContent.(*wire.Result)
		if x == nil || x.Status != desk.Failed || x.Code != wire.CodeRoundLimit || x.Message != text {
			t.Errorf("a refused call is %+v", x)
		}
	}
}

// A call that brought every answer along has its result.
func TestNothingToAsk(t *testing.T) {
	const brought = `{"questions":[{"question":"Which?","options":["A","B"]}],"answers":{"Which?":"A"}}`
	r := newRig(t)
	got := waittest.Take(t, r.start(t.Context(), &link{}, request(brought)))
	x, ok := got.StructuredContent.(*wire.Result)
	kept := 0
	for range r.Desk.History(t.Context(), desk.Query{}) {
		kept++
	}
	const want = "Not asked, because you brought the answer yourself"
	if !ok || x.Status != desk.Answered || kept != 1 || !strings.HasPrefix(x.Message, want) {
		t.Errorf("%+v, %v, %d are kept", x, got.err, kept)
	}
}
