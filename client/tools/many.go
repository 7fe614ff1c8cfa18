package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/resolve"
)

// many reads the domains of a list concurrently.
type many struct {
	*loader
	domains []string
	parts   []*Box // by the index in the list; nil if the domain was not asked
	done    func(int, *Box)
	turns   chan struct{} // one place for each domain that is being read
	work    sync.WaitGroup
}

// parts returns the Boxes of the domains, in the order of the list. done is called with each
// Box when it is complete, from any goroutine.
func (l *loader) parts(ctx context.Context, domains []string, done func(place int, part *Box)) []*Box {
	how := &client.BatchOptions{InFlight: l.opts.InFlight, Pause: l.opts.Pause}
	if how.InFlight <= 0 {
		how.InFlight = client.DefaultInFlight
	}
	m := &many{loader: l, domains: slices.Clone(domains), parts: make([]*Box, len(domains)), done: done, turns: make(chan struct{}, how.InFlight)}
	paced, alone := m.sorted()
	for _, i := range alone {
		m.read(ctx, i, func() (*wayfind.Site, error) { return l.client.Resolve(ctx, m.domains[i]) })
	}
	var end error // the reason why domains were not asked, unless ctx ended
	if len(paced) > 0 {
		end = m.all(ctx, paced, how)
	}
	m.work.Wait()
	for i, part := range m.parts {
		if part == nil {
			m.parts[i] = &Box{skipped: []Skipped{failed(ctx, shown(m.domains[i]), cmp.Or(end, ctx.Err(), errNoDescription))}}
			done(i, m.parts[i])
		}
	}
	return m.parts
}

// sorted returns the domains that wait for each other, by target, and the domains that do not:
// a single domain, and texts that name no public site. A domain that occurs again has an empty
// part.
func (m *many) sorted() (paced map[string]int, alone []int) {
	paced = make(map[string]int, len(m.domains))
	first := make(map[string]bool)
	for i, domain := range m.domains {
		target, _, err := resolve.ParseTarget(domain)
		if target.Base == "" && target.Tail == "/" && !target.Server { // the domain, in another spelling
			target = target.Directory()
		}
		key := target.String()
		if err != nil {
			key = domain
		}
		switch {
		case first[key]:
			if p, ok := paced[key]; ok && strings.HasSuffix(domain, "/") { // it asks the path "/" as well
				m.domains[p] = domain
			}
			m.parts[i] = &Box{}
			m.done(i, m.parts[i])
		case err != nil || target.Shown() != target: // two secrets of one URL look alike
			alone = append(alone, i)
		default:
			paced[key] = i
		}
		first[key] = true
	}
	if len(paced) > 1 {
		return paced, alone
	}
	for _, i := range paced {
		alone = append(alone, i)
	}
	return nil, alone
}

// all asks domains in the same way as ResolveAll.
func (m *many) all(ctx context.Context, places map[string]int, how *client.BatchOptions) (end error) {
	order := make([]int, 0, len(places))
	for _, i := range places {
		order = append(order, i)
	}
	slices.Sort(order)
	list := func(yield func(string) bool) {
		for _, i := range order {
			if !yield(m.domains[i]) {
				return
			}
		}
	}
	for site, err := range m.client.ResolveAll(ctx, list, how) {
		if site == nil {
			end = err
			continue
		}
		if i, ok := placeOf(places, site); ok {
			m.read(ctx, i, func() (*wayfind.Site, error) { return site, err })
		}
	}
	return end
}

// shown returns a target without the secrets of its query.
func shown(domain string) string {
	target, _, err := resolve.ParseTarget(domain)
	if err != nil || target.Shown() == target {
		return domain
	}
	return target.Shown().String()
}

// placeOf takes the place of a Site from a list. The Site is that of the URL in the list, or of the
// directory that the URL was found to be.
func placeOf(places map[string]int, site *wayfind.Site) (place int, ok bool) {
	of := resolve.Of(site)
	for _, fits := range [...]func(resolve.Target) bool{
		func(t resolve.Target) bool { return len(site.Probes) > 0 && site.Probes[0].URL == t.URL() }, // the URL of a target comes first
		func(t resolve.Target) bool { return t.URL() == of.URL() },
		func(t resolve.Target) bool { return t.Directory() == of.Directory() },
	} {
		for key, i := range places {
			if t, _, err := resolve.ParseTarget(key); err == nil && fits(t) {
				delete(places, key)
				return i, true
			}
		}
	}
	return 0, false
}

// read reads the part of a domain when it is its turn.
func (m *many) read(ctx context.Context, i int, resolved func() (*wayfind.Site, error)) {
	m.turns <- struct{}{}
	m.work.Go(func() {
		defer func() { <-m.turns }()
		m.parts[i] = m.part(ctx, shown(m.domains[i]), resolved)
		m.done(i, m.parts[i])
	})
}
