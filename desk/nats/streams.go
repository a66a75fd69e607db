package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"mcp-askuser/desk"
)

// Streams returns the streams of a desk on so many nodes. All keep one message
// a subject, in files, and have every read answered by their leader.
func Streams(nodes int) []natsgo.StreamConfig {
	base := natsgo.StreamConfig{
		Storage: natsgo.FileStorage, Discard: natsgo.DiscardOld, Replicas: nodes,
		MaxMsgsPerSubject: 1, MaxMsgs: -1, MaxBytes: -1, AllowDirect: false,
		Duplicates: 2 * time.Minute, DenyPurge: true, DenyDelete: true,
	}
	open, past, said := base, base, base
	open.Name, open.Description = StreamDesk, "questions that are open, and their outcomes"
	open.Subjects, open.AllowMsgTTL = []string{"ask.>"}, true
	// A bell rings once the outcome is stored, never for one that was refused.
	open.RePublish = &natsgo.RePublish{Source: subjectEnd + "*.*.*", Destination: "rang.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}", HeadersOnly: true}
	past.Name, past.Description = StreamPast, "questions that have ended"
	past.Subjects, past.AllowMsgTTL = []string{"past.>"}, true
	// Nobody can publish to it: it has no subjects of its own. The first of a
	// subject counts, which stays when the outcome goes.
	said.MaxMsgsPerSubject = -1
	said.Name, said.Description = StreamSaid, "what humans said, as the server has seen it"
	said.Sources = []*natsgo.StreamSource{{Name: StreamDesk, SubjectTransforms: []natsgo.SubjectTransformConfig{
		{Source: subjectEnd + "*.human.*", Destination: "said.{{wildcard(1)}}.{{wildcard(2)}}"},
	}}}
	return []natsgo.StreamConfig{open, past, said}
}

// Make makes the streams of a desk on so many nodes, or brings those that are
// there up to date. It takes the operator's credential.
func (s *Store) Make(ctx context.Context, nodes int) error {
	for _, config := range Streams(nodes) {
		call := "STREAM.CREATE."
		var there info
		if err := s.api(ctx, patience, "STREAM.INFO."+config.Name, map[string]string{}, &there); err == nil {
			call = "STREAM.UPDATE."
		}
		var made info
		if err := s.api(ctx, certainty, call+config.Name, config, &made); err != nil {
			return fmt.Errorf("make the stream %s: %w", config.Name, err)
		}
	}
	return nil
}

// MakeAll makes the streams on as many nodes as there are: three copies where
// three answer. It waits for the nodes until ctx ends.
func (s *Store) MakeAll(ctx context.Context) (nodes int, err error) {
	want := 1
	if len(s.urls) >= 3 {
		want = 3
	}
	err = s.repeat(ctx, certainty, func(time.Duration) (bool, error) {
		nc, err := s.connected(ctx)
		if err != nil {
			return errors.Is(err, desk.ErrDenied), err
		}
		there, err := nodesOf(nc)
		if err == nil && len(there) < want {
			err = fmt.Errorf("%w: %d of %d nodes", desk.ErrUnreachable, len(there), want)
		}
		if err == nil {
			err = s.Make(ctx, want)
		}
		return err == nil || errors.Is(err, desk.ErrDenied), err
	})
	return want, err
}
