package shared

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/store"
)

// listedFor is for how long the list of humans counts that was read.
const listedFor = time.Second

// Config is the stream of a desk on so many nodes.
func Config(nodes int) nats.StreamConfig {
	return nats.StreamConfig{
		Name: stream, Description: "questions and their outcomes", Subjects: []string{root + ">"},
		Storage: nats.FileStorage, Discard: nats.DiscardOld, Replicas: nodes,
		MaxMsgsPerSubject: 1, MaxMsgs: -1, MaxBytes: -1, AllowMsgTTL: true,
		AllowDirect: false, DenyPurge: true, DenyDelete: true, // a follower may answer with an earlier state
		RePublish: &nats.RePublish{Source: root + ">", Destination: bellRoot + ">", HeadersOnly: true},
	}
}

// Humans are the names of the humans of a desk, by public key: those who answer, and those who have
// answered before, whose answers stay.
type Humans struct {
	Now    map[string]string `json:"humans"`
	Former map[string]string `json:"former,omitempty"`
}

// Create makes the stream of a desk on so many nodes, one or three, or brings it up to date, and
// writes the list of humans. On 0 nodes it is on as many as before, one at first. It takes the
// operator's credential.
func (s *Store) Create(ctx context.Context, nodes int, humans Humans) error {
	data, err := json.Marshal(humans)
	if err != nil {
		return err
	}
	return s.repeat(ctx, func(ctx context.Context) error {
		call := "STREAM.UPDATE."
		now, err := s.streamInfo(ctx, struct{}{})
		config := Config(cmp.Or(nodes, now.Config.Replicas, 1))
		if errors.Is(err, errNoStream) {
			call, err = "STREAM.CREATE.", nil
			config.FirstSeq = uint64(time.Now().UnixMilli()) // above those of a stream that this one replaces
		}
		if err == nil {
			err = s.api(ctx, call+stream, config, &struct{}{})
		}
		if err == nil {
			_, err = s.publish(ctx, write{subject: humansSubject, data: data})
		}
		if err != nil {
			return fmt.Errorf("create the desk: %w", err)
		}
		s.listing.Lock()
		defer s.listing.Unlock()
		s.listed = time.Time{}
		return nil
	})
}

// Humans returns the humans that the operator lists, as they were at most a second ago.
func (s *Store) Humans(ctx context.Context) (now, former map[string]string, err error) {
	s.listing.Lock()
	defer s.listing.Unlock()
	if time.Since(s.listed) < listedFor {
		return maps.Clone(s.humans.Now), maps.Clone(s.humans.Former), nil
	}
	humans := Humans{}
	err = s.repeat(ctx, func(ctx context.Context) error {
		m, err := s.last(ctx, humansSubject)
		if errors.Is(err, store.ErrNotFound) { // on each node, until the operator lists some
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(m.Data, &humans)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the list of humans: %w", err)
	}
	s.humans, s.listed = humans, time.Now()
	return maps.Clone(humans.Now), maps.Clone(humans.Former), nil
}

// Sign signs a sum with the key of the credential. The key is empty where the credential is no
// human's, or there is none.
func (s *Store) Sign(sum []byte) (key string, signature []byte, err error) {
	if s.pair == nil {
		return "", nil, nil
	}
	me, err := s.Identity(context.Background())
	if err != nil || !me.Human || me.Any {
		return "", nil, err
	}
	key, err = s.pair.PublicKey()
	if err == nil {
		signature, err = s.pair.Sign(sum)
	}
	return key, signature, err
}
