package pins

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fuel"
)

// offer is a capability with the service that has it.
type offer struct {
	service    *wayfind.Service
	capability *wayfind.Capability
}

// index finds the parts of a Site by everything that a pin may know of them, so
// that many pins of one large Site cost no more than the Site.
type index struct {
	work *fuel.Counter
	site *wayfind.Site
	// keys are capabilities by key or alias; the first with a key has it, as in
	// Site.Capability.
	keys map[string]offer
	// places are capabilities by ID and document; the first with an ID has it.
	places map[string]offer
	// services by ID.
	services map[string]*wayfind.Service
	// readings are each document's definitions by key.
	readings map[string]*wayfind.Capability
	halves   map[string]bool
	// sources are the URLs of the documents that the Site is made of.
	sources map[string]bool
}

func newIndex(w *fuel.Counter, site *wayfind.Site) *index {
	w.Add(len(site.Services) + len(site.Probes) + len(site.Sources))
	x := &index{work: w, site: site, keys: map[string]offer{}, places: map[string]offer{},
		services: map[string]*wayfind.Service{}, readings: map[string]*wayfind.Capability{}, halves: halvesOf(site), sources: map[string]bool{}}
	for i := range site.Sources {
		x.sources[site.Sources[i].URL] = true
	}
	for i := range site.Services {
		if s := &site.Services[i]; x.services[s.ID] == nil {
			x.services[s.ID] = s
		}
	}
	for service, capability := range site.Capabilities() {
		w.Text(len(capability.Key) + len(capability.ID))
		w.Add(len(capability.Aliases) + len(capability.Alternatives))
		o := offer{service, capability}
		for _, key := range keysOf(capability) {
			if _, taken := x.keys[key]; !taken {
				x.keys[key] = o
			}
		}
		if at := placeOf(capability); at != "" && x.places[at].capability == nil {
			x.places[at] = o
		}
		for _, r := range readingsOf(capability) {
			if len(r.Sources) > 0 {
				x.readings[r.Sources[0].Source+" "+r.Key] = r
			}
		}
	}
	return x
}

// placeOf names a capability by its ID and the document that it is chiefly made
// of; "" when it has no such name.
func placeOf(c *wayfind.Capability) string {
	if c.ID == "" || len(c.Sources) == 0 {
		return ""
	}
	return c.ID + "\n" + c.Sources[0].Source
}

// keysOf are all names of a capability.
func keysOf(c *wayfind.Capability) []string { return append([]string{c.Key}, c.Aliases...) }

// readingsOf are a capability and those that lost against it.
func readingsOf(c *wayfind.Capability) []*wayfind.Capability {
	list := []*wayfind.Capability{c}
	for i := range c.Alternatives {
		list = append(list, &c.Alternatives[i])
	}
	return list
}

// readingOf is the reading that has a key of its own, else the merged one.
func readingOf(c *wayfind.Capability, key string) *wayfind.Capability {
	for _, r := range readingsOf(c) {
		if r.Key == key {
			return r
		}
	}
	return c
}

// part is the pinned part of the Site: all that has one of the pinned keys, or
// else stands at the pinned place of a document.
func (x *index) part(pinned *wayfind.Capability, service *wayfind.Service) *wayfind.Site {
	own := shell(x.site)
	for _, key := range keysOf(pinned) {
		x.work.Add(1)
		if o, found := x.keys[key]; found {
			x.work.Add(len(own.Services))
			own.take(o)
		}
	}
	if o, found := x.places[placeOf(pinned)]; found && len(own.Services) == 0 {
		own.take(o)
	}
	if now := x.services[service.ID]; now != nil && own.Service(service.ID) == nil {
		moved := *now
		moved.Capabilities = nil
		own.Services = append(own.Services, moved)
	}
	return &own.Site
}

// taken is a Site that is put together of some parts of another one.
type taken struct{ wayfind.Site }

// shell is a Site without services.
func shell(site *wayfind.Site) *taken {
	return &taken{wayfind.Site{Origin: site.Origin, Base: site.Base, Sources: site.Sources, Probes: site.Probes, ResolvedAt: site.ResolvedAt}}
}

// take adds a capability with its service, once.
func (t *taken) take(o offer) {
	at := slices.IndexFunc(t.Services, func(s wayfind.Service) bool { return s.ID == o.service.ID })
	if at < 0 {
		only := *o.service
		only.Capabilities = nil
		at = len(t.Services)
		t.Services = append(t.Services, only)
	}
	s := &t.Services[at]
	if !slices.ContainsFunc(s.Capabilities, func(c wayfind.Capability) bool { return c.Key == o.capability.Key }) {
		s.Capabilities = append(s.Capabilities, *o.capability)
	}
}

// alsoAt are further places with the bytes of a document.
func alsoAt(site *wayfind.Site, source string) []string {
	for i := range site.Sources {
		if site.Sources[i].URL == source {
			return site.Sources[i].AlsoAt
		}
	}
	return nil
}

// halvesOf are the URLs without a plain answer: a Site has only the statements
// of a refusal from there.
func halvesOf(site *wayfind.Site) map[string]bool {
	halves := map[string]bool{}
	for _, p := range site.Probes {
		if !p.Verdict.Answered() || p.Verdict.Unreadable() {
			halves[p.URL] = true
		}
	}
	return halves
}
