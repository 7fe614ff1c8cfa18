package cache_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/internal/testkit"
)

// The profiles are the roles in which a cache is held to the public suite of
// HTTP cache tests (cache-tests.fyi), with nothing but RFC 9111 switched on. The
// golden file of each has the result of every test, and a reason where it is not
// the one to wish for; what counts is held to more than that, see
// suiteRole.problem.

func privateSuite() *suiteRole {
	return &suiteRole{"the private cache of a client", "http-cache-tests.golden", suiteScope, suboptimal(), "shared"}
}

func sharedSuite() *suiteRole {
	return &suiteRole{"a shared cache", "http-cache-tests-shared.golden", sharedSuiteScope, sharedSuboptimal(), "private"}
}

func oneUserSuite() *suiteRole {
	return &suiteRole{"the private cache of one user", "http-cache-tests-one-user.golden", oneUserSuiteScope, suboptimal(), "shared"}
}

// strict is RFC 9111 and nothing else.
func strict() *cache.Options { return &cache.Options{Strict: true} }

func overMemory(t *testing.T, o http.RoundTripper) http.RoundTripper {
	return newTransport(t, o, strict())
}

func overMemoryOfOne(t *testing.T, o http.RoundTripper) http.RoundTripper {
	return newTransport(t, o, &cache.Options{Strict: true, OneUser: true})
}

// overShared puts a cache over a shared store that writes everything down.
func overShared(t *testing.T, o http.RoundTripper) http.RoundTripper {
	return newTransportOver(t, newSerialised(), o, strict())
}

func TestHTTPCacheTests(t *testing.T) { privateSuite().hold(t, overMemory) }

// The same as a shared cache, which the tests with that scope bind as well.
func TestHTTPCacheTestsShared(t *testing.T) { sharedSuite().hold(t, overShared) }

// The same as the cache of a client that serves one user.
func TestHTTPCacheTestsOneUser(t *testing.T) { oneUserSuite().hold(t, overMemoryOfOne) }

// The same with the bodies of a network: in chunks, and compressed.
func TestHTTPCacheTestsBodies(t *testing.T) {
	for name, compress := range map[string]bool{"chunked": false, "gzip": true} {
		for _, profile := range []struct {
			name string
			role *suiteRole
			over func(*testing.T, http.RoundTripper) http.RoundTripper
		}{
			{"private", privateSuite(), overMemory}, {"shared", sharedSuite(), overShared}, {"one user", oneUserSuite(), overMemoryOfOne},
		} {
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
				tr := cache.NewTransport(store, put(t, o), strict())
				t.Cleanup(func() { _ = tr.Close() })
				return tr
			})
			if names := server.Keys(prefix + "*:e"); len(names) < 100 {
				t.Errorf("the server has %d entries of the suite", len(names))
			}
		}
	}
	t.Run("plain", over("plain:", func(_ *testing.T, o http.RoundTripper) http.RoundTripper { return o }))
	t.Run("gzip", over("gzip:", func(t *testing.T, o http.RoundTripper) http.RoundTripper { return suiteWire(t, o, true) }))
}

// The private profile over stores that write down, and over those with a shared
// one behind.
func TestHTTPCacheTestsLayers(t *testing.T) {
	server := testkit.StartRedis(t)
	near := map[string]func(t *testing.T) cache.Store{
		"memory": func(t *testing.T) cache.Store { return newMemory(t) },
		"disk":   func(t *testing.T) cache.Store { return openDisk(t) },
	}
	for name, open := range near {
		t.Run(name+" before Redis", func(t *testing.T) {
			far := openRedis(t, server, name+":")
			privateSuite().agree(t, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
				store := open(t)
				layers := cache.NewLayered(store, far, nil)
				tr := cache.NewTransport(layers, o, strict())
				t.Cleanup(func() { _, _, _ = tr.Close(), layers.Close(), store.Close() })
				return tr
			})
			if names := server.Keys(name + ":*:e"); len(names) < 100 {
				t.Errorf("the server has %d entries of the suite", len(names))
			}
		})
	}
	t.Run("disk alone", func(t *testing.T) {
		privateSuite().agree(t, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
			return newTransportOver(t, openDisk(t), o, strict())
		})
	})
}

// The documentation has the figures of the golden files.
func TestHTTPCacheTestsFigures(t *testing.T) {
	docs := string(golden.Read(t, "../docs/CACHING.md"))
	for _, role := range []*suiteRole{privateSuite(), sharedSuite(), oneUserSuite()} {
		_, rest, _ := strings.Cut(string(golden.Read(t, "testdata/"+role.file)), "\n")
		var row strings.Builder
		row.WriteString("testdata/" + role.file + ") |")
		for group := range strings.SplitSeq(rest[:strings.Index(rest, "; either way")], ";") {
			_, figure, _ := strings.Cut(group, ": ")
			row.WriteString(" " + figure + " |")
		}
		if !strings.Contains(docs, row.String()) {
			t.Errorf("docs/CACHING.md lacks %q", row.String())
		}
	}
	left := map[string]string{"superseded": "an earlier RFC", "not-offered": "missing features", "decided": "decisions of ours"}
	for scope, words := range left {
		var row strings.Builder
		row.WriteString("| " + words + " |")
		for _, role := range []*suiteRole{privateSuite(), sharedSuite(), oneUserSuite()} {
			_, rest, _ := strings.Cut(string(golden.Read(t, "testdata/"+role.file)), " "+scope+" ")
			row.WriteString(" " + rest[:strings.IndexAny(rest, " \n")] + " |")
		}
		if !strings.Contains(docs, row.String()) {
			t.Errorf("docs/CACHING.md lacks %q", row.String())
		}
	}
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
