package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
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

// Fault says why a message cannot be served, as the error response does.
type Fault struct {
	Code int // of JSON-RPC
	Text string
}

// Decode reads one message, of which it keeps nothing. With a fault the message
// holds no more than the id, where that could be read, and is for
// [Session.Refuse] alone.
//
// Batches, which only the revision of 2025-03-26 had and no known client
// sends, are refused.
func Decode(text []byte) (Message, *Fault) {
	var m Message
	err := json.Unmarshal(text, &m)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return Message{}, &Fault{mcp.PARSE_ERROR, "parse error"}
	}
	if !isID(m.ID) {
		// A null id is taken for none, as mcp-go does.
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

// IsRequest reports whether the message is to be answered.
func (m Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

func (m Message) isResponse() bool {
	return m.Method == "" && (m.Result != nil || m.Error != nil)
}

// Version is the protocol version that a request of 2026-07-28 or later names;
// empty where it names none.
func (m Message) Version() string { return metaOf(m.Params).ProtocolVersion() }

// metaOf is the _meta of a request with these params; nil where it has none.
func metaOf(params json.RawMessage) *mcp.Meta {
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil {
		return nil
	}
	return p.Meta
}

// forMCP is the request as mcp-go gets it: its id is a string that holds the
// client's raw id, which mcp-go repeats unharmed.
func (m Message) forMCP() (json.RawMessage, error) {
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

// restoreSubscriptionID turns an id that forMCP made a string back into what
// the client wrote. Only the messages of subscriptions/listen carry one.
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

// encodeResponse returns the line that answers the request id with what
// mcp-go made of it.
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

// Response is the line that answers the request id, which is that of a
// [Message], or no known request if it is nil, with the fault.
func (f Fault) Response(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := encode(frame{ID: id, Error: &mcp.JSONRPCErrorDetails{Code: f.Code, Message: f.Text}})
	if err != nil { // a text and an id that came as JSON have no reason to fail
		panic(err)
	}
	return line
}

// encode returns f as one line of JSON with its newline. HTML is not escaped:
// it would change ids and waste the tool descriptions' bytes.
func encode(f frame) ([]byte, error) {
	f.JSONRPC = mcp.JSONRPC_VERSION
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
