package server

import (
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
	"mcp-askuser/tools/askuser/texts"
)

// Name is the server's name in the protocol.
const Name = "mcp-askuser"

// New returns the MCP server with the tools and the instructions for the
// model.
func New(version string, tools *askuser.Tools) *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer(Name, version,
		mcpserver.WithInstructions(texts.Text("instructions")),
		// Claude Code listens for changed tools; without this mcp-go ends its
		// subscription at once.
		mcpserver.WithToolCapabilities(true),
	)
	tools.Register(s)
	return s
}
