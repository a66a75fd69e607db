package server

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// rootsTimeout is how long a client may take to list its roots. The question is
// delayed for that time.
const rootsTimeout = 3 * time.Second

// roots caches the client's first root. The first call that needs it asks the client, as does the
// first one after a change of the roots. A client that lets that call wait in vain is not asked again.
type roots struct {
	known     atomic.Bool
	mu        sync.Mutex // held while the client is asked
	directory string
}

// first returns the directory of the client's first root; empty if it has none.
func (r *roots) first(ctx context.Context, c *Call) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known.Swap(true) {
		return r.directory
	}
	limited, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	list, err := c.listRoots(limited)
	if err != nil {
		c.session.Log.Info("the client did not list its roots", "error", err)
	}
	r.known.CompareAndSwap(true, ctx.Err() == nil)
	r.directory = ""
	for _, root := range list.Roots {
		r.directory = cmp.Or(r.directory, directoryOf(root.URI))
	}
	return r.directory
}

func (c *Call) listRoots(ctx context.Context) (list mcp.ListRootsResult, err error) {
	raw, err := c.request(ctx, string(mcp.MethodListRoots), struct{}{}, func() {})
	if err != nil {
		return list, err
	}
	return list, json.Unmarshal(raw, &list)
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
