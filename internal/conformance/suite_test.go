//go:build conformance

package conformance

import (
	"bytes"
	"context"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/server/http"
	"mcp-askuser/server/tokens"
)

// deadline is how long one run of the suite may take, far above what it needs.
const deadline = 5 * time.Minute

// Every scenario passes in each era, but for those that the run's file names.
func TestSuite(t *testing.T) {
	for _, tc := range []struct {
		name, suite string
		options     []string
	}{
		{"stable", "conformance-stable", []string{"--suite", "active"}},
		{"2025-11-25", "conformance-newest", []string{"--suite", "all", "--spec-version", "2025-11-25"}},
		{"2026-07-28", "conformance-newest", []string{"--suite", "all", "--spec-version", "2026-07-28"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			modules, err := filepath.Abs("../../e2e/npm/conformance/node_modules")
			fatal.If(t, err)
			if _, err := os.Stat(modules); err != nil {
				t.Fatalf("%v; run make conformance, which installs the suite", err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			args := append([]string{
				filepath.Join(modules, tc.suite, "dist", "index.js"), "server", "--url", serve(t), "-o", t.TempDir(),
				"--expected-failures", tc.name + ".yml",
			}, tc.options...)
			out, err := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "node"), args...).CombinedOutput()
			if _, summary, found := bytes.Cut(out, []byte("=== SUMMARY ===")); found {
				out = summary
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// serve mounts the transport with the fixtures, and returns its address. The
// suite knows no tokens: one is put into its requests.
func serve(t *testing.T) string {
	t.Helper()
	known := tokens.New(t.TempDir())
	token, err := known.Add("suite", false)
	fatal.If(t, err)
	h := http.New(fixtures(), http.Options{Tokens: known, Host: "127.0.0.1"}).Handler()
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + http.Path
}
