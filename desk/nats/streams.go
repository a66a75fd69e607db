package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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
		Metadata: map[string]string{formatKey: format},
	}
	open, past, human, files := base, base, base, base
	open.Name, open.Description = StreamDesk, "questions that are open, and their outcomes"
	open.Subjects, open.AllowMsgTTL = []string{root + areaAsk + ".>"}, true
	// A bell rings once the outcome is stored, never for one that was refused.
	open.RePublish = &natsgo.RePublish{Source: root + "ask.end.*.*.*.*", Destination: "rang.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}.{{wildcard(4)}}", HeadersOnly: true}
	past.Name, past.Description = StreamPast, "questions that have ended"
	past.Subjects, past.AllowMsgTTL = []string{root + areaPast + ".>"}, true
	// No credential can publish to it: it has no subjects of its own. The first message
	// of a subject counts, and stays when the outcome is deleted.
	human.MaxMsgsPerSubject = -1
	human.Name, human.Description = StreamHuman, "what humans said, as the server has seen it"
	human.Sources = []*natsgo.StreamSource{{Name: StreamDesk, SubjectTransforms: []natsgo.SubjectTransformConfig{
		{Source: root + "ask.end.*.*.human.*", Destination: "said.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}"},
	}}}
	files.Name, files.Description = StreamFiles, "files of answers"
	files.Subjects, files.AllowMsgTTL = []string{root + areaFile + ".>"}, true
	return []natsgo.StreamConfig{open, past, human, files}
}

// The format of the streams' content, which their metadata name. The first format had
// no authors in its subjects: its documents have no known owner, and are not migrated.
const formatKey, format = "mcp-askuser-format", "2"

// Trust adds humans, who sign what they answer from now on, to the operator's rules, and sets
// the policy unless it is empty. A human is never removed: what they have signed still counts,
// and the nodes refuse a credential that they do not know.
func (s *Store) Trust(ctx context.Context, humans map[string]string, prove desk.Policy) error {
	r, err := s.Rules(ctx, "")
	if err != nil {
		return err
	}
	if len(r.Humans) == 0 {
		r.Since = desk.FirstID(time.Now())
	}
	all := map[string]string{}
	maps.Copy(all, r.Humans)
	maps.Copy(all, humans)
	r.Humans = all
	r.Prove = cmp.Or(prove, r.Prove)
	return s.setRules(ctx, r)
}

// Make makes the streams of a desk on so many nodes, or brings those that are
// there up to date. It takes the operator's credential. The error wraps
// desk.ErrFormat where there are streams of an earlier format, unless they are to
// be replaced with empty ones.
func (s *Store) Make(ctx context.Context, nodes int, replace bool) error {
	for _, config := range Streams(nodes) {
		call := "STREAM.CREATE."
		_, err := s.streamInfo(ctx, config.Name, map[string]string{})
		switch {
		case err == nil:
			call = "STREAM.UPDATE."
		case errors.Is(err, desk.ErrFormat) && replace:
			if err := s.api(ctx, writeTimeout, "STREAM.DELETE."+config.Name, map[string]string{}, &struct{}{}); err != nil {
				return fmt.Errorf("delete the stream %s: %w", config.Name, err)
			}
		case errors.Is(err, desk.ErrFormat):
			return fmt.Errorf("%w: its questions name no author, and cannot be taken over. Have what is open answered with the earlier version, "+
				"keep a copy if you want one (nats stream backup), and then run mcp-askuser desk create --replace", desk.ErrFormat)
		}
		if err := s.api(ctx, writeTimeout, call+config.Name, config, &struct{}{}); err != nil {
			return fmt.Errorf("make the stream %s: %w", config.Name, err)
		}
	}
	return nil
}

// MakeAll makes the streams on as many nodes as there are: three copies where
// three answer. It waits for the nodes for this long, and then returns what is wrong with
// them.
func (s *Store) MakeAll(ctx context.Context, wait time.Duration, replace bool) (nodes int, err error) {
	want := 1
	if len(s.urls) >= 3 {
		want = 3
	}
	err = s.repeat(ctx, wait, func(time.Duration) (bool, error) {
		nc, err := s.connected(ctx)
		if err != nil {
			return errors.Is(err, desk.ErrDenied), err
		}
		there, err := nodesOf(nc, false)
		if err == nil && len(there) < want {
			err = fmt.Errorf("%w: %d of %d nodes", desk.ErrUnreachable, len(there), want)
		}
		if err == nil {
			err = s.Make(ctx, want, replace)
		}
		return err == nil || errors.Is(err, desk.ErrDenied) || errors.Is(err, desk.ErrFormat), err
	})
	return want, err
}
