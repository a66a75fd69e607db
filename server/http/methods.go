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
	"slices"
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

// post serves one message of a client.
func (s *Server) post(w http.ResponseWriter, r *http.Request, token tokens.Token) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	if !takesEvents(r) {
		http.Error(w, "responses are application/json or text/event-stream", http.StatusNotAcceptable)
		return
	}
	m, fault, status := read(w, r)
	modern := false
	if fault == nil {
		modern, fault = s.era(r.Header, m)
	}
	if fault != nil {
		refuse(w, status, m.ID, *fault)
		return
	}
	opens := m.Method == string(mcp.MethodInitialize)
	switch {
	case m.IsRequest() && (modern || opens):
		s.serveNew(w, r, token, m, &stream{modern: modern})
	case modern: // no call that it could belong to
		w.WriteHeader(http.StatusAccepted)
	default:
		s.serveKnown(w, r, token, m, &stream{})
	}
}

// serveNew serves a request that begins a session: initialize, or one of 2026-07-28,
// which is the session's only one.
func (s *Server) serveNew(w http.ResponseWriter, r *http.Request, token tokens.Token, m *server.Message, st *stream) {
	x := s.open(w, r, token, m.ID, st.modern)
	if x == nil {
		return
	}
	defer func() {
		if s.sessions.leave(x); st.modern || !st.succeeded {
			s.sessions.remove(x)
		}
	}()
	if !st.modern {
		w.Header().Set(mcp.HeaderSessionID, x.ID)
	}
	s.serve(w, r, x, m, st)
}

// serveKnown serves a message of a session that was opened before.
func (s *Server) serveKnown(w http.ResponseWriter, r *http.Request, token tokens.Token, m *server.Message, st *stream) {
	x := s.find(w, r, token, m.ID)
	if x == nil {
		return
	}
	defer s.sessions.leave(x)
	if m.IsRequest() {
		s.serve(w, r, x, m, st)
		return
	}
	x.Receive(x.ctx, m, nil) // sends nothing
	w.WriteHeader(http.StatusAccepted)
}

// takesEvents reports whether a client takes an event stream, as the protocol demands of each.
func takesEvents(r *http.Request) bool {
	header := strings.Join(r.Header.Values("Accept"), ",")
	return header == "" || slices.ContainsFunc(strings.Split(header, ","), func(part string) bool {
		kind, _, _ := mime.ParseMediaType(part)
		return kind == "text/event-stream" || kind == "*/*"
	})
}

// read reads the message of a request; the status is that of a fault in it.
func read(w http.ResponseWriter, r *http.Request) (m *server.Message, fault *server.Fault, status int) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &server.Message{}, &server.Fault{Code: mcp.INVALID_REQUEST,
			Text: fmt.Sprintf("message longer than %d bytes", large.Limit)}, http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return &server.Message{}, &server.Fault{Code: mcp.INVALID_REQUEST, Text: "the message did not arrive whole"},
			http.StatusRequestTimeout
	}
	// What follows on the connection is the next request, or its end.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	m, fault = server.Decode(text)
	return m, fault, http.StatusBadRequest
}

// era reports whether a message is of 2026-07-28 or later. Such a request repeats
// its version, its method and its subject in headers, which must agree; mcp-go
// checks that only in its own transport.
func (s *Server) era(h http.Header, m *server.Message) (modern bool, fault *server.Fault) {
	version, inBody := h.Get(mcp.HeaderProtocolVersion), m.Version()
	modern = mcp.IsModernProtocol(version) || mcp.IsModernProtocol(inBody)
	mismatch := func(text string) *server.Fault { return &server.Fault{Code: mcp.HEADER_MISMATCH, Text: text} }
	switch {
	case !modern:
		if version != "" && !mcp.IsValidProtocolVersion(version) && m.Method != string(mcp.MethodInitialize) {
			return false, &server.Fault{Code: mcp.INVALID_REQUEST,
				Text: fmt.Sprintf("the protocol version %q is not supported", version)}
		}
		return false, nil
	case !m.IsRequest():
		return true, nil
	case version == "":
		return true, mismatch("the header " + mcp.HeaderProtocolVersion + " is missing")
	case inBody == "":
		return true, &server.Fault{Code: mcp.INVALID_PARAMS, Text: "_meta lacks " + mcp.MetaKeyProtocolVersion}
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

// refuse answers a message that cannot be served.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, f server.Fault) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(f.Response(id)) //nolint:gosec // JSON, whose type the header says
}

// find returns the session that a request names. Where there is none it answers
// the request and returns nil.
func (s *Server) find(w http.ResponseWriter, r *http.Request, token tokens.Token, request json.RawMessage) *session {
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		refuse(w, http.StatusBadRequest, request, server.Fault{Code: mcp.INVALID_REQUEST,
			Text: "the header " + mcp.HeaderSessionID + " is missing; send initialize first"})
		return nil
	}
	x := s.sessions.use(id, token)
	if x == nil {
		refuse(w, http.StatusNotFound, request, server.Fault{Code: mcp.INVALID_REQUEST,
			Text: "no such session; send initialize again"})
	}
	return x
}

// open makes a session for a request. Where none can be added it answers the
// request and returns nil. A session for a single request is no dialogue, unless
// the client names one.
func (s *Server) open(w http.ResponseWriter, r *http.Request, token tokens.Token, request json.RawMessage,
	single bool) *session {
	id, dialogue := rand.Text(), header(r, headerDialogue)
	if dialogue == "" && !single {
		dialogue = id
	}
	x := &session{token: token, Session: server.NewSession(s.mcp, server.Options{
		ID: id, Agent: token.Name, Prove: token.Prove, Dialogue: dialogue, Directory: header(r, headerDirectory), Log: s.Log,
	})}
	if err := s.sessions.add(x); err != nil {
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, request, server.Fault{Code: mcp.INTERNAL_ERROR, Text: err.Error()})
		return nil
	}
	return x
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

// serve writes st as the response to a request of a session.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, x *session, m *server.Message, st *stream) {
	s.streams.Add(1)
	defer s.streams.Done()
	ctx, end := context.WithCancelCause(x.ctx)
	defer end(askuser.ErrDisconnected)
	st.Queue, st.w = server.NewQueue(), w
	x.Receive(ctx, m, st)
	st.run(r.Context(), x.ctx, s.Heartbeat, func() bool { return s.Tokens.Holds(x.token) })
}

// delete ends a session. Its questions stay open.
func (s *Server) delete(w http.ResponseWriter, r *http.Request, token tokens.Token) {
	if x := s.find(w, r, token, nil); x != nil {
		defer s.sessions.leave(x)
		s.sessions.remove(x)
		w.WriteHeader(http.StatusNoContent)
	}
}
