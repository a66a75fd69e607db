package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"mcp-askuser/desk"
)

// Status is what there is of a desk, as one credential sees it.
type Status struct {
	Identity
	Nodes   []NodeStatus
	Streams []StreamStatus
	Wrong   []StatusError // what is wrong, each with what to do
}

// StatusError is one thing that is wrong with a desk. JSON has it in English.
type StatusError struct {
	text string // to be filled with args
	args []any
}

func (f StatusError) Error() string { return f.In(fmt.Sprintf) }

// In returns the text in the language of say.
func (f StatusError) In(say func(text string, args ...any) string) string {
	return say(f.text, f.args...)
}

// MarshalText returns the text in English.
func (f StatusError) MarshalText() ([]byte, error) { return []byte(f.Error()), nil }

// Wrongf adds a fault.
func (st *Status) Wrongf(text string, args ...any) {
	st.Wrong = append(st.Wrong, StatusError{text, args})
}

// NodeStatus is one node.
type NodeStatus struct {
	Name    string
	Version string
	Clock   time.Duration // how far it is ahead of ours, estimated
	Clients []string      // as they call themselves, those of this account
	Synced  *bool         // writes at once; nil where the credential may not know
}

// StreamStatus is one stream.
type StreamStatus struct {
	Name     string
	Messages uint64
	Bytes    uint64
	Replicas int
	Leader   string
	Behind   []string // replicas that are offline, or not up to date
}

// skew is how far clocks may differ before people read wrong ages.
const skew = 2 * time.Second

// Status asks the nodes. The system credential, a file as in [Options], tells
// whether they write at once; it may be empty.
func (s *Store) Status(ctx context.Context, system string) (Status, error) {
	nc, err := s.connected(ctx)
	if err != nil {
		return Status{}, err
	}
	st := Status{Identity: s.identity()}
	if st.Nodes, err = nodesOf(nc, st.Human); err != nil {
		return st, s.explain(err)
	}
	if n := len(s.urls); n > len(st.Nodes) {
		st.Wrongf("%d of %d nodes answer: start the others", len(st.Nodes), n)
	}
	for _, n := range st.Nodes {
		if n.Clock > skew || n.Clock < -skew {
			st.Wrongf("the clock of %s differs from this machine's by %s: ages are shown wrong; set one of them", n.Name, n.Clock.Round(time.Second))
		}
		var major, minor int
		if _, err := fmt.Sscanf(n.Version, "%d.%d", &major, &minor); err == nil && (major < 2 || major == 2 && minor < 15) {
			st.Wrongf("%s is nats-server %s: the desk needs 2.15 or newer", n.Name, n.Version)
		}
	}
	for _, want := range Streams(0) {
		s.streamStatus(ctx, want, &st)
	}
	if r, err := s.Rules(ctx, ""); err != nil {
		st.Wrongf("what the operator has written cannot be read: %v", err)
	} else if len(r.Humans) == 0 {
		st.Wrongf("the operator has listed no human, and answers are not signed: mcp-askuser desk create, beside humans.json")
	} else if st.Human && !st.Any && !r.Signs {
		st.Wrongf("the operator has not listed your key, and your answers do not count: mcp-askuser desk create")
	}
	if system != "" {
		if err := s.addSynced(system, &st); err != nil {
			st.Wrongf("whether the nodes write at once cannot be told: %v", err)
		}
		for _, n := range st.Nodes {
			if n.Synced != nil && !*n.Synced {
				st.Wrongf("%s acknowledges what is not on its disk yet: set sync_interval: always in its configuration", n.Name)
			}
		}
	}
	return st, nil
}

// streamStatus tells one stream.
func (s *Store) streamStatus(ctx context.Context, want natsgo.StreamConfig, st *Status) {
	there, err := s.streamInfo(ctx, want.Name, map[string]string{})
	switch {
	case errors.Is(err, desk.ErrDenied):
		st.Wrongf("this credential may not look at the stream %s: write it anew with mcp-askuser desk init", want.Name)
		return
	case err != nil:
		st.Wrongf("the stream %s: %v", want.Name, err)
		return
	}
	row := StreamStatus{Name: want.Name, Messages: there.State.Msgs, Bytes: there.State.Bytes, Replicas: there.Config.Replicas}
	if there.Cluster != nil {
		row.Leader = there.Cluster.Leader
		for _, r := range there.Cluster.Replicas {
			if r.Offline || !r.Current {
				row.Behind = append(row.Behind, r.Name)
			}
		}
	}
	st.Streams = append(st.Streams, row)
	if len(row.Behind) > 0 {
		st.Wrongf("%s has not all that the others have in %s: start it, or wait", strings.Join(row.Behind, ", "), want.Name)
	}
	if there.Config.AllowDirect || there.Config.MaxMsgsPerSubject != want.MaxMsgsPerSubject || !slices.Equal(there.Config.Subjects, want.Subjects) || want.RePublish != nil && there.Config.RePublish == nil {
		st.Wrongf("the stream %s is not set up as it must be: mcp-askuser desk create, as the operator", want.Name)
	}
	if n := len(st.Nodes); n >= 3 && row.Replicas < 3 {
		st.Wrongf("the stream %s is kept by %d of %d nodes: mcp-askuser desk create, as the operator", want.Name, row.Replicas, n)
	}
}

