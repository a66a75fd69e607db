package server

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// rootsTime is how long a client may take to name its roots. Its question
// waits.
const rootsTime = 3 * time.Second

// roots is what a session knows of the client's roots. The client is asked by
// the first call that needs to know, and once more after it said that they have
// changed; one that does not answer is not asked again.
type roots struct {
	changes   atomic.Int64
	mu        sync.Mutex // held while the client is asked
	asked     int64      // after so many changes, and one more
	directory string
}

// first is the directory of the client's first root; empty where it names none.
func (r *roots) first(ctx context.Context, k *Call) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.changes.Load() + 1
	if r.asked == now {
		return r.directory
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	raw, err := k.session.requests.do(ctx, k, string(mcp.MethodListRoots), struct{}{}, func() {})
	var list mcp.ListRootsResult
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		k.session.Log.Info("the client does not name its roots", "error", err)
	}
	r.asked, r.directory = now, ""
	for _, root := range list.Roots {
		if r.directory = directoryOf(root.URI); r.directory != "" {
			break
		}
	}
	return r.directory
}

// forget has the client asked again.
func (r *roots) forget() { r.changes.Add(1) }

// directoryOf is the path of a file URI, which may be another system's.
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
