package discover

import (
	"cmp"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
)

// Forget forgets the Sites of the origins of scopes, and the Sites that were made of an answer in
// one of the scopes. Flights that are under way are neither kept nor joined.
func (s *siteCache) Forget(scopes ...cache.Scope) {
	s.storing.Lock()
	defer s.storing.Unlock()
	s.epochs.NextOfAll()
	for _, scope := range scopes {
		if scope == cache.Everything() {
			s.age.Store(s.purged.NextOfAll())
		} else {
			s.age.Store(s.purged.Next(scope.String()))
		}
	}
}

// stands reports whether an entry was not purged since it was last checked.
func (s *siteCache) stands(e *SiteEntry) bool {
	if e.age == s.age.Load() {
		return true
	}
	if !s.standsOn(e, e.Site.Origin) {
		return false
	}
	for page := range e.pins.URLs() {
		if !s.standsOn(e, page) {
			return false
		}
	}
	for i := range e.Site.Sources { // answers of live endpoints are no pins
		if source := &e.Site.Sources[i]; source.Authority == wayfind.AuthorityLive && !(s.standsOn(e, source.URL) && s.standsOn(e, cmp.Or(source.FinalURL, source.URL))) {
			return false
		}
	}
	return true
}

// standsOn checks one of the URLs that an entry was made of, as stands does.
func (s *siteCache) standsOn(e *SiteEntry, page string) bool {
	u, err := url.Parse(page)
	return err == nil && s.purged.At(cache.OfURL(u).String()) <= e.age && s.purged.At(cache.OfOrigin(u).String()) <= e.age
}

// recount is stands, and gives a valid entry the present age, so that it is checked only once for
// each purge.
func (s *siteCache) recount(e *SiteEntry) bool {
	s.storing.Lock()
	defer s.storing.Unlock()
	if !s.stands(e) {
		return false
	}
	if have, ok := s.Table.Get(e.key); ok && have.key == e.key && have.Site == e.Site {
		have.age = s.age.Load()
		s.set(&have)
	}
	return true
}
