package pins

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// offer is a capability and the service that contains it.
type offer struct {
	service    *wayfind.Service
	capability *wayfind.Capability
}

// index finds the parts of a Site by everything that a pin may contain about them. So checking
// many pins of one large Site costs no more than reading the Site.
type index struct {
	work *fuel.Counter
	site *wayfind.Site
	// keys are the capabilities by key or alias. If several have the same key, the first one is
	// used, as in Site.Capability.
	keys map[string]offer
	// places are the capabilities by ID and document. If several have the same ID, the first
	// one is used.
	places map[string]offer
	// services are the services by ID.
	services map[string]*wayfind.Service
	// readings are the definitions of each document by key.
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

// placeOf identifies a capability by its ID and its main document. It returns "" if the
// capability has no ID or no document.
func placeOf(c *wayfind.Capability) string {
	if c.ID == "" || len(c.Sources) == 0 {
		return ""
	}
	return c.ID + "\n" + c.Sources[0].Source
}

// keysOf returns all names of a capability.
func keysOf(c *wayfind.Capability) []string { return append([]string{c.Key}, c.Aliases...) }

// readingsOf returns a capability and its alternatives.
func readingsOf(c *wayfind.Capability) []*wayfind.Capability {
	list := []*wayfind.Capability{c}
	for i := range c.Alternatives {
		list = append(list, &c.Alternatives[i])
	}
	return list
}

// readingOf returns the reading with its own key equal to key, or otherwise the merged one.
func readingOf(c *wayfind.Capability, key string) *wayfind.Capability {
	for _, r := range readingsOf(c) {
		if r.Key == key {
			return r
		}
	}
	return c
}

// part returns the pinned part of the Site: everything with one of the pinned keys or, if there
// is nothing, the capability at the pinned place of a document.
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

// taken is a Site that consists of some parts of another Site.
type taken struct{ wayfind.Site }

// shell returns a Site without services.
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

// alsoAt returns the other URLs at which a document with the same bytes was found.
func alsoAt(site *wayfind.Site, source string) []string {
	for i := range site.Sources {
		if s := &site.Sources[i]; s.URL == source {
			return append(slices.Clip(s.AlsoAt), s.FinalURL)
		}
	}
	return nil
}

// halvesOf returns the URLs without a readable answer: a Site has only the statements of a
// refusal from there.
func halvesOf(site *wayfind.Site) map[string]bool {
	halves := map[string]bool{}
	for _, p := range site.Probes {
		if !p.Verdict.Answered() || p.Verdict.Unreadable() {
			halves[p.URL] = true
		}
	}
	return halves
}
