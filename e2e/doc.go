// Package e2e runs the MCP Inspector, a client that is not ours, against the
// built program. Its tests have the build tag e2e; `make e2e` installs the
// Inspector from npm, with a Node of its own, and runs them.
package e2e
