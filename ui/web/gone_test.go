package web

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui/api"
)

// A client that disconnects while it waits, and a server that ends, are no failures: nothing is
// logged for the user, and a program that waits reads why.
func TestWaitBrokenOff(t *testing.T) {
	var log waittest.Buffer
	g := start(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	ask := func(text string) *http.Request {
		return g.request(http.MethodPost, "/api/questions?wait=600",
			`{"questions":[{"question_id":"q1","type":"text","question":"`+text+`"}]}`)
	}
	waiting := func(n int) bool {
		open, err := g.desk.Pending(t.Context())
		for _, rec := range open {
			if rec.Attended {
				n--
			}
		}
		return err == nil && n == 0
	}
	ctx, disconnect := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := g.try(ask("Now?").WithContext(ctx))
		left <- err
	}()
	if !waittest.Until(patient, func() bool { return waiting(1) }) {
		t.Fatal("the question is not asked")
	}
	disconnect()
	if <-left == nil || !waittest.Until(patient, func() bool { return waiting(0) }) {
		t.Fatal("the asker has not left")
	}
	stays := make(chan response, 1)
	go func() {
		got, _ := g.try(ask("Then?"))
		stays <- got
	}()
	if !waittest.Until(patient, func() bool { return waiting(1) }) {
		t.Fatal("the other question is not asked")
	}
	g.stop()
	if got := <-stays; got.status != http.StatusServiceUnavailable || got.code() != api.Unreachable {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if log.String() != "" {
		t.Errorf("logged %s", log.String())
	}
}
