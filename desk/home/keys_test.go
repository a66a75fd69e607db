//go:build unix

package home_test

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
)

// keyless is the shared desk, on which no keys can be read while it is on.
type keyless struct {
	home.Far
	on     atomic.Bool
	missed chan struct{} // has a value after a read that failed
	looked chan struct{} // has a value once a process that waits has looked
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (k *keyless) Keys(ctx context.Context, id string, change func(*proof.Keys) error) (map[string]proof.Keys, error) {
	if k.on.Load() {
		signal(k.missed)
		return nil, desk.ErrUnreachable
	}
	return k.Far.Keys(ctx, id, change)
}

func (k *keyless) Bell(ctx context.Context, id string, look func() bool) error {
	return k.Far.Bell(ctx, id, func() bool { defer signal(k.looked); return look() })
}

// While the keys of a shared desk cannot be read nothing signed with them is taken, and
// nothing is lost: neither the answer that is being given nor one that was given. Keys beside
// the store do not count there, and count for a question of this machine alone.
func TestKeysOutOfReach(t *testing.T) {
	c := natstest.Start(t, 1)
	key := prooftest.New("laptop")
	passkeys := []proof.Passkey{key.Passkey}
	beside := func(func(*proof.Keys) error) (proof.Keys, error) { return proof.Keys{Passkeys: passkeys}, nil }
	keylessStore := func(kind, name string) (*keyless, *home.Store) {
		near, err := spool.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		far := &keyless{Far: c.Open(natstest.Account, kind, name), missed: make(chan struct{}, 1), looked: make(chan struct{}, 1)}
		return far, join(t, near, far)
	}
	alicesDesk, store := keylessStore(nodes.Human, "alice")
	alice := desk.New(store, desk.Options{Prove: desk.ProveConfirm, Keys: beside})
	botsDesk, bot := keylessStore(nodes.Agent, "bot")
	asking := desk.New(bot, desk.Options{Prove: desk.ProveConfirm, Keys: beside})
	rec := confirms(t, asking, "Which?")
	reply := func() error {
		_, err := alice.Reply(t.Context(), rec.ID, key.Sign(&rec, says(question.YesID), time.Now()), desk.Evidence{Surface: "web", How: desk.HowPage})
		return err
	}
	if err := reply(); !errors.Is(err, proof.ErrUntrusted) {
		t.Errorf("with a key beside the store: %v", err)
	}
	if _, err := alice.Keys(t.Context(), rec.ID, func(keys *proof.Keys) error { keys.Passkeys = passkeys; return nil }); err != nil {
		t.Fatal(err)
	}
	alicesDesk.on.Store(true)
	if err := reply(); !errors.Is(err, desk.ErrUnreachable) {
		t.Errorf("given while the keys cannot be read: %v", err)
	}
	alicesDesk.on.Store(false)
	botsDesk.on.Store(true)
	type result struct {
		rec desk.Record
		err error
	}
	ended := make(chan result, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		got, err := asking.Wait(ctx, rec.ID)
		ended <- result{got, err}
	}()
	<-botsDesk.looked
	natstest.Await(t, func() error {
		if now, err := alice.Get(t.Context(), rec.ID); err != nil || now.State != desk.Pending {
			t.Fatalf("it is %s, %v", now.State, err)
		}
		return reply() // the desk is found to answer again a moment later
	})
	select {
	case <-botsDesk.missed:
	case got := <-ended:
		t.Fatalf("the asker gets %s, %v", got.rec.State, cmp.Or(got.err, errors.New("without the keys")))
	}
	if _, err := desk.New(bot, desk.Options{}).Get(t.Context(), rec.ID); !errors.Is(err, desk.ErrUnreachable) {
		t.Errorf("read while the keys cannot be read: %v", err)
	}
	botsDesk.on.Store(false)
	near, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	alice = desk.New(join(t, near, &absent{}), desk.Options{Prove: desk.ProveConfirm, Keys: beside})
	asked := rec
	rec = confirms(t, alice, "Which, here?")
	if err := reply(); err != nil {
		t.Errorf("with a key beside the store, on this machine alone: %v", err)
	}
	rec = asked
	if got := <-ended; got.err != nil || got.rec.State != desk.Answered || got.rec.Outcome.Proof.Name != "alice/laptop" {
		t.Errorf("the asker gets %s, %v: %+v", got.rec.State, got.err, got.rec.Outcome)
	}
}
