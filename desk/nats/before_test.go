//go:build unix

package nats_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
)

// TestBeforeFiles: on nodes that were set up before files, without their stream or the rights
// to it, a file is refused with what the operator must run; the answer arrives, is archived
// without a warning, and can be pruned.
func TestBeforeFiles(t *testing.T) {
	for _, rights := range []bool{true, false} {
		c := natstest.Start(t, 1)
		var err error
		if rights {
			js, wrong := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 9)).JetStream()
			if err = wrong; err == nil {
				err = js.DeleteStream("ASK_FILES")
			}
			if err != nil {
				t.Fatal(err)
			}
		} else {
			path := filepath.Join(c.Dir, c.Nodes[0].Name, "nats.conf")
			conf, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, regexp.MustCompile(`"_R_\.file[^"]*", `).ReplaceAll(conf, nil), 0o600); err != nil {
				t.Fatal(err)
			}
			c.Kill(0)
			c.Restart(0)
		}
		store, log := c.Open(natstest.Account, nodes.Human, "alice"), &bytes.Buffer{}
		d := desk.New(store, desk.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
		var rec desk.Record
		natstest.Await(t, func() error {
			var attendance *desk.Attendance
			rec, attendance, err = desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{}).Submit(t.Context(), request("Which?"))
			if err == nil {
				attendance.Release()
			}
			return err
		})
		_, err = d.AttachFile(t.Context(), rec.ID, "log.txt", strings.NewReader("a log\n"))
		if command := map[bool]string{true: "mcp-askuser desk create", false: "mcp-askuser desk init"}[rights]; err == nil || !strings.Contains(err.Error(), command) {
			t.Errorf("rights %v: %v", rights, err)
		}
		if _, err := d.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			t.Errorf("rights %v: the answer: %v", rights, err)
		}
		rec, err = desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{}).Wait(t.Context(), rec.ID)
		if err != nil || rec.State != desk.Answered {
			t.Errorf("rights %v: the asker gets %s, %v", rights, rec.State, err)
		}
		if err := d.Archive(t.Context(), rec.ID); err != nil || strings.Contains(log.String(), "WARN") {
			t.Errorf("rights %v: archived: %v\n%s", rights, err, log)
		}
		later := desk.New(store, desk.Options{Now: func() time.Time { return time.Now().Add(48 * time.Hour) }})
		natstest.Await(t, func() error { // a listing may be of a moment ago
			months, err := later.Prune(t.Context(), time.Now().Add(24*time.Hour), false)
			if err == nil && (len(months) != 1 || months[0].Questions != 1) {
				err = fmt.Errorf("pruned %v\n%s", months, log)
			}
			return err
		})
	}
}
