package cache_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// sharedRemote is a remote that several users share.
type sharedRemote struct{ *remote }

func (sharedRemote) Shared() bool { return true }

// processWith is a process with options of its own.
func processWith(t *testing.T, far cache.Store, next http.RoundTripper, opts *cache.Options) *cache.Transport {
	t.Helper()
	tr := cache.NewTransport(newLayered(t, newStore(t), far), next, opts)
	t.Cleanup(func() { _ = tr.Close() })
	return tr
}

// RFC 9111 §3: the parts of an answer that a shared store gets. The memory before it, and a store
// that is not shared, get all of it.
func TestSharedStoreGets(t *testing.T) {
	const nothing, fact, all = 0, 1, 2
	no := func(e *cache.Entry, l cache.Lifetime) cache.Lifetime {
		if e.Status == http.StatusNotFound {
			return cache.Lifetime{For: time.Hour, Source: "negative", Remembered: true}
		}
		return l
	}
	for name, row := range map[string]struct {
		status  int
		header  []string
		request []string
		want    int
	}{
		"plain":                           {200, []string{"Cache-Control", "max-age=60"}, nil, all},
		"public":                          {200, []string{"Cache-Control", "public, max-age=60"}, nil, all},
		"s-maxage":                        {200, []string{"Cache-Control", "max-age=60, s-maxage=60"}, nil, all},
		"§5.2.2.7 private":                {200, []string{"Cache-Control", "private, max-age=60"}, nil, nothing},
		"§5.2.2.7 private in upper case":  {200, []string{"Cache-Control", "max-age=60, PRIVATE"}, nil, nothing},
		"§5.2.2.7 private with fields":    {200, []string{"Cache-Control", `private="x-a", max-age=60`}, nil, nothing},
		"§7.3 a cookie":                   {200, []string{"Cache-Control", "public, max-age=60", "Set-Cookie", "a=b"}, nil, nothing},
		"§7.3 an old cookie":              {200, []string{"Cache-Control", "public, max-age=60", "Set-Cookie2", "a=b"}, nil, nothing},
		"§3.5 Authorization":              {200, []string{"Cache-Control", "max-age=60"}, []string{"Authorization", "Bearer x"}, nothing},
		"§3.5 Authorization, public":      {200, []string{"Cache-Control", "public, max-age=60"}, []string{"Authorization", "Bearer x"}, nothing},
		"§3.5 Authorization, s-maxage":    {200, []string{"Cache-Control", "s-maxage=60, max-age=60"}, []string{"Authorization", "Bearer x"}, nothing},
		"the caller's cookie":             {200, []string{"Cache-Control", "public, max-age=60"}, []string{"Cookie", "a=b"}, nothing},
		"Proxy-Authorization":             {200, []string{"Cache-Control", "public, max-age=60"}, []string{"Proxy-Authorization", "x"}, nothing},
		"a no":                            {404, []string{"Cache-Control", "max-age=60"}, nil, all},
		"a private no: the fact":          {404, []string{"Cache-Control", "private, max-age=60"}, nil, fact},
		"a no with a cookie: the fact":    {404, []string{"Set-Cookie", "a=b"}, nil, fact},
		"a no to one who says who he is":  {404, []string{"Cache-Control", "max-age=60"}, []string{"Authorization", "Bearer x"}, nothing},
		"a no with a cookie, to such one": {404, []string{"Set-Cookie", "a=b"}, []string{"Cookie", "a=b"}, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The caller sets no Partition: the engine must know.
				one := func(_ *http.Request, a *cache.Ask) { a.Rules, a.Partition = &cache.TestRules{Lifetimes: no}, "" }
				o := always(row.status, "content", row.header...)
				far, disk := sharedRemote{newRemote(t)}, newRemote(t)
				first := cache.Ruled(processWith(t, far, o, nil), one)
				get(t, first, home, row.request...)
				want(t, "its own memory", get(t, first, home, row.request...), result{row.status, "content", cache.FromMemory, ""})
				get(t, cache.Ruled(processWith(t, disk, o, nil), one), home, row.request...)
				synctest.Wait()
				key := "\n\nGET\n" + home
				if v, err := disk.Store.Load(t.Context(), key); err != nil || v == nil || string(v.Entries[0].Body) != "content" {
					t.Errorf("a private store has %v, %v", v, err)
				}
				v, err := far.Store.Load(t.Context(), key)
				got := nothing
				switch {
				case err != nil:
					t.Fatal(err)
				case v != nil && string(v.Entries[0].Body) == "content":
					got = all
				case v != nil:
					got = fact
				}
				if got != row.want {
					t.Errorf("the shared store has %d (0: nothing, 1: the fact, 2: all), want %d", got, row.want)
				}
			})
		})
	}
}

