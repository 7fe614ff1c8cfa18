package cache_test

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// saving counts the saved entries.
type saving struct {
	*memory.Store
	saved atomic.Int32
}

func (s *saving) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.saved.Add(1)
	return s.Store.Save(ctx, key, v, retain)
}

// The requests and answers that may be stored.
func TestStoring(t *testing.T) {
	const fresh = "Cache-Control: max-age=60"
	tests := []struct {
		section, name, method, ask, say string
		want                            bool
	}{
		{"RFC 9111 §3 ¶2.1", "GET", "", "", "200 x | " + fresh, true},
		{"RFC 9111 §3 ¶2.1", "GET by its name", "GET", "", "200 x | " + fresh, true},
		{"RFC 9111 §3 ¶2.1", "POST is not a method we understand", "POST", "", "200 x | " + fresh, false},
		{"RFC 9111 §3 ¶2.1", "HEAD", "HEAD", "", "200 x | " + fresh, false},
		{"RFC 9111 §3 ¶2.1", "OPTIONS", "OPTIONS", "", "200 x | " + fresh, false},
		{"RFC 9111 §3 ¶2.1", "a method nobody knows", "FROB", "", "200 x | " + fresh, false},
		{"RFC 9111 §3 ¶2.1", "method names have case", "get", "", "200 x | " + fresh, false},
		{"RFC 9111 §3 ¶2.2", "an unknown status with freshness", "", "", "299 x | " + fresh, true},
		{"RFC 9111 §3 ¶2.2", "an unknown status without", "", "", "299 x", false},
		{"RFC 9111 §3 ¶2.3", "206", "", "", "206 x | " + fresh, false},
		{"RFC 9111 §3 ¶2.3", "304 that nobody asked for", "", "", "304 | " + fresh, false},
		{"RFC 9111 §3 ¶2.3", "must-understand, status understood", "", "", "200 x | Cache-Control: max-age=60, must-understand", true},
		{"RFC 9111 §3 ¶2.3", "must-understand, status not understood", "", "", "299 x | Cache-Control: max-age=60, must-understand", false},
		{"RFC 9111 §5.2.2.3 ¶2", "must-understand takes no-store back", "", "", "200 x | Cache-Control: max-age=60, no-store, must-understand", true},
		{"RFC 9111 §5.2.2.3 ¶2", "but not for a status that is not understood", "", "", "299 x | Cache-Control: max-age=60, no-store, must-understand", false},
		{"RFC 9111 §3 ¶2.4", "no-store", "", "", "200 x | Cache-Control: max-age=60, no-store", false},
		{"RFC 9111 §3 ¶2.4", "no-store, in any case, on its own line", "", "", "200 x | Cache-Control: max-age=60 | Cache-Control: No-STORE", false},
		{"RFC 9111 §3 ¶2.4", "no-store with an argument", "", "", `200 x | Cache-Control: max-age=60, no-store="a"`, false},
		{"RFC 9111 §3 ¶2.4", "no-store behind a quote that does not close", "", "", `200 x | Cache-Control: private="a, no-store, max-age=60`, false},
		{"RFC 9111 §3 ¶2.4", "no-store as text of an argument", "", "", `200 x | Cache-Control: max-age=60, x="no-store, no-store"`, true},
		{"RFC 9111 §3 ¶2.5", "private is for us", "", "", "200 x | Cache-Control: private, max-age=60", true},
		{"RFC 9111 §3 ¶2.5", "private with field names", "", "", `200 x | Cache-Control: private="set-cookie", max-age=60`, true},
		{"RFC 9111 §3 ¶2.6", "Authorization binds shared caches only", "", "Authorization: Bearer a", "200 x | " + fresh, true},
		{"RFC 9111 §3 ¶2.7", "public makes 403 storable", "", "", "403 x | Cache-Control: public", true},
		{"RFC 9111 §3 ¶2.7", "private makes 403 storable", "", "", "403 x | Cache-Control: private", true},
		{"RFC 9111 §3 ¶2.7", "Expires makes 302 storable", "", "", "302 x | Expires: {+60s}", true},
		{"RFC 9111 §3 ¶2.7", "max-age makes 302 storable", "", "", "302 x | " + fresh, true},
		{"RFC 9111 §3 ¶2.7", "s-maxage is not for us", "", "", "302 x | Cache-Control: s-maxage=60", false},
		{"RFC 9111 §3 ¶2.7", "no-cache alone makes nothing storable", "", "", `302 x | Cache-Control: no-cache | Etag: "1"`, false},
		{"RFC 9111 §3 ¶2.7", "a validator alone makes nothing storable", "", "", `403 x | Etag: "1"`, false},
		{"RFC 9111 §3 ¶2.7", "max-age=0 with a validator", "", "", `200 x | Cache-Control: max-age=0 | Etag: "1"`, true},
		{"RFC 9111 §3 ¶2.7", "no-cache with a validator", "", "", `200 x | Cache-Control: no-cache | Etag: "1"`, true},
		{"RFC 9111 §3 ¶2.7", "503 with freshness", "", "", "503 x | " + fresh, true},
		{"RFC 9111 §3 ¶2.7", "503 without", "", "", "503 x", false},
		{"RFC 9111 §4.1 ¶5", "Vary: *", "", "", "200 x | " + fresh + " | Vary: *", false},
		{"RFC 9111 §4.1 ¶5", "* among others", "", "", "200 x | " + fresh + " | Vary: Accept | Vary: X-Y, *", false},
		{"RFC 9111 §5.2.1.5 ¶1", "no-store of the request", "", "Cache-Control: no-store", "200 x | " + fresh, false},
		{"RFC 9111 §7.3 ¶2", "Set-Cookie does not inhibit caching", "", "", "200 x | " + fresh + " | Set-Cookie: a=b", true},
		{"RFC 9110 §14.2", "a range is passed on", "", "Range: bytes=0-1", "206 x | " + fresh, false},
	}
	for _, status := range []string{"200", "203", "204", "300", "301", "308", "404", "405", "410", "414", "501"} {
		tests = append(tests, struct {
			section, name, method, ask, say string
			want                            bool
		}{"RFC 9110 §15.1 ¶2", status + " is heuristically cacheable", "", "", status + " ", true})
	}
	for _, status := range []string{"201", "202", "205", "302", "303", "307", "400", "401", "403", "406", "409", "412", "415", "422", "429", "500", "502", "504"} {
		tests = append(tests, struct {
			section, name, method, ask, say string
			want                            bool
		}{"RFC 9110 §15.1 ¶2", status + " is not heuristically cacheable", "", "", status + " ", false})
	}
	for _, tt := range tests {
		t.Run(tt.section+" "+tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, err := memory.New(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				store, o := &saving{Store: m}, &origin{}
				tr := cache.NewTransport(store, o, &cache.Options{Strict: true})
				defer tr.Close()
				if got := (turn{method: tt.method, ask: tt.ask, say: tt.say}).take(t, tr, o); got.Err != "" {
					t.Fatal(got.Err)
				}
				if got := store.saved.Load() > 0; got != tt.want {
					t.Errorf("%s %q answered %q: stored %t, want %t", tt.method, tt.ask, tt.say, got, tt.want)
				}
			})
		})
	}
}

