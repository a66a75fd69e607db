package shared

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/store"
)

// While a call is under way, or waits, the guard asks the leader through the node that the
// process is connected to. Where three times none answers that hears most nodes, the node is
// left: it was stopped, or cut off from the others. The client's own pings do not notice the
// latter. The guard wakes all that waits where the stream has changed: a bell is sent once, and
// can be lost with its node. It also does so twice a minute, as a process that waited may have died.
const (
	guardInterval = 2 * time.Second
	guardTimeout  = time.Second
	guardTries    = 3
	guardBell     = 15 // looks
)

// heardWithin is how long ago a leader has heard a node that it hears; it does every second.
// Nodes wait for four seconds before they choose another leader.
const heardWithin = 2 * time.Second

// errStale means that a leader may not be one any more.
var errStale = fmt.Errorf("%w: its leader does not hear the other nodes", store.ErrUnreachable)

func (s *Store) guard(nc *nats.Conn) {
	failed, last := 0, uint64(0)
	for pause, looks := guardInterval, 1; ; looks++ {
		select {
		case <-time.After(pause - rand.N(pause/5)): // not all clients at once
		case <-s.life.Done():
			return
		}
		pause = guardInterval
		if s.active.Load() == 0 || !nc.IsConnected() {
			failed, last = 0, 0
			continue
		}
		within, cancel := context.WithTimeout(s.life, guardTimeout)
		now, err := s.streamInfo(within, struct{}{})
		cancel()
		if err == nil || errors.Is(err, errNoStream) {
			if now.State.LastSeq != last || looks%guardBell == 0 {
				s.ring(nil)
			}
			failed, last = 0, now.State.LastSeq
			continue
		}
		failed++
		pause = guardInterval / 8
		if failed == guardTries && s.life.Err() == nil {
			s.log.Info("leaving a node that is of no use", "node", nc.ConnectedServerName(), "error", err)
			failed = 0
			_ = nc.ForceReconnect()
		}
	}
}

// hearsMost reports whether it was the leader that answered, and hears most nodes. A node that
// knows of no leader answers as well, and names none.
func hearsMost(cluster *nats.ClusterInfo) bool {
	if cluster == nil {
		return true
	}
	if cluster.Leader == "" {
		return false
	}
	heard := 1
	for _, r := range cluster.Replicas {
		if !r.Offline && r.Active < heardWithin {
			heard++
		}
	}
	return 2*heard > len(cluster.Replicas)+1
}
