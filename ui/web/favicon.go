package web

import (
	"fmt"
	"net/http"
	"strconv"
)

// favicon draws the page's icon with the number n of what waits, which the
// script keeps current by asking for another.
func favicon(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	text := "?"
	switch {
	case err != nil || n <= 0:
	case n < 100:
		text = strconv.Itoa(n)
	default:
		text = "99+"
	}
	size := []int{22, 20, 15}[len(text)-1]
	w.Header().Set("Content-Type", "image/svg+xml")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">`+
		`<path fill="#4353c9" d="M6 2h20a5 5 0 0 1 5 5v13a5 5 0 0 1-5 5h-9l-7 6v-6H6a5 5 0 0 1-5-5V7a5 5 0 0 1 5-5z"/>`+
		`<text x="16" y="14" fill="#fff" font-family="system-ui,sans-serif" font-weight="700" font-size="%d" text-anchor="middle" dominant-baseline="central">%s</text></svg>`, size, text)
}
