package shared

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// Status is the state of a desk, as one credential sees it.
type Status struct {
	Identity
	Home     string   `json:"home"`
	Node     string   `json:"node"`    // that this process is connected to
	Created  bool     `json:"created"` // the stream exists
	AsNeeded bool     `json:"as_needed"`
	Stores   bool     `json:"stores"` // a document, just now
	Messages int      `json:"messages"`
	Bytes    uint64   `json:"bytes"`
	Replicas int      `json:"replicas"`
	Leader   string   `json:"leader,omitempty"`
	Behind   []string `json:"behind,omitempty"` // nodes that are offline, or lack something
	Humans   int      `json:"humans"`           // that the operator lists
}

// Status asks the leader. A desk that was not created is no error.
func (s *Store) Status(ctx context.Context) (st Status, err error) {
	st.Home = s.home
	st.Identity, err = s.Identity(ctx)
	if err != nil {
		return st, err
	}
	st.Node = s.nc.Load().ConnectedServerName()
	err = s.repeat(ctx, func(ctx context.Context) error {
		var info streamInfo // also of a node that hears no other
		err := s.api(ctx, "STREAM.INFO."+stream, struct{}{}, &info)
		if err == nil {
			st.setStream(&info.StreamInfo)
		}
		return err
	})
	if errors.Is(err, errNoStream) {
		return st, nil
	}
	if err != nil {
		return st, err
	}
	// A node whose disk is full answers all else.
	_, refused := s.publish(ctx, write{subject: rowsRoot + st.writer() + ".status.h", ttl: time.Second})
	st.Stores = refused == nil
	humans, _, err := s.Humans(ctx)
	st.Humans = len(humans)
	return st, err
}

func (st *Status) setStream(info *nats.StreamInfo) {
	is, want := info.Config, Config(info.Config.Replicas)
	st.Created, st.Messages, st.Bytes, st.Replicas = true, int(info.State.Msgs), info.State.Bytes, is.Replicas
	st.AsNeeded = slices.Equal(is.Subjects, want.Subjects) && is.MaxMsgsPerSubject == 1 && !is.AllowDirect &&
		is.AllowMsgTTL && is.DenyPurge && is.DenyDelete && is.RePublish != nil && *is.RePublish == *want.RePublish &&
		is.Storage == want.Storage && is.Retention == want.Retention &&
		is.MaxAge == 0 && is.MaxMsgs == want.MaxMsgs && is.MaxBytes == want.MaxBytes && // else answers are lost
		is.MaxMsgSize <= 0 // else long questions are refused
	if info.Cluster == nil {
		return
	}
	st.Leader, st.Behind = info.Cluster.Leader, nil
	for _, r := range info.Cluster.Replicas {
		if r.Offline || !r.Current {
			st.Behind = append(st.Behind, r.Name)
		}
	}
}
