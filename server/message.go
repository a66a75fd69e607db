package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// Message is one JSON-RPC message as the client wrote it. The id stays raw:
// decoding it into a number corrupts ids above 2^53 (FACTS 5.10).
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
			return m, &Fault{mcp.INVALID_REQUEST, "the id must be a string or a number"}
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
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// IsRequest reports whether the message is to be answered.
func (m Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

func (m Message) isResponse() bool {
	return m.Method == "" && (m.Result != nil || m.Error != nil)
}

// forMCP is the message as mcp-go gets it: a request's id is a string that
// holds the client's raw id, which mcp-go repeats unharmed.
func (m Message) forMCP() (json.RawMessage, error) {
	return encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      string          `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, string(m.ID), m.Method, m.Params})
}

// restoreSubscriptionID turns an id that forMCP made a string back into what
// the client wrote. Only the messages of subscriptions/listen carry one.
func restoreSubscriptionID(meta map[string]any) {
	if id, ok := meta[mcp.MetaKeySubscriptionID].(string); ok {
		meta[mcp.MetaKeySubscriptionID] = json.RawMessage(id)
	}
}

// encodeResponse returns the line that answers the request id with what
// mcp-go made of it.
func encodeResponse(id json.RawMessage, response mcp.JSONRPCMessage) ([]byte, error) {
	switch r := response.(type) {
	case mcp.JSONRPCResponse:
		if listen, ok := r.Result.(mcp.SubscriptionsListenResult); ok && listen.Meta != nil {
			restoreSubscriptionID(listen.Meta.AdditionalFields)
		}
		return encode(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  any             `json:"result"`
		}{mcp.JSONRPC_VERSION, id, r.Result})
	case mcp.JSONRPCError:
		return encodeError(id, r.Error)
	default:
		return nil, fmt.Errorf("unexpected response of type %T", response)
	}
}

// encodeError returns the line that answers the request id, or no known
// request if it is nil, with an error.
func encodeError(id json.RawMessage, details mcp.JSONRPCErrorDetails) ([]byte, error) {
	return encode(struct {
		JSONRPC string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, id, details})
}

// encodeNotification returns the line that notifies the client.
func encodeNotification(method string, params any) ([]byte, error) {
	return encode(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, method, params})
}

// encodeRequest returns the line that asks the client something.
func encodeRequest(id json.RawMessage, method string, params any) ([]byte, error) {
	return encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  any             `json:"params"`
	}{mcp.JSONRPC_VERSION, id, method, params})
}

// encode returns v as one line of JSON with its newline. HTML is not escaped:
// it would change ids and waste the tool descriptions' bytes.
func encode(v any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
