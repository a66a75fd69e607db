package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// broken is an input that fails.
type broken struct{ fault error }

func (b broken) Read([]byte) (int, error) { return 0, b.fault }

// The end of a terminal, however it shows, ends the screen, which says so; an
// interrupted read does not.
func TestGone(t *testing.T) {
	for _, tt := range []struct {
		fault error
		gone  bool
	}{
		{io.EOF, true},
		{errors.New("input/output error"), true},
		{fmt.Errorf("read /dev/tty: %w", os.ErrDeadlineExceeded), false},
	} {
		t.Run(tt.fault.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				screen := NewScreen(ScreenOptions{
					Model: &count{}, In: broken{tt.fault}, Out: io.Discard, Getenv: func(string) string { return "" },
					Leave: func(error) tea.Msg { return leave{} }, Quit: time.Minute, Kill: time.Minute,
				})
				ended := make(chan error, 1)
				go func() { ended <- screen.Run(t.Context()) }()
				time.Sleep(time.Hour)
				synctest.Wait()
				select {
				case err := <-ended:
					if !tt.gone || !errors.Is(err, tt.fault) || !errors.Is(screen.Gone(), tt.fault) || !strings.HasPrefix(err.Error(), "the terminal is gone: ") {
						t.Errorf("ended with %v", err)
					}
				default:
					if screen.Send(leave{}); tt.gone || screen.Gone() != nil {
						t.Errorf("still there, gone is %v", screen.Gone())
					}
					if err := <-ended; err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}
