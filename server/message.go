package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/internal/plainjson"
)

// Message is one JSON-RPC message as the client wrote it. The id stays raw:
// decoding it into a number corrupts ids above 2^53.
type Message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// Fault is the reason why a message cannot be served, for the error response.
type Fault struct {
	Code int // of JSON-RPC
	Text string
}

// Decode reads one message; it does not keep text. With a fault, the message holds
// only the id, if that could be read, and is for [Session.Refuse] alone.
//
// Batches, which only the revision of 2025-03-26 had and no known client
// sends, are refused.
func Decode(text []byte) (*Message, *Fault) {
	m := &Message{}
	err := json.Unmarshal(text, m)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Message{}, &Fault{mcp.PARSE_ERROR, "parse error"}
	}
	if !isID(m.ID) {
		// A null id counts as none, as in mcp-go.
		invalid := m.ID != nil && string(m.ID) != "null"
		m.ID = nil
		if invalid {
			return m, &Fault{mcp.INVALID_REQUEST, "the id must be a string, in UTF-8, or a number"}
		}
	}
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")):
		return m, &Fault{mcp.INVALID_REQUEST, "batches are not supported, send one message at a time"}
	case err != nil:
		return m, &Fault{mcp.INVALID_REQUEST, "not a JSON-RPC message"}
	case m.isResponse():
		return m, nil
	case m.JSONRPC != mcp.JSONRPC_VERSION:
		return m, &Fault{mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`}
	case m.Method == "":
		return m, &Fault{mcp.INVALID_REQUEST, "the method is missing"}
	}
	return m, nil
}

func isID(raw json.RawMessage) bool {
	return utf8.Valid(raw) && len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// IsRequest reports whether the message needs a response.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// isResponse reports whether the message is a response. One to a request of ours may have no result:
// a client whose handler returns nothing sends none.
func (m *Message) isResponse() bool {
	return m.Method == "" && (m.Result != nil || m.Error != nil || bytes.HasPrefix(m.ID, []byte(`"`+ourID)))
}

// Version is the protocol version that a request of 2026-07-28 or later names;
// empty if it names none.
func (m *Message) Version() string { return metaOf(m.Params).ProtocolVersion() }

// metaOf returns the _meta of a request with these params, or nil.
func metaOf(params json.RawMessage) *mcp.Meta {
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil {
		return nil
	}
	return p.Meta
}

// forMCP returns the request for mcp-go. Its id is a string that holds the client's
// raw id, which mcp-go repeats unchanged.
func (m *Message) forMCP() (json.RawMessage, error) {
	id, err := json.Marshal(string(m.ID))
	if err != nil {
		return nil, err
	}
	f := frame{ID: id, Method: m.Method}
	if m.Params != nil {
		f.Params = m.Params
	}
	return encode(f)
}

// restoreSubscriptionID restores the client's raw id, which forMCP has made a
// string. Only the messages of subscriptions/listen have one.
func restoreSubscriptionID(meta map[string]any) {
	if id, ok := meta[mcp.MetaKeySubscriptionID].(string); ok {
		meta[mcp.MetaKeySubscriptionID] = json.RawMessage(id)
	}
}

// frame is a JSON-RPC message of ours.
type frame struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id,omitempty"`
	Method  string                   `json:"method,omitempty"`
	Params  any                      `json:"params,omitempty"`
	Result  any                      `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

// encodeResponse returns the line with mcp-go's response to the request id.
func encodeResponse(id json.RawMessage, response mcp.JSONRPCMessage) ([]byte, error) {
	switch r := response.(type) {
	case mcp.JSONRPCResponse:
		if listen, ok := r.Result.(mcp.SubscriptionsListenResult); ok && listen.Meta != nil {
			restoreSubscriptionID(listen.Meta.AdditionalFields)
		}
		return encode(frame{ID: id, Result: r.Result})
	case mcp.JSONRPCError:
		return encode(frame{ID: id, Error: &r.Error})
	default:
		return nil, fmt.Errorf("unexpected response of type %T", response)
	}
}

// Response returns the line that answers a request with the fault. The id is that
// of a [Message]; nil means that it is unknown.
func (f Fault) Response(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := encode(frame{ID: id, Error: &mcp.JSONRPCErrorDetails{Code: f.Code, Message: f.Text}})
	if err != nil { // cannot happen: the id was valid JSON
		panic(err)
	}
	return line
}

// encode returns f as one line of JSON with its newline. HTML is not escaped:
// it would change ids and waste the tool descriptions' bytes.
func encode(f frame) ([]byte, error) {
	f.JSONRPC = mcp.JSONRPC_VERSION
	line, err := plainjson.Marshal(f)
	return append(line, '\n'), err
}
