package diff

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fuel"
)

// side is one of two Sites that are compared.
type side struct {
	work   *fuel.Counter
	site   *wayfind.Site
	offers []offer
	// located are the sources by the URLs that were requested and that answered,
	// and named the services by ID and alias; the first of a name has it.
	located map[string]*wayfind.Source
	named   map[string]*wayfind.Service

	other *side
	// probes of the other Site by URL; nil when that Site has no probes.
	probes map[string]wayfind.Verdict
	// sources of the other Site by all their URLs.
	sources map[string]bool
	// halves are the URLs at which one of the Sites got a plain answer and the
	// other did not: a refusal may say how to authenticate, and that is not all
	// that the document would say.
	halves map[string]bool
	// cut: a document of this Site got no plain answer for the other one, so
	// that the documents it links to may not have been asked either.
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

// first gives a name to the first that has it.
func first[T any](named map[string]T, name string, v T) {
	if _, taken := named[name]; !taken {
		named[name] = v
	}
}

// face makes another Site the one that this is compared with.
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

// isPlain reports whether a verdict settles the content of a place: something
// that can be read, or nothing. A document that exists and cannot be read
// settles nothing.
func isPlain(v wayfind.Verdict) bool { return v.Answered() && !v.Unreadable() }

// urlsOf lists where the bytes of a source were found.
func urlsOf(s *wayfind.Source) []string { return append([]string{s.URL}, s.AlsoAt...) }

// anyMissing reports whether the other Site could not ask one of the documents
// of this one.
func (s *side) anyMissing(refs []wayfind.Ref, service *wayfind.Service) bool {
	return slices.ContainsFunc(refs, func(r wayfind.Ref) bool { return s.missing(r.Source, service) })
}

// missing reports whether one of the Sites could not ask a document of this one,
// so that the document's statements cannot be compared.
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
		return true // Describe learned it, and a Resolve does not ask
	case s.replaced(source, service):
		return false
	case isLinked(source.Authority):
		// A link that is gone took its document with it, unless the document
		// with the link was not asked.
		_, skipped := s.probes[url]
		return skipped || s.cut
	}
	return true
}

// untold reports whether the other Site cannot tell about a reading: because of
// the document that it is made of, or of one by which Describe has completed it.
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

// isLinked reports authorities of documents that are found through others, and
// not at a place of their own.
func isLinked(a wayfind.Authority) bool {
	return a == wayfind.AuthorityLinked || a == wayfind.AuthorityCatalog || a == wayfind.AuthorityThirdParty || a == wayfind.AuthorityLive
}

// replaced reports whether the other Site has the same service from another
// document of the format. A fallback is not asked once the first place answers.
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

// readings are a capability as it was merged and the readings that lost.
func readings(c *wayfind.Capability) []*wayfind.Capability {
	list := []*wayfind.Capability{c}
	for i := range c.Alternatives {
		list = append(list, &c.Alternatives[i])
	}
	return list
}

// isPlainReading reports readings that were made of one document.
func isPlainReading(c *wayfind.Capability) bool {
	return len(c.Alternatives) == 0 && !slices.ContainsFunc(c.Sources, func(r wayfind.Ref) bool { return r.Source != c.Sources[0].Source })
}

// readingOf returns the reading that has a key of its own, else the merged one.
func readingOf(c *wayfind.Capability, key string) *wayfind.Capability {
	for _, r := range readings(c) {
		if r.Key == key {
			return r
		}
	}
	return c
}

// sourcesOf returns where a reading comes from, the document that it is chiefly
// made of first; never nothing.
func sourcesOf(c *wayfind.Capability, o offer) []wayfind.Ref {
	switch {
	case len(c.Sources) > 0:
		return c.Sources
	case len(o.service.Sources) > 0:
		return o.service.Sources
	}
	return []wayfind.Ref{{}}
}

// keysOf lists key and aliases.
func keysOf(c *wayfind.Capability) []string { return append([]string{c.Key}, c.Aliases...) }

// sharedKeys lists the keys that two capabilities have in common: first that
// which both have as their own, in the order of the first one otherwise. Two
// that were matched by their place in a document have none: then it is the key
// of the second.
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
