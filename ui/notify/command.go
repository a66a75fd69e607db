package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"
)

// commandLimit is how long the user's command may run.
const commandLimit = 10 * time.Second

// maxOutput is how much of its output is logged, in bytes.
const maxOutput = 4096

// command is the command of the user's own.
type command struct {
	argv  []string
	limit time.Duration
	log   *slog.Logger
}

// send runs the command to its end or its limit. A question that is answered
// meanwhile does not stop it: half a message would be of no use.
func (c command) send(ctx context.Context, e *notice) error {
	event, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the event: %w", err)
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.limit)
	defer cancel()
	var output limitedOutput
	cmd := exec.CommandContext(limited, c.argv[0], c.argv[1:]...) //nolint:gosec // the user's own choice
	cmd.Stdin = bytes.NewReader(append(event, '\n'))
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second // for children of its own that hold the output open
	err = cmd.Run()
	if len(output.kept) > 0 {
		c.log.InfoContext(ctx, "output of notify_command", "id", e.ID, "output", string(output.kept))
	}
	if limited.Err() != nil {
		return fmt.Errorf("%s did not end within %s", c.argv[0], c.limit)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // the command has ended, and a child of it holds the output
		return fmt.Errorf("%s: %w; it printed %q", c.argv[0], err, output.kept)
	}
	return nil
}

// limitedOutput keeps the first maxOutput bytes that are written to it.
type limitedOutput struct{ kept []byte }

func (h *limitedOutput) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), maxOutput-len(h.kept))]...)
	return len(p), nil
}
