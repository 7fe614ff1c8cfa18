package client

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/discover"
)

// Forget makes a Client that has not been used yet forget every response and
// every obligation that its memory is given.
func Forget(c *Client) {
	var store cache.Store = forgetful{}
	if c.engine.Layers != nil {
		c.engine.Layers = cache.NewLayered(store, c.engine.Opts.Store, c.engine.Opts.Logger)
		store = c.engine.Layers
	}
	c.engine.Build(c.opts.view(rand.Text), store)
}

// Invalidate forgets the Site of a domain, and none of its documents: the next
// Resolve reads again.
func (c *Client) Invalidate(domain string) {
	if target, _, err := c.target(domain); err == nil {
		c.engine.Sites.Forget(target.Key())
	}
}

// Flush waits until what a Client has saved is in Options.Store.
func Flush(c *Client) error { return c.engine.Layers.Flush(context.Background()) }

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
	s, err := discover.NewSiteCache(clock.New(func() time.Time { return now }, nil), 1<<20)
	if err != nil {
		return "", err
	}
	defer s.Close()
	for _, f := range flights {
		o := &discover.Outcome{}
		for u, at := range f.Answers {
			o.Entries = append(o.Entries, &cache.Entry{URL: u, Status: 200, ResponseTime: at})
		}
		began := s.Era("k")
		if f.Late {
			began--
		}
		s.Store("k", &discover.Result{Site: &wayfind.Site{Origin: f.Origin, FreshUntil: now.Add(time.Hour)}, Outcomes: []*discover.Outcome{o}}, began, false)
	}
	if e, ok := s.Fresh("k"); ok {
		return e.Site.Origin, nil
	}
	return "", nil
}

// MayReplace reports whether a Site that was made of one response may be newer
// than one that was made of another response to the same request.
func MayReplace(own, have *cache.Entry) bool {
	const u = "https://shop.example/agent.json"
	return discover.EntryPins{u: discover.PinOf(own)}.NewerThan(discover.EntryPins{u: discover.PinOf(have)})
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
	return c.engine.Parsers.Used(), c.engine.Bytes.Used(), c.engine.Parsers.Waiting() + c.engine.Bytes.Waiting()
}