// sawCut is an answer that breaks off: it is given as far as it came.
func sawCut(asked string) seen {
	return seen{Asked: []string{asked}, Status: 200, Body: "half", From: cache.FromNetwork, Err: io.ErrUnexpectedEOF.Error()}
}

// RFC 9111 §3.3: an incomplete response is not stored, and reading it ends with an error.
func TestIncompleteBodies(t *testing.T) {
	const fresh = "Cache-Control: max-age=60"
	short := sawCut(plain)
	runLaws(t, []law{
		rule("RFC 9111 §3.3 ¶1", "shorter than Content-Length",
			turn{say: "cut | " + fresh, want: short},
			turn{say: "200 whole | " + fresh},
			turn{want: sawHit("whole", 0)},
		),
		rule("RFC 9111 §3.3 ¶1", "keeps what was stored",
			turn{say: `200 one | Cache-Control: no-cache | Etag: "1"`},
			turn{say: "cut | " + fresh, want: sawCut(`If-None-Match: "1"`)},
			turn{say: "304", want: sawValidated("one", `If-None-Match: "1"`)},
		),
		rule("RFC 9111 §3.4 ¶1", "a partial answer neither replaces nor joins what is stored",
			turn{say: `200 one | Cache-Control: no-cache | Etag: "1"`},
			turn{say: `206 part | Cache-Control: max-age=60 | Etag: "1" | Content-Range: bytes 0-3/10`,
				want: seen{Asked: []string{`If-None-Match: "1"`}, Status: 206, Body: "part", From: cache.FromNetwork}},
			turn{say: "304", want: sawValidated("one", `If-None-Match: "1"`)},
		),
	})
}
