//go:build unix

package pane

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"mcp-askuser/ui"
)

// calm is view for a new pane. Where panes cannot be opened without the focus,
// it returns only when they may take it.
func (k *kind) calm(ctx context.Context, at place) (view, error) {
	for {
		v, err := k.view(at)
		switch {
		case err != nil || v.focus || !k.grabs:
			return v, err
		case v.calm.IsZero():
			return v, ui.Unavailablef("a %s pane would take the keyboard, and nothing tells whether it is quiet", k.name)
		}
		select {
		case <-time.After(time.Until(v.calm)):
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}

// view asks what the human sees.
func (k *kind) view(at place) (view, error) {
	if k.look == nil {
		return view{}, nil
	}
	output, err := at.run(k.look(at))
	if err != nil {
		return view{}, ui.Unavailablef("%s: %v", k.name, err)
	}
	v, err := k.seen(at, output)
	v.focus = !v.calm.IsZero() && !time.Now().Before(v.calm)
	return v, err
}

// watch has news on the channel whenever the human may look at something else
// than before. There is never any where nothing tells. The caller calls end.
func (k *kind) watch(ctx context.Context, at place) (news <-chan struct{}, end func()) {
	if k.hooks == nil {
		return nil, func() {}
	}
	begin, wait, forget := k.hooks(strconv.Itoa(int(rand.Int32())))
	ctx, stop := context.WithCancel(ctx)
	told, ended := make(chan struct{}, 1), make(chan struct{})
	_, err := at.run(begin)
	go func() {
		defer close(ended)
		for err == nil {
			if _, err = outputOf(at.command(ctx, wait)); err == nil {
				select {
				case told <- struct{}{}:
				default:
				}
			}
		}
		_, _ = at.run(forget)
	}()
	return told, func() { stop(); <-ended }
}

// tell tells everybody who could see the pane something.
func (p *pane) tell(pane, text string, read bool) {
	if p.kind.tell == nil {
		return
	}
	v, _ := p.kind.view(p.place)
	for _, client := range v.clients {
		_, _ = p.place.run(p.kind.tell(client, pane, text, read))
	}
}

// approach says how to get to the pane and gives it the focus at the first
// quiet moment, until ctx ends.
func (p *pane) approach(ctx context.Context) {
	if p.kind.focus == nil || p.view.focus {
		return
	}
	news, end := p.kind.watch(ctx, p.place)
	defer end()
	p.tell(p.id, p.kind.way(p.view), false)
	for {
		v, err := p.kind.view(p.place)
		switch {
		case v.focus:
			_, _ = p.place.run(p.kind.focus(p.view, p.id))
			return
		case err != nil && !errors.As(err, new(detachedError)):
			return
		}
		var calm <-chan time.Time
		if !v.calm.IsZero() {
			calm = time.After(time.Until(v.calm))
		}
		select {
		case <-calm:
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}
