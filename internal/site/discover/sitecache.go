package discover

import (
	"cmp"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/site/live"
)

// siteCache keeps finished Sites by the canonical spelling of their target. A hit is one look-up of
// an immutable pointer. A Site stays here for cache.Retention past its freshness, so that the next
// Resolve can validate its documents.
type siteCache struct {
	clock  *clock.Clock
	coarse *clock.Coarse
	Table  *memory.Cache[SiteEntry]
	Hits   hits

	storing sync.Mutex  // read-modify-write of an entry
	epochs  live.Epochs // of targets; changed while storing is held
	purged  live.Epochs // of scopes; changed while storing is held

	age atomic.Uint64 // the last epoch of purged
}

type SiteEntry struct {
	// The fields that a hit reads come first. The cost of a hit is the number of cache lines that
	// it touches, and these fields are next to the key.
	clock.Expiry
	age  uint64 // age of the cache when the entry was last known to be valid
	Site *wayfind.Site
	Err  error
	// plain is true if a caller that spells the target this way, or with other letters in upper
	// case, gets no diagnostic about the spelling.
	plain bool
	key   string
	pins  EntryPins
	// Public is the result if one of its places demands a credential, so that a caller who has one can
	// open the place without asking the others again; else nil.
	Public *Result
}

// EntryPins are the responses that a Site was made of. They can be validated even if the response
// store forgets them.
type EntryPins []pin

// pin is an entry, or the parts of a folded one. The origin is the same string in all folded pins
// of an origin.
type pin struct {
	whole  *cache.Entry
	folded *cache.Folded
	origin *string // of the key: see cache.CutOrigin
}

// with returns pins with an entry, in place of an earlier one of the same URL.
func (p EntryPins) with(e *cache.Entry) EntryPins {
	added := pin{whole: e}
	if f := e.Folded(); f != nil {
		added = pin{folded: f, origin: p.origin(e.Key)}
	}
	if have := p.find(e.URL); have != nil {
		*have = added
		return p
	}
	return append(p, added)
}

// origin returns the origin of a key, as the same string as in an earlier pin.
func (p EntryPins) origin(key string) *string {
	origin, _ := cache.CutOrigin(key)
	for i := range p {
		if p[i].origin != nil && *p[i].origin == origin {
			return p[i].origin
		}
	}
	origin = strings.Clone(origin)
	return &origin
}

// URLs yields the URLs of the responses.
func (p EntryPins) URLs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p {
			if !yield(p[i].URL()) {
				return
			}
		}
	}
}

func (p *pin) entry() *cache.Entry {
	if p == nil {
		return nil
	}
	if p.folded != nil {
		return p.folded.Entry(p.key())
	}
	return p.whole
}

// key returns the key of a folded pin.
func (p *pin) key() string { return *p.origin + p.folded.Place() }

// URL returns the URL of the response.
func (p *pin) URL() string {
	if p.folded != nil {
		return p.folded.URL(p.key())
	}
	return p.whole.URL
}

// is reports whether the URL of the response is url.
func (p *pin) is(url string) bool {
	if p.folded == nil {
		return p.whole.URL == url
	}
	path, _, _ := strings.Cut(p.folded.Place(), "\n")
	return strings.HasSuffix(url, path) && p.URL() == url
}

func (p *pin) size(before *cache.Folded) int64 {
	const own = 24
	if p.folded != nil {
		return own + p.folded.Size(before)
	}
	return own + p.whole.Size()
}

// find returns the pin of a URL, or nil.
func (p EntryPins) find(url string) *pin {
	for i := range p {
		if p[i].is(url) {
			return &p[i]
		}
	}
	return nil
}

// newSiteCache returns a cache of size bytes, as siteCost estimates them.
func newSiteCache(clk *clock.Clock, size int64) (*siteCache, error) {
	table, err := memory.NewCache[SiteEntry](size)
	if err != nil {
		return nil, err
	}
	return &siteCache{clock: clk, coarse: clock.NewCoarse(clk), Table: table}, nil
}

// Fresh returns a Site that is still valid, by its canonical spelling.
func (s *siteCache) Fresh(key string) (*SiteEntry, bool) {
	e, ok := s.Table.Get(key)
	return &e, ok && s.counts(&e)
}

// counts reports whether an entry is fresh and not purged.
func (s *siteCache) counts(e *SiteEntry) bool {
	return e.FreshBy(s.coarse) && (e.age == s.age.Load() || s.recount(e))
}

// Known returns a Site that is still valid, by the caller's text, if no canonical spelling has to
// be made: the text is canonical, or becomes canonical in lower case. Only canonical spellings are
// stored, so a match is a hit. Known allocates nothing.
func (s *siteCache) Known(domain string) (*SiteEntry, bool) {
	e := s.Table.Recent(domain)
	if e == nil {
		e = s.lowered(domain)
	}
	return e, e != nil && e.plain && s.counts(e)
}

