package client

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/discover"
)

// Forget makes a Client that has not been used yet lose every response and every obligation of its
// memory.
func Forget(c *Client) (err error) {
	o := c.engine.Opts
	o.Memory = forgetful{}
	if err = c.engine.Close(); err == nil {
		c.engine, err = discover.New(c.base, o)
	}
	return err
}

// Invalidate removes the Site of a domain, and none of its documents: the next Resolve reads them
// again.
func (c *Client) Invalidate(domain string) {
	if target, _, err := c.target(domain); err == nil {
		c.engine.Sites.Table.Del(target.Key())
	}
}

// Flush waits until all saves of a Client are in Options.Store.
func Flush(c *Client) error { return c.engine.Layers.Flush(context.Background()) }

// ViewOf returns the view of options, with drawn instead of a random value.
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

// Names that only tests of other packages need.
const (
	DefaultKeepAlive = defaultKeepAlive
	MaxHits          = maxHits
	MaxQuery         = maxQuery
	RecordingIndex   = recordingIndex
)

// InUse returns the parts of the shared limits that calls use, and the number of waiting parts.
func InUse(c *Client) (parsers, bytes int64, waiting int) {
	l := c.engine.Opts.Limits
	return l.Parsers.Used(), l.Reading.Used() + l.Bytes.Used(), l.Parsers.Waiting() + l.Reading.Waiting() + l.Bytes.Waiting()
}

// RecordedRequest is the form of a body by which its answer is found.
func RecordedRequest(body []byte) []byte { return recordedRequest(body).text }
