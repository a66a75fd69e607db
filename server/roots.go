package server

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// rootsTimeout is how long a client may take to list its roots. The question is
// delayed for that time.
const rootsTimeout = 3 * time.Second

// root caches the client's first root. The first call that needs it asks the client, and the next
// one where that was cancelled. A client that lets that call wait in vain is not asked again.
type root struct {
	mu        sync.Mutex // held while the client is asked
	known     bool
	directory string
}

// get returns the directory of the client's first root; empty if it has none.
func (r *root) get(ctx context.Context, c *Call) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known {
		return r.directory
	}
	limited, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	var list mcp.ListRootsResult
	raw, err := c.request(limited, string(mcp.MethodListRoots), struct{}{}, func() {})
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		c.session.Log.Info("the client did not list its roots", "error", err)
	}
	r.known = ctx.Err() == nil
	for _, root := range list.Roots {
		r.directory = cmp.Or(r.directory, directoryOf(root.URI))
	}
	return r.directory
}

// directoryOf returns the path of a file URI, which may be a path of another
// operating system.
func directoryOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || !strings.HasPrefix(u.Path, "/") {
		return ""
	}
	if len(u.Path) > 2 && u.Path[2] == ':' { // file:///C:/shop
		return u.Path[1:]
	}
	return u.Path
}
