// Package server is the MCP server: its stdio transport, the session with the
// one client at the other end, and the registration of the tools.
//
// The transport is our own because mcp-go's stalls, loses cancels, answers
// cancelled requests and lets progress overtake responses once several
// questions wait for a human (FACTS 5). mcp-go still does all of the protocol:
// every request goes through MCPServer.HandleMessage, which serves both
// eras, the handshake up to 2025-11-25 and the stateless one of 2026-07-28.
//
// It may import tools/askuser and what lies below. It knows no terminal, no
// signals and no process: streams, logger and context are handed in.
package server
