package nats

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

// A process that waits sends nothing: it would notice a node that stalls, or is cut off
// from the others, only by the client's own ping, after half a minute. While a bell or
// a watch waits, and there is another node, a guard probes the node. It leaves it at
// most guardInterval and two probes after the fault, 5.5 seconds: less than the nodes
// need to choose a leader.
const (
	guardInterval = 2500 * time.Millisecond // between two probes
	guardProbe    = 1500 * time.Millisecond // for one to be answered
	guardFresh    = 2 * time.Second         // since a leader has heard a node; it does every second
)

// guarded probes the node until release is called, once.
func (c *conn) guarded() (release func()) {
	if len(c.urls) < 2 {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 {
		var ctx context.Context
		ctx, c.stopProbe = context.WithCancel(context.Background())
		go c.probe(ctx)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 {
			c.stopProbe()
		}
	}
}

// probe leaves a node through which neither a leader is heard that hears most nodes,
// nor, after that, most nodes: without a leader they may be choosing one. The leader is
// asked first, as that costs the nodes two thirds of asking all of them.
func (c *conn) probe(ctx context.Context) {
	for {
		select {
		case <-time.After(guardInterval - rand.N(guardInterval/5)): // not all clients at once
		case <-ctx.Done():
			return
		}
		nc := c.nc.Load()
		if nc == nil || !nc.IsConnected() || c.hearsLeader(ctx) || c.hearsMost(nc, guardProbe) {
			continue
		}
		c.reconnectElsewhere(nc)
	}
}

// leaveIfUseless leaves a node that has given no definite answer since a time: one that
// was stopped and keeps its connections, or one that was cut off from the others, which
// claims for ten more seconds that it leads. Where most nodes can be heard through it they
// are choosing a leader; where that takes too long another node may know more.
func (c *conn) leaveIfUseless(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if since.Before(c.connectedAt) {
		since = c.connectedAt
	}
	nc, now := c.nc.Load(), time.Now()
	if nc == nil || now.Sub(since) < requestTimeout/2 || now.Sub(c.probedAt) < requestTimeout {
		return
	}
	c.probedAt = now
	go func() {
		if !c.hearsMost(nc, requestTimeout/2) || now.Sub(since) > readTimeout {
			c.reconnectElsewhere(nc)
		}
	}()
}

// leaderIsFresh reports whether no other node can lead by now than the one that has
// answered through our node since a time. What a leader was heard to hear counts for a
// second: with the two of guardFresh that is less than the four that nodes wait before
// they choose another.
func (c *conn) leaderIsFresh(ctx context.Context, since time.Time) bool {
	if len(c.urls) < 2 {
		return true
	}
	now := time.Now()
	fresh := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.connectedAt.Before(since) && c.leaderFreshAt.After(c.connectedAt) && now.Sub(c.leaderFreshAt) < time.Second
	}
	if fresh() {
		return true
	}
	if !c.hearsLeader(ctx) {
		return false
	}
	c.mu.Lock()
	c.leaderFreshAt = now
	c.mu.Unlock()
	return fresh() // unless the node was left meanwhile
}

// hearsLeader reports whether the leader of the desk answers, and has heard from most
// nodes lately: one that was cut off claims for ten seconds that it leads.
func (c *conn) hearsLeader(ctx context.Context) bool {
	m, err := c.request(ctx, guardProbe, &natsgo.Msg{Subject: "$JS.API.STREAM.INFO." + StreamDesk})
	var now natsgo.StreamInfo
	if err != nil || json.Unmarshal(m.Data, &now) != nil {
		return false
	}
	if now.Cluster == nil { // a single node, or an error
		return len(now.Config.Subjects) > 0
	}
	heard := 1
	for _, r := range now.Cluster.Replicas {
		if !r.Offline && r.Active < guardFresh {
			heard++
		}
	}
	return 2*heard > len(now.Cluster.Replicas)+1
}

// hearsMost reports whether most nodes can be heard through the one that we are
// connected to.
func (c *conn) hearsMost(nc *natsgo.Conn, wait time.Duration) bool {
	answers, err := ask(nc, pingNodes, nc.NewInbox(), everyNode)
	if err != nil {
		return false
	}
	defer func() { _ = answers.Unsubscribe() }()
	within, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for heard := 0; err == nil && 2*heard <= len(c.urls); heard++ {
		_, err = answers.NextMsgWithContext(within)
	}
	return err == nil
}

// reconnectElsewhere connects to another node.
func (c *conn) reconnectElsewhere(nc *natsgo.Conn) {
	if nc.IsConnected() {
		c.log.Info("leaving a node that is of no use", "node", nc.ConnectedServerName())
		_ = nc.ForceReconnect()
	}
}