// nodeReply is what a node reports.
type nodeReply[T any] struct {
	Server struct {
		Name string    `json:"name"`
		Ver  string    `json:"ver"`
		Time time.Time `json:"time"`
	} `json:"server"`
	Data T         `json:"data"`
	at   time.Time // half way between the question and the answer
}

// The subjects on which every node reports its load, or the clients of this account.
// Only humans may ask for the latter: it shows what others subscribe to.
const (
	pingNodes   = "$SYS.REQ.ACCOUNT.PING.STATZ"
	listClients = "$SYS.REQ.ACCOUNT.PING.CONNZ"
	everyNode   = `{"include_unused":true}` // also one that has no client of the account
)

// askNodes asks all nodes, and returns the reports of those that answer soon after
// the first.
func askNodes[T any](nc *natsgo.Conn, subject, request string) ([]nodeReply[T], error) {
	begun := time.Now()
	answers, err := ask(nc, subject, nc.NewInbox(), request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	var all []nodeReply[T]
	for wait := requestTimeout; ; wait = requestTimeout / 4 {
		m, err := answers.NextMsg(wait)
		if err != nil {
			break
		}
		r := nodeReply[T]{at: begun.Add(time.Since(begun) / 2)}
		if json.Unmarshal(m.Data, &r) == nil && r.Server.Name != "" {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b nodeReply[T]) int { return strings.Compare(a.Server.Name, b.Server.Name) })
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no node says anything of itself", desk.ErrUnreachable)
	}
	return all, nil
}

// nodesOf returns the nodes that answer, with their clients or without.
func nodesOf(nc *natsgo.Conn, clients bool) ([]NodeStatus, error) {
	subject, request := pingNodes, everyNode
	if clients {
		subject, request = listClients, "{}"
	}
	all, err := askNodes[struct {
		Connections []struct {
			Name string `json:"name"`
		} `json:"connections"`
	}](nc, subject, request)
	var nodes []NodeStatus
	for _, r := range all {
		n := NodeStatus{Name: r.Server.Name, Version: r.Server.Ver, Clock: r.Server.Time.Sub(r.at)}
		for _, c := range r.Data.Connections {
			n.Clients = append(n.Clients, c.Name)
		}
		slices.Sort(n.Clients)
		nodes = append(nodes, n)
	}
	return nodes, err
}

// addSynced finds out which nodes write at once.
func (s *Store) addSynced(system string, st *Status) error {
	credential, _, err := readCreds(system)
	if err != nil {
		return err
	}
	options := append(slices.Clone(s.options), credential, natsgo.Timeout(requestTimeout), natsgo.Name("mcp-askuser desk status"))
	nc, err := natsgo.Connect(strings.Join(s.urls, ","), options...)
	if err != nil {
		return err
	}
	defer nc.Close()
	all, err := askNodes[struct {
		JetStream struct {
			Config struct {
				SyncAlways bool `json:"sync_always"`
			} `json:"config"`
		} `json:"jetstream"`
	}](nc, "$SYS.REQ.SERVER.PING.VARZ", "{}")
	if err != nil {
		return err
	}
	for i, n := range st.Nodes {
		for _, r := range all {
			if r.Server.Name == n.Name {
				st.Nodes[i].Synced = &r.Data.JetStream.Config.SyncAlways
			}
		}
	}
	return addHealth(nc, st)
}

// addHealth adds what nodes report to be broken, such as a snapshot that they cannot
// read.
func addHealth(nc *natsgo.Conn, st *Status) error {
	all, err := askNodes[struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}](nc, "$SYS.REQ.SERVER.PING.HEALTHZ", "{}")
	for _, r := range all {
		if r.Data.Status != "ok" {
			st.Wrongf("%s is not well: %s; where that stays, stop it, remove its data directory, and start it again: it takes everything from the others", r.Server.Name, r.Data.Error)
		}
	}
	return err
}
