package http

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/server"
	"mcp-askuser/server/tokens"
	"mcp-askuser/tools/askuser"
)

// Headers by which a client can say what it works on. Both are optional, and read
// when the session begins.
const (
	headerDirectory = "Askuser-Directory" // the project, absolute
	headerDialogue  = "Askuser-Session"   // the dialogue, of which questions are rounds
)

// maxName is the longest directory or dialogue that a client can name, in bytes.
const maxName = 4096

// refusal is why a message is not served.
type refusal struct {
	server.Fault
	status int // of HTTP
}

// refuse answers a message that is not served.
func refuse(w http.ResponseWriter, id json.RawMessage, why *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(why.status)
	_, _ = w.Write(why.Response(id)) //nolint:gosec // JSON, whose type the header says
}

// invalid refuses a message that its client must change.
func invalid(status int, text string) *refusal {
	return &refusal{server.Fault{Code: mcp.INVALID_REQUEST, Text: text}, status}
}

// post serves one message of a client. Initialize begins a session, as does a request of
// 2026-07-28, which is its session's only one.
func (s *Server) post(w http.ResponseWriter, r *http.Request, token tokens.Token) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	m, why := read(w, r)
	st := &stream{w: w, Queue: server.NewQueue()}
	if why == nil {
		st.modern, why = s.era(r.Header, m)
	}
	if why != nil {
		refuse(w, m.ID, why)
		return
	}
	if st.modern && !m.IsRequest() { // no call that it could belong to
		w.WriteHeader(http.StatusAccepted)
		return
	}
	initializes := m.IsRequest() && m.Method == string(mcp.MethodInitialize)
	var x *session
	if initializes || st.modern {
		x, why = s.open(r, token, st.modern)
	} else {
		x, why = s.find(r, token)
	}
	if why != nil {
		refuse(w, m.ID, why)
		return
	}
	defer func() {
		s.sessions.leave(x)
		if st.modern || initializes && !st.succeeded {
			s.sessions.remove(x)
		}
	}()
	if !m.IsRequest() {
		x.Receive(x.ctx, m, nil) // sends nothing
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if initializes && !st.modern {
		w.Header().Set(mcp.HeaderSessionID, x.ID)
	}
	s.streams.Add(1)
	defer s.streams.Done()
	ctx, end := context.WithCancelCause(x.ctx)
	defer end(askuser.ErrDisconnected)
	x.Receive(ctx, m, st)
	st.run(r.Context(), x.ctx, s.Heartbeat, func() bool { return s.Tokens.Holds(x.token) })
}

// read reads the message of a request.
func read(w http.ResponseWriter, r *http.Request) (*server.Message, *refusal) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &server.Message{}, invalid(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("message longer than %d bytes", large.Limit))
	}
	if err != nil {
		return &server.Message{}, invalid(http.StatusRequestTimeout, "the message did not arrive whole")
	}
	// What follows on the connection is the next request, or its end.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	m, fault := server.Decode(text)
	if fault != nil {
		return m, &refusal{*fault, http.StatusBadRequest}
	}
	return m, nil
}

// era reports whether a message is of 2026-07-28 or later. Such a request repeats
// its version, its method and its subject in headers, which must agree; mcp-go
// checks that only in its own transport.
func (s *Server) era(h http.Header, m *server.Message) (modern bool, why *refusal) {
	version, inBody := h.Get(mcp.HeaderProtocolVersion), m.Version()
	modern = mcp.IsModernProtocol(version) || mcp.IsModernProtocol(inBody)
	mismatch := func(text string) *refusal {
		return &refusal{server.Fault{Code: mcp.HEADER_MISMATCH, Text: text}, http.StatusBadRequest}
	}
	switch {
	case !modern:
		if version != "" && !mcp.IsValidProtocolVersion(version) && m.Method != string(mcp.MethodInitialize) {
			text := fmt.Sprintf("the protocol version %q is not supported", version)
			return false, invalid(http.StatusBadRequest, text)
		}
		return false, nil
	case !m.IsRequest():
		return true, nil
	case version == "":
		return true, mismatch("the header " + mcp.HeaderProtocolVersion + " is missing")
	case inBody == "":
		fault := server.Fault{Code: mcp.INVALID_PARAMS, Text: "_meta lacks " + mcp.MetaKeyProtocolVersion}
		return true, &refusal{fault, http.StatusBadRequest}
	case inBody != version:
		return true, mismatch("the header " + mcp.HeaderProtocolVersion + " and _meta name different versions")
	}
	method := mcp.MCPMethod(m.Method)
	err := mcp.ValidateStandardHeaders(h.Get, version, method, m.Params)
	if err == nil && method == mcp.MethodToolsCall {
		name, _ := mcp.ExtractHeaderName(method, m.Params)
		if tool := s.mcp.GetTool(name); tool != nil {
			err = mcp.ValidateParamHeadersLookup(func(name string) (string, bool) {
				values := h.Values(name)
				return strings.Join(values, ","), len(values) > 0
			}, &tool.Tool, m.Params)
		}
	}
	if err != nil {
		return true, mismatch(err.Error())
	}
	return true, nil
}

// find returns the session that a request names.
func (s *Server) find(r *http.Request, token tokens.Token) (*session, *refusal) {
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		return nil, invalid(http.StatusBadRequest,
			"the header "+mcp.HeaderSessionID+" is missing; send initialize first")
	}
	x := s.sessions.use(id, token)
	if x == nil {
		return nil, invalid(http.StatusNotFound, "no such session; send initialize again")
	}
	return x, nil
}

// open makes a session for a request. A session for a single request is no dialogue, unless
// the client names one.
func (s *Server) open(r *http.Request, token tokens.Token, single bool) (*session, *refusal) {
	id, dialogue := rand.Text(), header(r, headerDialogue)
	if dialogue == "" && !single {
		dialogue = id
	}
	x := &session{token: token, Session: server.NewSession(s.mcp, server.Options{
		ID: id, Agent: token.Name, Prove: token.Prove, Dialogue: dialogue, Directory: header(r, headerDirectory), Log: s.Log,
	})}
	err := s.sessions.add(x)
	if err != nil {
		return nil, &refusal{server.Fault{Code: mcp.INTERNAL_ERROR, Text: err.Error()}, http.StatusServiceUnavailable}
	}
	return x, nil
}

// header returns the value of a header of ours, which may be encoded as those of
// the protocol are; empty where it is too long.
func header(r *http.Request, name string) string {
	text, ok := mcp.DecodeHeaderValue(strings.TrimSpace(r.Header.Get(name)))
	if !ok || len(text) > maxName {
		return ""
	}
	return text
}

// delete ends a session. Its questions stay open.
func (s *Server) delete(w http.ResponseWriter, r *http.Request, token tokens.Token) {
	x, why := s.find(r, token)
	if why != nil {
		refuse(w, nil, why)
		return
	}
	defer s.sessions.leave(x)
	s.sessions.remove(x)
	w.WriteHeader(http.StatusNoContent)
}
