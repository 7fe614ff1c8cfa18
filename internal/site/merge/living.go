package merge

import (
	"maps"
	"reflect"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// uniteLiving makes one service of an endpoint that a document names and the endpoint's own answer.
// The service keeps the ID of the document, because the endpoint may be down at times. Otherwise
// the endpoint's own answer takes precedence.
func (m *merger) uniteLiving(sources []source) {
	for i := range sources {
		if sources[i].Source.Authority != wayfind.AuthorityLive || sources[i].foreign() {
			continue
		}
		for j := range sources[i].services {
			live := &sources[i].services[j]
			if from, at := m.declaring(sources, &sources[i], live); from != nil {
				*live = m.joinLiving(live, &from.services[at])
				from.services = slices.Delete(slices.Clone(from.services), at, at+1)
			}
		}
	}
}

// declaring returns the service of a document that names the endpoint of a live service and no
// other endpoint, or nil.
func (m *merger) declaring(sources []source, from *source, live *wayfind.Service) (*source, int) {
	if len(live.Interfaces) != 1 {
		return nil, 0
	}
	asked := live.Interfaces[0] // it may have redirected to the other
	asked.URL = from.Source.URL
	for i := range sources {
		s := &sources[i]
		if s.Format.Name != from.Format.Name || s.Source.Authority == wayfind.AuthorityLive || s.foreign() {
			continue
		}
		m.work.Add(len(s.services))
		for j := range s.services {
			if f := s.services[j].Interfaces; len(f) == 1 && slices.Contains([]string{interfaceID(&live.Interfaces[0]), interfaceID(&asked)}, interfaceID(&f[0])) {
				return s, j
			}
		}
	}
	return nil, 0
}

// joinLiving returns a service as described by its endpoint and by a document.
func (m *merger) joinLiving(live, declared *wayfind.Service) wayfind.Service {
	own := *declared
	overwrite(&own, live)
	own.ID, own.Aliases = declared.ID, append([]string{live.ID}, declared.Aliases...)
	own.Capabilities = slices.Concat(live.Capabilities, declared.Capabilities)
	own.Suspicious = bothClasses(declared.Suspicious, live.Suspicious)
	own.Sources = joinRefs(m.work, declared.Sources, live.Sources)
	own.Auth, _ = m.auths.merge(declared.Auth, live.Auth, true)
	own.Lazy, own.DetailURLs = declared.Lazy, declared.DetailURLs
	if f := &own.Interfaces[0]; reflect.DeepEqual(f.Auth, own.Auth) {
		f.Auth = nil // the Auth of the service applies
	}
	if declared.Extensions != nil {
		own.Extensions = maps.Clone(declared.Extensions)
		maps.Copy(own.Extensions, live.Extensions)
	}
	return own
}
