package tools

import (
	"maps"
	"slices"
)

// shares orders the tools for a request that may have no room for all of them: the site comes next that
// has the smallest part of the room so far. So no site, however many tools it has, leaves the others
// without any, and the part that a site does not need goes to the others. Sites with equal parts come in
// the order in which the caller has named them, or, with a query, of their best tools.
type shares struct {
	sites []*share
}

// share is the tools of one site that are still to come.
type share struct {
	list []int
	used float64 // part of the room, from 0 to 1
}

// sharesOf returns the shares of tools in an order.
func (b *Box) sharesOf(list []int, ranked bool) *shares {
	own, of := &shares{}, make(map[string]*share)
	for _, i := range list {
		domain := b.tools[i].Domain
		if of[domain] == nil {
			of[domain] = &share{}
			own.sites = append(own.sites, of[domain])
		}
		of[domain].list = append(of[domain].list, i)
	}
	if !ranked {
		slices.SortStableFunc(own.sites, func(p, q *share) int {
			return b.turns[b.tools[p.list[0]].Domain] - b.turns[b.tools[q.list[0]].Domain]
		})
	}
	return own
}

// next returns the next tool and its site, until there is none.
func (s *shares) next() (tool int, site *share) {
	for _, own := range s.sites {
		if len(own.list) > 0 && (site == nil || own.used < site.used) {
			site = own
		}
	}
	if site == nil {
		return 0, nil
	}
	tool, site.list = site.list[0], site.list[1:]
	return tool, site
}

// turn gives a domain its place in the order of the caller.
func (b *Box) turn(domain string) {
	if _, known := b.turns[domain]; known {
		return
	}
	if b.turns == nil {
		b.turns = make(map[string]int)
	}
	b.turns[domain] = len(b.turns)
}

// domains returns the domains in the order of the caller, if there are several.
func (b *Box) domains() []string {
	if len(b.turns) < 2 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(b.turns), func(p, q string) int { return b.turns[p] - b.turns[q] })
}
