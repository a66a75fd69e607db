package web

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// A thousand questions: the first byte of the page and of the list is promised
// within 50 ms.
func BenchmarkPage(b *testing.B) { benchmarkThousand(b, "/") }

func BenchmarkList(b *testing.B) { benchmarkThousand(b, "/api/questions") }

func benchmarkThousand(b *testing.B, path string) {
	g := start(b)
	for i := range 1000 {
		q := single("q")
		q.Text = fmt.Sprint("Question ", i)
		if _, err := desktest.Ask(b.Context(), g.desk, question.Set{Questions: []question.Question{q}}, "", desk.Asker{Client: "codex"}); err != nil {
			b.Fatal(err)
		}
	}
	cookie := g.browser()
	var first time.Duration
	for b.Loop() {
		r := g.request(http.MethodGet, path, "")
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

// BenchmarkStreams is how long it takes from a question to the last of 200
// streams: 50 ms are promised.
func BenchmarkStreams(b *testing.B) {
	g := start(b)
	listeners := g.listeners(200)
	for b.Loop() {
		hearAll(b, listeners, g.ask("", single("q")))
	}
	for _, l := range listeners {
		l.close()
	}
}
