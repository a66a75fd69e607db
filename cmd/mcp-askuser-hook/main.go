// Command mcp-askuser-hook is mcp-askuser hook for one event, and nothing else:
// hosts start it with each question and keep it beside the dialog, so it has to
// be small. See package hooked.
package main

import "mcp-askuser/cmd/mcp-askuser/hooked"

func main() { hooked.Main() }
