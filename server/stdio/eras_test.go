package stdio

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// modernMeta is the _meta with which a request is of 2026-07-28.
func modernMeta(capabilities string) string {
	return `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

func listenLine(id, notifications string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":` + notifications + modernMeta(`{}`) + `}}`
}

func acknowledged(id, notifications string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":` + notifications + `}}`
}

// TestListen: subscriptions/listen is acknowledged under the id as the client
// wrote it, held open while other requests are served, and not answered when
// cancelled.
func TestListen(t *testing.T) {
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo}))
	for _, id := range []string{`1`, `"1"`, `9007199254740993`, `"\u003cid\/"`} {
		p.send(listenLine(id, `{"toolsListChanged":true}`))
		p.want(acknowledged(id, `{"toolsListChanged":true}`))
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

// TestListenToNothing: with nothing to listen to, the stream ends at once, and
// always after its acknowledgement.
func TestListenToNothing(t *testing.T) {
	p := connect(t, testServer(nil))
	for i := range 300 {
		id := strconv.Itoa(9007199254740993 + i)
		p.send(listenLine(id, `{"toolsListChanged":true}`))
		p.want(acknowledged(id, `{}`))
		if line := p.next(); !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,"result":`) || !strings.Contains(line, `"io.modelcontextprotocol/subscriptionId":`+id) {
			t.Fatal(line)
		}
	}
}

// dial connects mcp-go's own client, and initializes it.
func dial(t *testing.T, s *mcpserver.MCPServer, opts ...client.ClientOption) *client.Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	result := make(chan error, 1)
	go func() {
		result <- Serve(context.WithoutCancel(t.Context()), s, inR, outW, Options{})
		_ = outW.Close()
	}()
	c := client.NewClient(transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))), opts...)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		if err := receive(t, result, 1)[0]; err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1"}
	if _, err := c.Initialize(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return c
}

var eras = []struct {
	version string
	opts    []client.ClientOption
}{
	{mcp.ProtocolVersion20260728, nil},
	//lint:ignore SA1019 the older era is what is tested
	{mcp.ProtocolVersion20251125, []client.ClientOption{client.WithLegacyProtocolOnly()}},
}

// user answers elicitations.
type human mcp.ElicitationResponse

func (h human) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse(h)}, nil
}

// TestErasElicitation: a handler reaches the user of a client of either era.
func TestErasElicitation(t *testing.T) {
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"ask": func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := mcpserver.ElicitationResponse(request.Params.InputResponses, "q")
		if !mcpserver.IsModernRequest(ctx) {
			var err error
			answer, _, err = transportOf(ctx).Elicit(ctx, form)
			if err != nil {
				return nil, err
			}
		}
		if answer == nil {
			return mcpserver.NewInputRequestBuilder("state").Elicit("q", form).ToolResult(), nil
		}
		return mcp.NewToolResultText(string(answer.Action)), nil
	}})
	for _, era := range eras {
		for _, action := range []mcp.ElicitationResponseAction{"accept", "decline", "cancel"} {
			t.Run(era.version+" "+string(action), func(t *testing.T) {
				c := dial(t, s, append(era.opts, client.WithElicitationHandler(human{Action: action, Content: map[string]any{"a": "x"}}))...)
				if got := c.ProtocolVersion(); got != era.version {
					t.Fatalf("version %s", got)
				}
				tools, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
				if err != nil || len(tools.Tools) != 1 {
					t.Fatalf("tools %v, %v", tools, err)
				}
				request := mcp.CallToolRequest{}
				request.Params.Name = "ask"
				result, err := c.CallTool(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				if text := mcp.GetTextFromContent(result.Content[0]); text != string(action) {
					t.Errorf("got %q", text)
				}
			})
		}
	}
}

// TestErasCancel: a call given up by a client of either era is cancelled.
func TestErasCancel(t *testing.T) {
	for _, era := range eras {
		t.Run(era.version, func(t *testing.T) {
			w := newWaiter(1)
			c := dial(t, testServer(map[string]mcpserver.ToolHandlerFunc{"wait": w.call}), era.opts...)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			given := make(chan error, 1)
			go func() {
				request := mcp.CallToolRequest{}
				request.Params.Name = "wait"
				_, err := c.CallTool(ctx, request)
				given <- err
			}()
			receive(t, w.started, 1)
			cancel()
			if err := receive(t, given, 1)[0]; err == nil {
				t.Error("the client got a result")
			}
			if cause := receive(t, w.causes, 1)[0]; cause.Error() != "cancelled by the client: context canceled" {
				t.Errorf("cause %v", cause)
			}
		})
	}
}

// TestModernClientListens: mcp-go's client gets its acknowledgement while the
// stream stays open, and can be served meanwhile.
func TestModernClientListens(t *testing.T) {
	c := dial(t, testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo}))
	notified := make(chan string, 1)
	c.OnNotification(func(n mcp.JSONRPCNotification) { notified <- n.Method })
	stop, err := c.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if method := receive(t, notified, 1)[0]; method != mcp.MethodNotificationSubscriptionsAcknowledged {
		t.Errorf("got %s", method)
	}
	if _, err := c.ListTools(t.Context(), mcp.ListToolsRequest{}); err != nil {
		t.Error(err)
	}
	stop()
}
