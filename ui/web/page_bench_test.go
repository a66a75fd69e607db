package web

import (
	"fmt"
	"net/http"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// BenchmarkPage is the page with a thousand questions.
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
	for b.Loop() {
		r, _ := http.NewRequest(http.MethodGet, "http://"+g.addr.String()+"/", nil)
		r.AddCookie(cookie)
		resp, err := g.client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		buf := make([]byte, 64<<10)
		for {
			k, err := resp.Body.Read(buf)
			n += k
			if err != nil {
				break
			}
		}
		resp.Body.Close()
		b.ReportMetric(float64(n), "bytes")
	}
}
