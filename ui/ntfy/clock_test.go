package ntfy

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A press is as old as the server says, whatever the clock of this machine: with that a day behind, each
// press that the server keeps would be too late anew in every process.
func TestAgeOfAPressByTheServersClock(t *testing.T) {
	now := time.Now().Add(24 * time.Hour)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"event":"open","time":%d}`+"\n", now.Unix())
		fmt.Fprintf(w, `{"event":"message","message":"press","time":%d}`+"\n", now.Add(-10*time.Minute).Unix())
	}))
	t.Cleanup(server.Close)
	var age time.Duration
	err := phone(t, openDesk(t), server.URL, nil).subscribe(t.Context(),
		func(_ context.Context, _ string, pressed time.Time) { age = time.Since(pressed) })
	if err != nil || age.Round(time.Minute) != 10*time.Minute {
		t.Errorf("pressed %v ago, %v", age, err)
	}
}
