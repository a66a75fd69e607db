//go:build unix

package pane

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// quiet is how long no key may have come before the focus is taken.
const quiet = 2 * time.Second

var errNobody = ui.Unavailablef("no client is attached to the multiplexer")

// view asks what the human sees.
func (k *kind) view(at place) (view, error) {
	switch {
	case k.open == nil:
		return view{}, k.unasked()
	case k.look == nil:
		return view{}, nil
	}
	output, err := at.run(k.look(at))
	if err != nil {
		return view{}, ui.Unavailablef("%s: %v", k.name, err)
	}
	v, err := k.seen(at, output)
	if err == nil && len(v.clients) == 0 {
		err = errNobody
	}
	v.focus = !v.calm.IsZero() && !time.Now().Before(v.calm)
	return v, err
}

// unasked says why no pane is opened that would have the focus.
func (k *kind) unasked() error {
	return ui.Unavailablef("a %s pane would take the keyboard, and nothing tells whether it is quiet", k.name)
}

// until is view when enough says so. It looks again when the keyboard may have
// been quiet for long enough, or the human looks at something else.
func (k *kind) until(ctx context.Context, at place, enough func(view, error) bool) (view, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	news, listen := make(chan error, 1), func() {}
	if k.hooks != nil {
		begin, wait, end := k.hooks(strconv.Itoa(int(rand.Int32())))
		_, _ = at.run(begin)
		defer func() { _, _ = at.run(end) }()
		listen = func() { _, err := outputOf(at.command(ctx, wait)); news <- err }
	}
	go listen()
	for {
		v, err := k.view(at)
		if enough(v, err) {
			return v, err
		}
		var again <-chan time.Time
		switch {
		case !v.calm.IsZero():
			again = time.After(time.Until(v.calm))
		case err != nil && !errors.Is(err, errNobody): // of a busy machine
			again = time.After(patience)
		}
		select {
		case <-again:
		case err := <-news:
			if err != nil {
				return view{}, err
			}
			go listen()
		case <-ctx.Done():
			return view{}, context.Cause(ctx)
		}
	}
}

func (s quietly) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	v, err := s.look()
	switch {
	case err != nil:
		return err
	case !v.focus:
		return ui.Unavailablef("the keyboard beside the agent is not quiet, or nothing tells")
	}
	return s.surface.Show(ctx, rec, commit)
}

// approach says how to get to the pane and gives it the focus at the first
// quiet moment, until ctx ends.
func (p *pane) approach(ctx context.Context) {
	if p.kind.focus == nil || p.view.focus {
		return
	}
	p.tell(p.id, p.kind.way(p.view))
	v, _ := p.kind.until(ctx, p.place, func(v view, _ error) bool { return v.focus })
	if v.focus {
		_, _ = p.place.run(p.kind.focus(p.view, p.id))
	}
}

// later shows the record when somebody comes, if it is open still.
func (s *surface) later(ctx context.Context, k *kind, at place, rec desk.Record) {
	_, _ = k.until(ctx, at, func(_ view, err error) bool { return err == nil })
	_ = s.Show(ctx, rec, nil) // whoever asked has long heard that nobody looks
}

// tell tells everybody who could see the pane something.
func (p *pane) tell(pane, text string) {
	if p.kind.tell == nil {
		return
	}
	v, _ := p.kind.view(p.place)
	for _, client := range v.clients {
		_, _ = p.place.run(p.kind.tell(client, pane, text))
	}
}
