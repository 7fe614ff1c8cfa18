package cache_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// An answer that can never answer without its origin, and that makes no request conditional, is not
// written to a disk or a server, and is not said to be stored. It is kept in memory, where max-stale of
// a request may use it.
func TestAnswersOfNoLaterUseAreNotWritten(t *testing.T) {
	for _, row := range []struct {
		name    string
		header  []string
		opts    cache.Options
		written bool
	}{
		{"no header at all", nil, cache.Options{}, false},
		{"no lifetime", []string{"Cache-Control", "max-age=0"}, cache.Options{}, false},
		{"to be validated, without a validator", []string{"Cache-Control", "no-cache"}, cache.Options{}, false},
		{"an old page", []string{"Expires", "0"}, cache.Options{}, false},
		{"a lifetime", []string{"Cache-Control", "max-age=60"}, cache.Options{}, true},
		{"a lifetime for others", []string{"Cache-Control", "max-age=0, s-maxage=60"}, cache.Options{}, true},
		{"an entity tag", []string{"ETag", `"1"`}, cache.Options{}, true},
		{"a date of the last change", []string{"Cache-Control", "no-cache", "Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT"}, cache.Options{}, true},
		{"stale-if-error", []string{"Cache-Control", "max-age=0, stale-if-error=60"}, cache.Options{}, true},
		{"stale-while-revalidate", []string{"Cache-Control", "max-age=0, stale-while-revalidate=60"}, cache.Options{}, true},
		{"an origin that may fail", nil, cache.Options{StaleIfError: time.Hour}, true},
		{"an origin that may hang", nil, cache.Options{StaleAfter: time.Second}, true},
		{"to be validated, an origin that may fail", []string{"Cache-Control", "no-cache"}, cache.Options{StaleIfError: time.Hour}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for i := 0; i < len(row.header); i += 2 {
					w.Header().Set(row.header[i], row.header[i+1])
				}
				_, _ = io.WriteString(w, "hello")
			}))
			defer origin.Close()
			far := newRemote(t)
			c := &http.Client{Transport: cache.NewTransport(far, nil, &row.opts)}
			resp, err := c.Get(origin.URL)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			written := slices.ContainsFunc(far.writes(), func(s string) bool { return strings.HasPrefix(s, "save") })
			if said := strings.Contains(resp.Header.Get("Cache-Status"), "stored"); written != row.written || said != written {
				t.Errorf("written %t, want %t; %s", written, row.written, resp.Header.Get("Cache-Status"))
			}
			near := &http.Client{Transport: cache.NewTransport(newStore(t), nil, &row.opts)}
			for range 2 {
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, origin.URL, nil)
				req.Header.Set("Cache-Control", "max-stale=60")
				if resp, err = near.Do(req); err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			if hit, forbidden := strings.Contains(resp.Header.Get("Cache-Status"), "hit"), strings.Contains(strings.Join(row.header, " "), "no-cache"); hit == forbidden {
				t.Errorf("in memory: %s", resp.Header.Get("Cache-Status"))
			}
		})
	}
}

// A body of unknown length may turn out to be too large, so nothing is promised.
func TestNothingIsPromisedOfABodyOfUnknownLength(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = io.WriteString(w, "begins")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, strings.Repeat("x", len(r.URL.Query().Get("n"))))
	}))
	defer origin.Close()
	c := &http.Client{Transport: cache.NewTransport(newStore(t), nil, &cache.Options{MaxBody: 20})}
	for _, row := range []struct{ query, want string }{{"?n=1", "hit"}, {"?n=" + strings.Repeat("1", 40), "uri-miss"}} {
		var got []string
		for range 2 {
			resp, err := c.Get(origin.URL + row.query)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			got = append(got, resp.Header.Get("Cache-Status"))
		}
		if strings.Contains(got[0], "stored") || !strings.Contains(got[1], row.want) {
			t.Errorf("%s: %q", row.query, got)
		}
	}
}
