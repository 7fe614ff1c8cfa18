package cache_test

import (
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The profiles are the roles in which a cache is tested with the public suite of HTTP cache tests
// (cache-tests.fyi), with only RFC 9111 switched on. The golden file of each has the result of
// every test, and a reason if it is not the desired one. Tests in scope have further requirements:
// see suiteRole.problem.

func privateSuite() *suiteRole {
	return &suiteRole{"the private cache of a client", "http-cache-tests.golden", suiteScope, "shared"}
}

func sharedSuite() *suiteRole {
	return &suiteRole{"a shared cache", "http-cache-tests-shared.golden", sharedSuiteScope, "private"}
}

func oneUserSuite() *suiteRole {
	return &suiteRole{"the private cache of one user", "http-cache-tests-one-user.golden", oneUserSuiteScope, "shared"}
}

// strict is RFC 9111 and nothing else.
func strict() *cache.Options { return &cache.Options{Strict: true} }

// suiteOptions are strict for the clients of the suite. All of their requests have a name and a
// number, and vary-cache-key has a field Other that no answer depends on.
func suiteOptions() *cache.Options {
	return &cache.Options{Strict: true, Harmless: []string{"Test-Id", "Req-Num", "Other"}}
}

// oneUserOptions are suiteOptions of one user.
func oneUserOptions() *cache.Options {
	o := suiteOptions()
	o.OneUser = true
	return o
}

// suiteProfile is a role with the options that make it, by the name that
// docs/CACHING.md has for it.
type suiteProfile struct {
	name   string
	role   *suiteRole
	opts   *cache.Options
	shared bool // the store is
}

func suiteProfiles() []suiteProfile {
	return []suiteProfile{
		{"private", privateSuite(), suiteOptions(), false},
		{"shared", sharedSuite(), suiteOptions(), true},
		{"one user", oneUserSuite(), oneUserOptions(), false},
	}
}

// over puts a cache over memory, or over a shared store that writes everything down.
func (p *suiteProfile) over(t *testing.T, o http.RoundTripper) http.RoundTripper {
	if p.shared {
		return newTransportOver(t, newSerialised(), o, p.opts)
	}
	return newTransport(t, o, p.opts)
}

func TestHTTPCacheTests(t *testing.T) {
	for _, profile := range suiteProfiles() {
		t.Run(profile.name, func(t *testing.T) { profile.role.hold(t, profile.over) })
	}
}

// The same with the bodies of a network: in chunks, and compressed.
func TestHTTPCacheTestsBodies(t *testing.T) {
	for name, compress := range map[string]bool{"chunked": false, "gzip": true} {
		profiles := suiteProfiles()
		for _, profile := range profiles[:testkit.Size(1, len(profiles))] {
			t.Run(profile.name+" "+name, func(t *testing.T) {
				profile.role.agree(t, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
					return profile.over(t, suiteWire(t, o, compress))
				})
			})
		}
	}
}

// The shared profile over a real Redis.
func TestHTTPCacheTestsRedis(t *testing.T) {
	server := testkit.StartRedis(t)
	over := func(prefix string, put func(*testing.T, http.RoundTripper) http.RoundTripper) func(*testing.T) {
		return func(t *testing.T) {
			store := openRedis(t, server, prefix)
			sharedSuite().agree(t, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
				tr := cache.NewTransport(store, put(t, o), suiteOptions())
				t.Cleanup(func() { _ = tr.Close() })
				return tr
			})
			if names := server.Keys(prefix + "*:a"); len(names) < 100 {
				t.Errorf("the server has %d entries of the suite", len(names))
			}
		}
	}
	t.Run("plain", over("plain:", func(_ *testing.T, o http.RoundTripper) http.RoundTripper { return o }))
	t.Run("gzip", over("gzip:", func(t *testing.T, o http.RoundTripper) http.RoundTripper { return suiteWire(t, o, true) }))
}

func openDisk(t *testing.T) *disk.Store {
	t.Helper()
	s, err := disk.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openRedis opens a store outside of any bubble, with its connection: what waits
// for a network in a bubble keeps its time from passing.
func openRedis(t *testing.T, server *testkit.Redis, prefix string) *redis.Store {
	t.Helper()
	s, err := redis.Open(server.URL(), &redis.Options{InsecureUnauthenticated: true, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Load(t.Context(), "any"); err != nil {
		t.Fatal(err)
	}
	return s
}
