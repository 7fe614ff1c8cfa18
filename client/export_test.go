package client

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/clock"
)

// Forget makes a Client that has not been used yet forget every response and
// every obligation that its memory is given.
func Forget(c *Client) {
	var store cache.Store = forgetful{}
	if c.engine.layers != nil {
		c.engine.layers = cache.NewLayered(store, c.engine.opts.Store, c.engine.opts.Logger)
		store = c.engine.layers
	}
	c.engine.build(c.engine.opts.view(randomView), store)
}

// Invalidate forgets the Site of a domain, and none of its documents: the next
// Resolve reads again.
func (c *Client) Invalidate(domain string) {
	if target, _, err := c.target(domain); err == nil {
		c.engine.sites.forget(target.Key())
	}
}

// Flush waits until what a Client has saved is in Options.Store.
func Flush(c *Client) error { return c.engine.layers.Flush(context.Background()) }

// ViewOf is the view of options, where drawn is what would be drawn.
func ViewOf(o *Options, drawn string) string { return o.view(func() string { return drawn }) }

// forgetful is a store that always misses.
type forgetful struct{}

func (forgetful) Local() bool                                           { return true }
func (forgetful) Load(context.Context, string) (*cache.Variants, error) { return nil, nil }
func (forgetful) Save(context.Context, string, *cache.Variants, time.Duration) error {
	return nil
}
func (forgetful) Delete(context.Context, string) error          { return nil }
func (forgetful) Hold(context.Context, string, time.Time) error { return nil }
func (forgetful) Close() error                                  { return nil }

func (forgetful) Acquire(context.Context, string, time.Time) (bool, time.Time, func(), error) {
	return true, time.Time{}, func() {}, nil
}

// FlownSite is what a flight found: when each of its documents was answered, and
// whether the target was forgotten since the flight began.
type FlownSite struct {
	Origin  string
	Answers map[string]time.Time
	Late    bool
}

// KeptOf is the origin of the Site that is kept when flights end in turn, "" for
// none.
func KeptOf(now time.Time, flights ...FlownSite) (string, error) {
	s, err := newSiteCache(clock.New(func() time.Time { return now }, nil), 1<<20)
	if err != nil {
		return "", err
	}
	defer s.Close()
	for _, f := range flights {
		o := &outcome{}
		for u, at := range f.Answers {
			o.entries = append(o.entries, &cache.Entry{URL: u, Status: 200, ResponseTime: at})
		}
		began := s.era("k")
		if f.Late {
			began--
		}
		s.store("k", &resolved{site: &wayfind.Site{Origin: f.Origin, FreshUntil: now.Add(time.Hour)}, outcomes: []*outcome{o}}, began, false)
	}
	if e, ok := s.fresh("k"); ok {
		return e.site.Origin, nil
	}
	return "", nil
}

// MayReplace reports whether a Site that was made of one response may be newer
// than one that was made of another response to the same request.
func MayReplace(own, have *cache.Entry) bool {
	const u = "https://shop.example/agent.json"
	return entryPins{u: pinOf(own)}.newerThan(entryPins{u: pinOf(have)})
}

// Names that only tests of other packages need.
const (
	DefaultKeepAlive = defaultKeepAlive
	MaxHits          = maxHits
	MaxQuery         = maxQuery
	RecordingIndex   = recordingIndex
)

// InUse is what calls have of the limits that they share, and how many parts of
// them wait.
func InUse(c *Client) (parsers, bytes int64, waiting int) {
	return c.engine.parsers.Used(), c.engine.bytes.Used(), c.engine.parsers.Waiting() + c.engine.bytes.Waiting()
}
