package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// suiteStack is a near store before a far one. Redis is closed by openRedis.
type suiteStack struct {
	*cache.Layered
	near, far cache.Store
}

func (s suiteStack) Close() error {
	err := errors.Join(s.Layered.Close(), s.near.Close())
	if _, outside := s.far.(*redis.Store); outside {
		return err
	}
	return errors.Join(err, s.far.Close())
}

// sharedStack and sharedDisk are stores of one user, which several share here.
type (
	sharedStack struct{ suiteStack }
	sharedDisk  struct{ quietDisk }
)

func (sharedStack) Shared() bool { return true }
func (sharedDisk) Shared() bool  { return true }

// Each profile has its figures over every store and over those in layers. Redis alone
// is a private cache if its user has a name.
func TestHTTPCacheTestsStores(t *testing.T) {
	server := testkit.StartRedis(t)
	n := 0
	for _, profile := range suiteProfiles() {
		for _, layers := range [][]string{{"disk"}, {"memory", "disk"}, {"memory", "redis"}, {"disk", "redis"}} {
			if n++; n%testkit.Stride() != 0 {
				continue
			}
			name := profile.name + ", " + strings.Join(layers, " before ")
			t.Run(name, func(t *testing.T) {
				s := &suiteStores{server: server, prefix: strings.ReplaceAll(name, " ", "") + ":"}
				s.prepare(t, layers)
				profile.role.agree(t, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
					opts := *profile.opts
					if opts.OneUser {
						opts.Partition = "alice" // a SharedStore needs the name
					}
					return newTransportOver(t, s.open(t, layers, profile.shared), o, &opts)
				})
				s.wantEntries(t)
			})
		}
	}
	t.Run("one user, redis", func(t *testing.T) {
		far := openRedis(t, server, "one-user:")
		oneUserSuite().agree(t, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
			opts := oneUserOptions()
			opts.Partition = "alice"
			tr := cache.NewTransport(far, o, opts)
			t.Cleanup(func() { _ = tr.Close() })
			return tr
		})
	})
}

// quietDisk is called by one goroutine after the other: in a bubble no time passes
// while one waits for a mutex and another one for a lock file.
type quietDisk struct {
	*disk.Store
	turn chan struct{}
}

func (d quietDisk) Load(ctx context.Context, key string) (*cache.Variants, error) {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	return d.Store.Load(ctx, key)
}

func (d quietDisk) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	return d.Store.Save(ctx, key, v, retain)
}

func (d quietDisk) Delete(ctx context.Context, key string) error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	return d.Store.Delete(ctx, key)
}

func (d quietDisk) Purge(ctx context.Context, s cache.Scope) error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	return d.Store.Purge(ctx, s)
}

// suiteStores opens the stores of one run.
type suiteStores struct {
	server *testkit.Redis
	prefix string
	dir    string
	redis  *redis.Store // nil: none
}

// prepare does the work that must be done outside of the bubble of a run.
func (s *suiteStores) prepare(t *testing.T, layers []string) {
	s.dir = t.TempDir()
	if layers[len(layers)-1] == "redis" {
		s.redis = openRedis(t, s.server, s.prefix)
	}
}

// open opens a store, or two in layers.
func (s *suiteStores) open(t *testing.T, layers []string, shared bool) cache.Store {
	near := s.one(t, layers[0])
	if len(layers) > 1 {
		far := s.one(t, layers[1])
		out := suiteStack{cache.NewLayered(near, far, nil), near, far}
		if shared {
			return sharedStack{out}
		}
		return out
	}
	if d, is := near.(quietDisk); is && shared {
		return sharedDisk{d}
	}
	return near
}

func (s *suiteStores) one(t *testing.T, name string) cache.Store {
	switch name {
	case "memory":
		return newMemory(t)
	case "redis":
		return s.redis
	}
	d, err := disk.Open(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return quietDisk{d, make(chan struct{}, 1)}
}

// wantEntries checks that the last of the layers has the entries that the tests store.
func (s *suiteStores) wantEntries(t *testing.T) {
	t.Helper()
	n := len(s.server.Keys(s.prefix + "*:a"))
	if s.redis == nil {
		files, err := filepath.Glob(filepath.Join(s.dir, "v1", fmt.Sprint("e", cache.Schema), "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		n = len(files)
	}
	if n < 100 {
		t.Errorf("the last store has %d entries of the suite", n)
	}
}
