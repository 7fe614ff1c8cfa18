package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// versioned answers with the present version and the credential of the request. A POST makes the next
// version.
type versioned struct {
	version, asked atomic.Int64
	header         []string
	answering      func() // between the choice of the version and the answer; nil means nothing
}

func (o *versioned) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost {
		o.version.Add(1)
		return response(204, ""), nil
	}
	o.asked.Add(1)
	body := string(rune('1'+o.version.Load())) + req.Header.Get("Authorization") + req.Header.Get("X-Acme")
	if o.answering != nil {
		o.answering()
	}
	return response(200, body, o.header...), nil
}

// processes calls run with two stores that see the same entries, as two processes have them.
func processes(t *testing.T, run func(t *testing.T, a, b cache.Store)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		dir := t.TempDir()
		var two [2]cache.Store
		for i := range two {
			s, err := disk.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			two[i] = s
		}
		run(t, two[0], two[1])
	})
	t.Run("redis", func(t *testing.T) {
		server := testkit.StartRedis(t)
		run(t, openRedis(t, server, "p:"), openRedis(t, server, "p:"))
	})
}

func posts(t *testing.T, rt http.RoundTripper, url string, pairs ...string) {
	t.Helper()
	req := newRequest(t.Context(), url, pairs...)
	req.Method = http.MethodPost
	do(t, rt, req)
}

// Beside a store of many processes, the answers to credentials and to unknown fields are kept for
// their callers in the memory of the process. A POST, or a Purge, of another process ends them.
func TestAnswersToCredentialsAreKeptBesideAStore(t *testing.T) {
	for _, field := range []string{"Authorization", "X-Acme"} {
		t.Run(field, func(t *testing.T) {
			processes(t, func(t *testing.T, one, other cache.Store) {
				o := &versioned{header: []string{"Cache-Control", "private, max-age=600"}}
				if field == "X-Acme" {
					o.header[1] = "max-age=600"
				}
				a, b := cache.NewTransport(one, o, nil), cache.NewTransport(other, o, nil)
				defer a.Close()
				defer b.Close()
				expect := func(what string, rt http.RoundTripper, who, body, from string) {
					t.Helper()
					want(t, what, get(t, rt, home, field, who), result{200, body, from, ""})
				}
				expect("alice", a, "alice", "1alice", cache.FromNetwork)
				expect("alice again", a, "alice", "1alice", cache.FromMemory)
				expect("bob", a, "bob", "1bob", cache.FromNetwork)
				expect("alice in another process", b, "alice", "1alice", cache.FromNetwork)
				want(t, "without", get(t, a, home), result{200, "1", cache.FromNetwork, ""})
				expect("alice after that", a, "alice", "1alice", cache.FromMemory)
				posts(t, b, home, field, "alice")
				expect("alice after a POST of the other process", a, "alice", "2alice", cache.FromNetwork)
				expect("bob after it", a, "bob", "2bob", cache.FromNetwork)
				expect("bob again", a, "bob", "2bob", cache.FromMemory)
				for name, scope := range map[string]cache.Scope{"origin": cache.OfOrigin(newRequest(t.Context(), home).URL), "all": cache.Everything()} {
					if err := b.Purge(t.Context(), scope); err != nil {
						t.Fatal(err)
					}
					expect("after a Purge of "+name, a, "bob", "2bob", cache.FromNetwork)
					expect("again", a, "bob", "2bob", cache.FromMemory)
				}
			})
		})
	}
}

// An answer that was asked for before the POST of another process, and that comes after it, is not
// used again.
func TestALateAnswerBesideAStoreIsNotUsed(t *testing.T) {
	processes(t, func(t *testing.T, one, other cache.Store) {
		o := &versioned{header: []string{"Cache-Control", "max-age=600"}}
		a, b := cache.NewTransport(one, o, nil), cache.NewTransport(other, o, nil)
		defer a.Close()
		defer b.Close()
		o.answering = func() { posts(t, b, home, "Authorization", "alice") }
		want(t, "late", get(t, a, home, "Authorization", "alice"), result{200, "1alice", cache.FromNetwork, ""})
		o.answering = nil
		want(t, "next", get(t, a, home, "Authorization", "alice"), result{200, "2alice", cache.FromNetwork, ""})
		want(t, "again", get(t, a, home, "Authorization", "alice"), result{200, "2alice", cache.FromMemory, ""})
	})
}

// deaf is a store that does not tell generations while it is deaf.
type deaf struct {
	*disk.Store
	is atomic.Pointer[string] // the generation that it tells; with "", an error
}

func (d *deaf) Generation(ctx context.Context, key string) (string, error) {
	switch is := d.is.Load(); {
	case is == nil:
		return d.Store.Generation(ctx, key)
	case *is == "":
		return "", errors.New("deaf")
	default:
		return *is, nil
	}
}

// If the store does not tell the generation, no answer beside it is used, and Cache-Status does not say
// that one is stored.
func TestWithoutAGenerationNothingBesideAStoreIsUsed(t *testing.T) {
	store := &deaf{Store: openDisk(t)}
	o := &versioned{header: []string{"Cache-Control", "max-age=600"}}
	tr := newTransportOver(t, store, o, nil)
	ask := func() (string, int64) {
		t.Helper()
		resp, err := tr.RoundTrip(newRequest(t.Context(), home, "Authorization", "alice"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.Header.Get("Cache-Status"), o.asked.Load()
	}
	if status, n := ask(); n != 1 || !strings.HasSuffix(status, "stored") {
		t.Errorf("first: %d, %s", n, status)
	}
	if status, n := ask(); n != 1 || !strings.Contains(status, "; hit") {
		t.Errorf("again: %d, %s", n, status)
	}
	none := ""
	store.is.Store(&none)
	for i := range int64(2) {
		if status, n := ask(); n != 2+i || strings.Contains(status, "stored") {
			t.Errorf("deaf: %d, %s", n, status)
		}
	}
	if n := tr.Stats().Unread.Failed; n == 0 {
		t.Error("the failures are not counted")
	}
}

// The answers beside a store have a limit in bytes. Those that were not used for the longest time go
// first.
func TestAnswersBesideAStoreAreLimited(t *testing.T) {
	o := &versioned{header: []string{"Cache-Control", "max-age=600"}}
	large := strings.Repeat("x", 5<<20)
	tr := newTransportOver(t, openDisk(t), &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		o.asked.Add(1)
		return response(200, large, o.header...), nil
	}}, nil)
	for i, row := range []struct {
		page string
		hit  bool
	}{{"1", false}, {"2", false}, {"3", false}, {"1", true}, {"4", false}, {"1", true}, {"2", false}, {"4", true}} {
		before := o.asked.Load()
		get(t, tr, home+"?"+row.page, "Authorization", "alice")
		if hit := o.asked.Load() == before; hit != row.hit {
			t.Errorf("%d: page %s: from the store: %v", i, row.page, hit)
		}
	}
}
