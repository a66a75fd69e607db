package web

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// BenchmarkPage is the page with a thousand questions: until its first byte,
// and whole.
func BenchmarkPage(b *testing.B) {
	g := start(b)
	for i := range 1000 {
		q := single("q")
		q.Text = fmt.Sprint("Question ", i)
		if _, err := g.desk.Ask(b.Context(), question.Set{Questions: []question.Question{q}}, "", desk.Asker{Client: "codex"}); err != nil {
			b.Fatal(err)
		}
	}
	cookie, _ := g.browser()
	var first time.Duration
	for b.Loop() {
		r := g.request(http.MethodGet, "/", "")
		r.Header.Del("Authorization")
		r.AddCookie(cookie)
		began := time.Now()
		resp, err := g.client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		first += time.Since(began)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms/first-byte")
}
