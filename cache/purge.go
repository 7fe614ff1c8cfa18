package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Purger is a Store that ends entries under keys that its caller cannot name:
// those of other partitions, of an origin, all.
//
// A store that several processes write may count generations of a resource (see
// [ResourceOf]). Its Load returns the present one in Variants, without entries
// where it has none, and Save gets it back. Entries that are saved with an
// earlier generation than the present one, or with one that was forgotten, are
// not loaded again.
type Purger interface {
	Store
	// Purge ends all entries that a scope covers: no later Load returns one that
	// was saved before, nor one that is saved later with a Generation from before.
	// A store that can only ask another one returns errors.ErrUnsupported where
	// that is no Purger.
	Purge(ctx context.Context, s Scope) error
}

// errNoPurger is the error of a store that other processes read and that cannot
// end the entries of a scope.
var errNoPurger = fmt.Errorf("cache: the store is no Purger, so other processes may still use its entries: %w", errors.ErrUnsupported)

// Purge ends the stored answers that a scope covers, and those on their way to
// the store, in the view of the Engine. After an error of the store this Engine
// does not use them any more; other processes may.
func (t *Engine) Purge(ctx context.Context, s Scope) error {
	return t.end(ctx, s.in(t.opts.View))
}

// end is Purge of a scope within the view.
func (t *Engine) end(ctx context.Context, s Scope) error {
	return t.guards.purge(s, func() error {
		ended, err := purgeIn(ctx, t.store, s)
		if !ended {
			t.bars.add(s, t.now())
		}
		return err
	})
}

// purgeIn is Purge, of a URL within the budget of the store. ended: the store has nothing of
// the scope any more. Of one that is no Purger only the key of anonymous callers
// can be deleted: all that it has of a URL, unless it is local.
func purgeIn(ctx context.Context, store Store, s Scope) (ended bool, err error) {
	if p, ok := store.(Purger); ok {
		if _, one := s.Resource(); one {
			_, err = bounded(ctx, p, func(ctx context.Context) (struct{}, error) { return struct{}{}, p.Purge(ctx, s) })
		} else {
			err = p.Purge(ctx, s) // it may look at all entries
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return err == nil, err
		}
		err = errNoPurger
	}
	if resource, one := s.Resource(); one {
		err = deleteFrom(ctx, store, resource)
		return err == nil && !isLocal(store), err
	}
	if err == nil && !isLocal(store) {
		err = errNoPurger
	}
	return false, err
}

// now is the present moment.
func (t *Engine) now() moment {
	wall, mono := t.clock.Read()
	return moment{wall, mono, t.order.Add(1)}
}

// invalidates returns the URLs whose answers a successful unsafe request ends
// (RFC 9111 §4.4): its own, and of the same origin those that Location and
// Content-Location name.
func invalidates(req *http.Request, answer http.Header) []Scope {
	scopes := []Scope{scopeOfRequest(req)}
	for _, name := range [...]string{"Location", "Content-Location"} {
		to, err := url.Parse(answer.Get(name))
		if err != nil || answer[name] == nil {
			continue
		}
		if to = req.URL.ResolveReference(to); OfOrigin(to) == OfOrigin(req.URL) {
			scopes = append(scopes, OfURL(to))
		}
	}
	return scopes
}

// scopeOfRequest is the Scope of a request's URL, and of its Host where that is
// another one.
func scopeOfRequest(req *http.Request) Scope {
	s := OfURL(req.URL)
	s.name += hostInKey(req.Host, req.URL)
	return s
}

// generations are what a call has seen of those that its store counts, and of
// two layers each.
type generations struct{ own, far string }

// note remembers the generation that variants were loaded with. Variants without
// entries hold nothing else.
func (g *generations) note(v *Variants, far bool) *Variants {
	switch {
	case v == nil:
		return nil
	case v.Generation == "":
	case far:
		g.far = v.Generation
	default:
		g.own = v.Generation
	}
	if len(v.Entries) == 0 {
		return nil
	}
	return v
}

// of returns variants with the generation in which their newest entry was asked
// for.
func (g *generations) of(v *Variants) *Variants {
	if *g == (generations{}) {
		return v
	}
	out := *v
	if out.Generation = g.own; g.far != "" {
		out.Generation = joinGenerations(g.own, g.far)
	}
	return &out
}

// joinGenerations makes one of the generations of two layers, cutGenerations two
// of one.
func joinGenerations(near, far string) string { return near + "\x00" + far }

func cutGenerations(s string) (near, far string) {
	near, far, _ = strings.Cut(s, "\x00")
	return near, far
}
