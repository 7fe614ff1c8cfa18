package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Purger is a Store that can end entries whose keys its caller cannot name: those of other
// partitions, of an origin, or all.
//
// A store that several processes write may count generations of a resource (see [ResourceOf]). Its
// Load returns the present generation in Variants, even if it has no entries, and Save gets it
// back. Entries that are saved with an earlier generation, or with one that was forgotten, are not
// loaded again.
type Purger interface {
	Store
	// Purge ends all entries that a scope covers. No later Load returns an entry that was saved
	// before, nor one that is saved later with a Generation from before. A store that wraps another
	// one returns errors.ErrUnsupported if the other one is no Purger.
	Purge(ctx context.Context, s Scope) error
}

// errNoPurger is the error of a store that other processes read and that cannot
// end the entries of a scope.
var errNoPurger = fmt.Errorf("cache: the store is no Purger, so other processes may still use its entries: %w", errors.ErrUnsupported)

// Purge ends the stored answers that a scope covers, and those on their way to the store, in the
// view of the Engine. In a store of one machine, the answers of Engines with and without
// Options.OneUser end together. The scope Everything covers all views and all principals of the store. If the
// store returns an error, this Engine does not use them any more, but other processes may.
func (t *Engine) Purge(ctx context.Context, s Scope) error {
	if t.unmade() {
		return errUnmade
	}
	err := t.end(ctx, s.in(t.opts.View))
	if s.kind == scopeAll {
		return err
	}
	for _, view := range t.siblings {
		err = errors.Join(err, t.end(ctx, s.in(view)))
	}
	return err
}

// end is Purge for a scope within a view.
func (t *Engine) end(ctx context.Context, s Scope) error {
	return t.guards.purge(s, func() error {
		t.aside.forget(s)
		ended, err := purgeIn(ctx, t.store, s)
		if !ended {
			t.bars.add(s, t.now())
		}
		return err
	})
}

// purgeIn is Purge of a store. The scope of a URL is purged within the budget of the store. ended
// means that the store has nothing of the scope any more. If the store is no Purger, only the key
// of anonymous callers can be deleted. This is everything that the store has of a URL, unless it is
// local.
func purgeIn(ctx context.Context, store Store, s Scope) (ended bool, err error) {
	if p, ok := store.(Purger); ok {
		if _, one := s.Resource(); one {
			_, err = bounded(ctx, p, writes, func(ctx context.Context) (struct{}, error) { return struct{}{}, p.Purge(ctx, s) })
		} else {
			err = p.Purge(ctx, s) // it may have to read all entries
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

// now returns the present moment.
func (t *Engine) now() moment {
	wall, mono := t.clock.Read()
	return moment{wall, mono, t.order.Add(1)}
}

// invalidates returns the URLs whose answers a successful unsafe request ends (RFC 9111 §4.4): its
// own, and those in Location and Content-Location if they have the same origin.
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

// scopeOfRequest returns the Scope of a request's URL, with its Host if that is another one.
func scopeOfRequest(req *http.Request) Scope {
	s := OfURL(req.URL)
	s.name += hostInKey(req.Host, req.URL)
	return s
}

// generations are the generations that a call has seen: that of its store or near store, and that
// of the far store.
type generations struct{ own, far string }

// note records the generation of loaded variants. It returns nil for variants without entries,
// which contain nothing else.
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

// of returns variants with the generations that the call has seen, in which their newest entry was
// asked for.
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

// joinGenerations joins the generations of two layers into one, and cutGenerations separates them.
func joinGenerations(near, far string) string { return near + "\x00" + far }

func cutGenerations(s string) (near, far string) {
	near, far, _ = strings.Cut(s, "\x00")
	return near, far
}
