package diff

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// side is one of two Sites that are compared.
type side struct {
	work   *fuel.Counter
	site   *wayfind.Site
	offers []offer
	// located are the sources by the URLs that were requested and that answered. named are the
	// services by ID and alias. If several have the same name, the first one is used.
	located map[string]*wayfind.Source
	named   map[string]*wayfind.Service

	other *side
	// probes are the verdicts of the other Site by URL; nil if that Site has no probes.
	probes map[string]wayfind.Verdict
	// sources contains all URLs of the sources of the other Site.
	sources map[string]bool
	// halves are the URLs at which one of the Sites got a plain answer and the other did not: a
	// refusal may describe how to authenticate, but this is not everything that the document
	// would contain.
	halves map[string]bool
	// cut is true if a document of this Site got no plain answer in the other one. The
	// documents that it links to may then not have been requested either.
	cut bool
}

func newSide(w *fuel.Counter, site *wayfind.Site) *side {
	w.Add(1 + len(site.Sources) + len(site.Services) + len(site.Probes))
	s := &side{work: w, site: site, located: make(map[string]*wayfind.Source, 2*len(site.Sources)),
		named: make(map[string]*wayfind.Service, len(site.Services)), sources: map[string]bool{}, halves: map[string]bool{}}
	for i := range site.Sources {
		for _, u := range []string{site.Sources[i].URL, site.Sources[i].FinalURL} {
			first(s.located, u, &site.Sources[i])
		}
	}
	for i := range site.Services {
		first(s.named, site.Services[i].ID, &site.Services[i])
	}
	for i := range site.Services {
		w.Add(len(site.Services[i].Aliases))
		for _, alias := range site.Services[i].Aliases {
			first(s.named, alias, &site.Services[i])
		}
	}
	for service, c := range site.Capabilities() {
		w.Text(len(c.Key) + len(c.ID))
		w.Add(len(c.Aliases) + len(c.Alternatives))
		s.offers = append(s.offers, offer{service, c})
	}
	return s
}

// first assigns a name to the first value that has it.
func first[T any](named map[string]T, name string, v T) {
	if _, taken := named[name]; !taken {
		named[name] = v
	}
}

// face sets the other Site to compare with.
func (s *side) face(other *side) {
	s.other = other
	if len(other.site.Probes) == 0 || s.site.Origin != other.site.Origin {
		return
	}
	s.probes = make(map[string]wayfind.Verdict, len(other.site.Probes))
	for _, p := range other.site.Probes {
		s.probes[p.URL] = p.Verdict
	}
	for i := range other.site.Sources {
		s.work.Add(len(other.site.Sources[i].AlsoAt))
		for _, u := range urlsOf(&other.site.Sources[i]) {
			s.sources[u] = true
		}
	}
	for _, p := range s.site.Probes {
		if v, asked := s.probes[p.URL]; asked && isPlain(v) != isPlain(p.Verdict) {
			s.halves[p.URL] = true
		}
	}
	for i := range s.site.Sources {
		if v, asked := s.probes[s.site.Sources[i].URL]; asked && !isPlain(v) {
			s.cut = true
		}
	}
}

// isPlain reports whether a verdict determines the content of a place: something readable, or
// nothing. A document that exists and cannot be read does not determine it.
func isPlain(v wayfind.Verdict) bool { return v.Answered() && !v.Unreadable() }

// urlsOf returns the URLs at which the bytes of a source were found.
func urlsOf(s *wayfind.Source) []string { return append([]string{s.URL}, s.AlsoAt...) }

// anyMissing reports whether the other Site could not request one of the documents of this one.
func (s *side) anyMissing(refs []wayfind.Ref, service *wayfind.Service) bool {
	return slices.ContainsFunc(refs, func(r wayfind.Ref) bool { return s.missing(r.Source, service) })
}

