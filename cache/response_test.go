package cache_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A caller that changes the header of its response does not affect others, although stored fields
// share their memory.
func TestHeaderBelongsToItsCaller(t *testing.T) {
	synctest.Test(t, headerBelongsToItsCaller)
}

func headerBelongsToItsCaller(t *testing.T) {
	tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=60", "X-Many", "1", "X-Many", "2", "Etag", `"1"`,
		"Cache-Status", "other; hit", "Age", "7"), nil)
	get(t, tr, home)
	var first http.Header
	for i := range 3 {
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		h := resp.Header
		if i == 0 {
			first = h.Clone()
		}
		if diff := cmp.Diff(first, h); diff != "" {
			t.Errorf("response %d (-first +this):\n%s", i, diff)
		}
		for name, values := range h {
			values[0] = "changed"
			h[name] = append(values, "more")
		}
	}
	if diff := cmp.Diff([]string{"other; hit", "wayfind; hit; ttl=53"}, first["Cache-Status"]); diff != "" {
		t.Errorf("Cache-Status (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1", "2"}, first["X-Many"]); diff != "" || first.Get("Age") != "7" {
		t.Errorf("X-Many (-want +got):\n%s\nAge %q", diff, first.Get("Age"))
	}
	time.Sleep(time.Second)
	resp, err := tr.RoundTrip(newRequest(t.Context(), home))
	if err != nil {
		t.Fatal(err)
	}
	first.Set("Age", "8")
	first["Cache-Status"][1] = "wayfind; hit; ttl=52"
	if diff := cmp.Diff(first, resp.Header); diff != "" {
		t.Errorf("a second later (-want +got):\n%s", diff)
	}
}
