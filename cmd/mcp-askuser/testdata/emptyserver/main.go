// Command emptyserver is the least an mcp-go server can be: one tool that does
// nothing. The benchmarks measure ours beside it.
package main

import (
	"context"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("empty", "1")
	s.AddTool(mcp.NewTool("nothing"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(""), nil
	})
	if err := server.ServeStdio(s); err != nil {
		os.Exit(1)
	}
}