// missing reports whether one of the Sites could not request a document of this one, so the
// statements of the document cannot be compared.
func (s *side) missing(url string, service *wayfind.Service) bool {
	if s.probes == nil || url == "" {
		return false
	}
	source := s.located[url]
	if source == nil {
		source = &wayfind.Source{URL: url}
	}
	s.work.Add(1 + len(source.AlsoAt))
	verdicts := make([]wayfind.Verdict, 0, 2)
	for _, u := range urlsOf(source) {
		if s.sources[u] && !s.halves[u] {
			return false
		}
		if v, asked := s.probes[u]; asked && v != wayfind.VerdictSkipped {
			verdicts = append(verdicts, v)
		}
	}
	switch {
	case s.sources[url]:
		return true
	case len(verdicts) > 0:
		return !allPlain(verdicts)
	case source.From != "":
		return true // Describe read it, and Resolve does not request it
	case s.replaced(source, service):
		return false
	case isLinked(source.Authority):
		// If a link is gone, its document is gone too, unless the document with the link was
		// not requested.
		_, skipped := s.probes[url]
		return skipped || s.cut
	}
	return true
}

// untold reports whether the other Site cannot confirm or deny a reading, because the main
// document of the reading, or a document from which Describe completed it, is missing.
func (s *side) untold(reading *wayfind.Capability, o offer) bool {
	sources := sourcesOf(reading, o)
	return s.missing(sources[0].Source, o.service) || slices.ContainsFunc(sources[1:], func(r wayfind.Ref) bool {
		source := s.located[r.Source]
		return source != nil && source.From != "" && s.missing(r.Source, o.service)
	})
}

func allPlain(list []wayfind.Verdict) bool {
	return !slices.ContainsFunc(list, func(v wayfind.Verdict) bool { return !isPlain(v) })
}

// isLinked reports whether documents with an authority are found through other documents, and
// not at a place of their own.
func isLinked(a wayfind.Authority) bool {
	return a == wayfind.AuthorityLinked || a == wayfind.AuthorityCatalog || a == wayfind.AuthorityThirdParty || a == wayfind.AuthorityLive
}

// replaced reports whether the other Site has the same service from another document of the
// format. A fallback is not requested if the first place has answered.
func (s *side) replaced(source *wayfind.Source, service *wayfind.Service) bool {
	same := s.other.named[service.ID]
	if same == nil {
		return false
	}
	return slices.ContainsFunc(same.Sources, func(r wayfind.Ref) bool {
		s.work.Add(1)
		found := s.other.located[r.Source]
		return found != nil && found.Format == source.Format
	})
}

// readings returns a capability as it was merged, and its alternatives.
func readings(c *wayfind.Capability) []*wayfind.Capability {
	list := []*wayfind.Capability{c}
	for i := range c.Alternatives {
		list = append(list, &c.Alternatives[i])
	}
	return list
}

// isPlainReading reports whether a reading was made from one document.
func isPlainReading(c *wayfind.Capability) bool {
	return len(c.Alternatives) == 0 && !slices.ContainsFunc(c.Sources, func(r wayfind.Ref) bool { return r.Source != c.Sources[0].Source })
}

// readingOf returns the reading with its own key equal to key, or otherwise the merged one.
func readingOf(c *wayfind.Capability, key string) *wayfind.Capability {
	for _, r := range readings(c) {
		if r.Key == key {
			return r
		}
	}
	return c
}

// sourcesOf returns the sources of a reading, with the main document first. The list is never
// empty.
func sourcesOf(c *wayfind.Capability, o offer) []wayfind.Ref {
	switch {
	case len(c.Sources) > 0:
		return c.Sources
	case len(o.service.Sources) > 0:
		return o.service.Sources
	}
	return []wayfind.Ref{{}}
}

// keysOf returns the key and the aliases.
func keysOf(c *wayfind.Capability) []string { return append([]string{c.Key}, c.Aliases...) }

// sharedKeys returns the keys that two capabilities have in common. If both have the same own
// key, it is the first one; otherwise the order is the order in a. Two capabilities that were
// matched by their place in a document may have no common key; then the key of b is returned.
func sharedKeys(a, b *wayfind.Capability) []string {
	var list []string
	for _, k := range keysOf(a) {
		if b.HasKey(k) {
			list = append(list, k)
		}
	}
	if list == nil {
		return []string{b.Key}
	}
	return list
}
