package cache_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// Options.MarkAs marks the answers for which the origin was not asked, and no others, whatever the origin
// sends. Another Transport over the same store does not mark them.
func TestMarkAs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &content{text: "0123456789", tag: `"1"`, header: []string{"X-From-Cache", "origin"}}
		store := newMemory(t)
		tr := newTransportOver(t, store, o, &cache.Options{MarkAs: "x-from-cache"})
		plain := cache.NewTransport(store, o, nil)
		defer plain.Close()
		ask := func(rt http.RoundTripper, method string, pairs ...string) []string {
			t.Helper()
			req := newRequest(t.Context(), home, pairs...)
			req.Method = method
			resp, err := rt.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			return resp.Header["X-From-Cache"]
		}
		for _, row := range []struct {
			what   string
			wait   time.Duration
			method string
			header []string
			marked bool
		}{
			{"network", 0, "GET", nil, false},
			{"hit", time.Second, "GET", nil, true},
			{"HEAD", 0, "HEAD", nil, true},
			{"a part", 0, "GET", []string{"Range", "bytes=0-1"}, true},
			{"unchanged", 0, "GET", []string{"If-None-Match", `"1"`}, true},
			{"passed", 0, "GET", []string{"If-Match", `"1"`}, false},
			{"not stored", 0, "GET", []string{"Cache-Control", "only-if-cached", "Accept-Language", "de", "X-Acme", "1"}, false},
			{"validated", 100 * time.Second, "GET", nil, false},
			{"stale", 100 * time.Second, "GET", []string{"Cache-Control", "max-stale=500"}, true},
		} {
			time.Sleep(row.wait)
			got := ask(tr, row.method, row.header...)
			if marked := len(got) == 1 && got[0] == "1"; marked != row.marked || !marked && got != nil {
				t.Errorf("%s: %q", row.what, got)
			}
		}
		ask(tr, "GET")
		ask(tr, "GET")
		if got := ask(plain, "GET"); len(got) != 1 || got[0] != "origin" {
			t.Errorf("a Transport without MarkAs: %q", got)
		}
	})
}