// lowered finds a Site by a host name in lower case.
func (s *siteCache) lowered(domain string) *SiteEntry {
	var buf [maxLowered]byte
	name, ok := lowerName(buf[:0], domain)
	switch {
	case !ok:
		return nil
	case string(name) != domain:
		return s.Table.RecentBytes(name)
	}
	if _, ok := s.Table.Get(domain); ok { // this makes it recent
		return s.Table.Recent(domain)
	}
	return nil
}

// Hit counts a Site that is about to be returned.
func (s *siteCache) Hit(e *SiteEntry) {
	if s.Hits.add() {
		s.Table.Touch(e.key)
	}
}

// Pins returns the documents of a Site, fresh or not.
func (s *siteCache) Pins(key string) EntryPins {
	if e, ok := s.Table.Get(key); ok && e.key == key && s.stands(&e) {
		return e.pins
	}
	return nil
}

// currentEpoch returns the number of the current period of a target. Purge and the end of a Refresh
// begin a new period, so that the next Resolve does not get a result that began before.
func (s *siteCache) currentEpoch(key string) uint64 { return s.epochs.At(key) }

// Store keeps the result of a flight that began in an epoch. A result that is not fresh at all
// replaces the old one.
func (s *siteCache) Store(key string, r *Result, began uint64, refresh bool) {
	e := s.entry(key, r)
	s.storing.Lock()
	defer s.storing.Unlock()
	late := s.epochs.At(key) != began
	if refresh {
		s.epochs.Next(key)
	}
	have, ok := s.Table.Get(key)
	ok = ok && s.stands(&have)
	older, newer := ok && have.pins.newerThan(e.pins), ok && e.pins.newerThan(have.pins)
	switch {
	case newer && (late || older):
		s.Table.Del(key) // neither has seen all: the next call merges them
	case late || older:
		// An entry that was forgotten or replaced meanwhile does not come back.
	default:
		s.set(&e)
	}
}

func (s *siteCache) set(e *SiteEntry) {
	s.Table.Set(e.key, *e, siteCost(e), max(e.Until.Sub(s.clock.Now()), 0)+cache.Retention)
}

// entry returns the stored form of a result.
func (s *siteCache) entry(key string, r *Result) SiteEntry {
	e := SiteEntry{key: key, age: s.age.Load(), Site: r.Site, Err: r.Err, Expiry: clock.ExpiryAt(s.clock, r.Site.FreshUntil),
		plain: !strings.Contains(key, "xn--")}
	pins := make(EntryPins, 0, len(r.Outcomes))
	for _, o := range r.Outcomes {
		for _, entry := range o.Entries {
			if entry.Storable() {
				pins = pins.with(entry)
			}
		}
	}
	e.pins = pins
	if slices.ContainsFunc(r.Site.Probes, func(p wayfind.Probe) bool { return p.Verdict == wayfind.VerdictProtected }) {
		e.Public = &Result{Site: r.Site, Err: r.Err, Outcomes: r.Outcomes, Target: r.Target}
	}
	return e
}

// newerThan reports whether p has a response that is, or may be, younger than the response in other
// for the same URL. If two responses came at the same instant, either may be younger.
func (p EntryPins) newerThan(other EntryPins) bool {
	for i := range p {
		have := other.find(p[i].URL())
		if have == nil {
			continue
		}
		own, old := p[i].entry(), have.entry()
		order := own.ResponseTime.Compare(old.ResponseTime)
		if order > 0 || order == 0 && own.Digest != old.Digest {
			return true
		}
	}
	return false
}

// Pinned implements cache.Pins.
func (p EntryPins) Pinned(u *url.URL) *cache.Entry { return p.find(u.String()).entry() }

// Close ends the cache.
func (s *siteCache) Close() {
	s.coarse.Stop()
	s.Table.Close()
}

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

// siteCost estimates the bytes of a Site: the model, and the responses that it
// keeps alive, whose text the model's strings are parts of.
func siteCost(e *SiteEntry) int64 {
	const perSite, perCapability, perProbe, perOutcome = 1024, 1024, 256, 2048
	cost := int64(len(e.key) + perSite + len(e.Site.Probes)*perProbe)
	for range e.Site.Capabilities() {
		cost += perCapability
	}
	var before *cache.Folded
	for i := range e.pins {
		cost += e.pins[i].size(before)
		before = e.pins[i].folded
	}
	if e.Public != nil {
		for _, o := range e.Public.Outcomes {
			cost += perOutcome + sizeOf(o.Doc)
		}
	}
	return cost
}

// maxLowered is a bit more than the longest host name with its root dot.
const maxLowered = 256

// lowerName appends a host name to buf, in lower case and without its root dot. ok is false for
// other forms of a target (an internationalized name, a URL, a path). If the result is canonical,
// it is the name of the target: see security.CanonicalHost.
func lowerName(buf []byte, domain string) (lowered []byte, ok bool) {
	name := strings.TrimSuffix(domain, ".")
	if len(name) > cap(buf) {
		return nil, false
	}
	for i := range len(name) {
		b := name[i]
		switch {
		case 'A' <= b && b <= 'Z':
			b += 'a' - 'A'
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '-', b == '.':
		default:
			return nil, false
		}
		buf = append(buf, b)
	}
	return buf, true
}