// §7.3: an answer to a request with a cookie stays one user's if it is validated without, and the
// other way round.
func TestSharedStoreCookieAndValidation(t *testing.T) {
	for name, answers := range map[string][2][]string{
		"first": {{"Set-Cookie", "a=b"}, nil}, "later": {nil, {"Set-Cookie", "a=b"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				header := []string{"Cache-Control", "max-age=60", "Etag", `"1"`}
				o := script(say(200, "content", append(header, answers[0]...)...), say(304, "", append(header, answers[1]...)...))
				far := sharedRemote{newRemote(t)}
				tr := processWith(t, far, o, nil)
				get(t, tr, home)
				time.Sleep(61 * time.Second)
				want(t, "validated", get(t, tr, home), result{200, "content", cache.FromValidated, ""})
				synctest.Wait()
				if v, err := far.Store.Load(t.Context(), "\n\nGET\n"+home); v != nil || err != nil {
					t.Errorf("the shared store has %v, %v", v, err)
				}
			})
		})
	}
}

// RFC 9111 §5.2.2.10: the lifetime of an entry in a shared store for another process, and for the
// process that requested it. Each rule shortens it, and none prolongs it.
func TestSharedStoreLifetime(t *testing.T) {
	for name, row := range map[string]struct {
		control         string
		shared, private time.Duration
	}{
		"max-age":          {"max-age=60", time.Minute, time.Minute},
		"s-maxage shorter": {"max-age=60, s-maxage=10", 10 * time.Second, time.Minute},
		"s-maxage longer":  {"max-age=60, s-maxage=600", time.Minute, time.Minute},
		"s-maxage invalid": {"max-age=60, s-maxage=x", 0, time.Minute},
		"s-maxage 0":       {"max-age=60, s-maxage=0", 0, time.Minute},
		"s-maxage twice":   {"max-age=60, s-maxage=10, s-maxage=20", 0, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := always(200, "content", "Cache-Control", row.control)
				far := sharedRemote{newRemote(t)}
				first := processWith(t, far, o, nil)
				get(t, first, home)
				if row.shared > 0 {
					time.Sleep(row.shared - time.Second)
					want(t, "another, in time", get(t, processWith(t, far, o, nil), home), result{200, "content", "remote", ""})
					wantCount(t, "another, in time", o, 1)
					time.Sleep(time.Second)
				}
				want(t, "another, late", get(t, processWith(t, far, o, nil), home), result{200, "content", cache.FromNetwork, ""})
				if row.private > row.shared {
					want(t, "the first", get(t, first, home), result{200, "content", cache.FromMemory, ""})
				}
			})
		})
	}
}

// RFC 9111 §5.2.2.8, §5.2.2.10: an answer from a shared store is not used stale if the response
// forbids that to shared caches. A caller that has validated it itself is private again.
func TestSharedStoreStale(t *testing.T) {
	for name, row := range map[string]struct {
		control          string
		shared, validate bool // may stand in
	}{
		"plain":            {"max-age=1", true, true},
		"must-revalidate":  {"max-age=1, must-revalidate", false, false},
		"proxy-revalidate": {"max-age=1, proxy-revalidate", false, true},
		"s-maxage":         {"max-age=1, s-maxage=1", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				header := []string{"Cache-Control", row.control, "Etag", `"1"`}
				far := sharedRemote{newRemote(t)}
				opts := &cache.Options{StaleIfError: time.Hour}
				get(t, processWith(t, far, always(200, "content", header...), opts), home)
				synctest.Wait()
				other := processWith(t, far, script(fail(errors.New("down")), say(304, "", header...), fail(errors.New("down"))), opts)
				time.Sleep(2 * time.Second)
				wantStandsIn(t, "as it was found", other, row.shared)
				get(t, other, home)
				time.Sleep(2 * time.Second)
				wantStandsIn(t, "validated", other, row.validate)
			})
		})
	}
}

func wantStandsIn(t *testing.T, what string, rt http.RoundTripper, may bool) {
	t.Helper()
	resp, err := rt.RoundTrip(newRequest(t.Context(), home))
	if (err == nil) != may {
		t.Errorf("%s: %v, may stand in: %t", what, err, may)
	}
	if resp != nil {
		_ = resp.Body.Close()
	}
}

// A Transport over a shared store alone keeps no answers to credentials, with any Partition.
func TestSharedTransportAndCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "content", "Cache-Control", "public, max-age=60")
		far := sharedRemote{newRemote(t)}
		tr := cache.Ruled(newTransportOver(t, far, o, nil), func(_ *http.Request, a *cache.Ask) { a.Partition = "" })
		for n := range 3 {
			get(t, tr, home, "Authorization", "Bearer x")
			wantCount(t, "with credentials", o, n+1)
		}
		get(t, tr, home)
		want(t, "without", get(t, tr, home), result{200, "content", "remote", ""})
	})
}
