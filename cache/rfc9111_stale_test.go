package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A stale response is used if an origin cannot answer.
func TestAStaleResponseIsUsedIfTheOriginFails(t *testing.T) {
	const s = time.Second
	const asked = `If-None-Match: "1"`
	product := cache.Options{}
	// fails is a law about a response with these directives, asked again while
	// the origin fails in a way.
	fails := func(section, name, directives string, opts cache.Options, wait time.Duration, ask, say string, want seen) law {
		return rule(section, name,
			turn{say: `200 one | Etag: "1" | Cache-Control: ` + directives},
			turn{wait: wait, ask: ask, say: say, want: want}).under(opts)
	}
	standsIn := func(age int) seen { return sawStale("one", cache.StaleError, age, asked) }
	passedOn := func(status int) seen {
		return seen{Asked: []string{asked}, Status: status, Body: "x", From: cache.FromNetwork}
	}
	cut := sawCut(asked)
	laws := []law{
		fails("RFC 5861 §4 ¶2", "unreachable", "max-age=60, stale-if-error=10", product, 70*s, "", "down", standsIn(70)),
		fails("RFC 5861 §4 ¶2", "a body that breaks off after its header was passed on", "max-age=60, stale-if-error=10", product, 70*s, "", "cut", cut),
		fails("RFC 5861 §4 ¶2", "the window begins at expiry", "max-age=60, stale-if-error=10", product, 70*s+1, "", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "the window is over for 503, too", "max-age=60, stale-if-error=10", product, 70*s+1, "", "503 x", passedOn(503)),
		fails("RFC 5861 §4 ¶2", "the window does not begin with the answer", "max-age=60, stale-if-error=61", product, 120*s, "", "down", standsIn(120)),
		fails("RFC 5861 §4 ¶2", "zero is a word", "max-age=60, stale-if-error=0", cache.Options{StaleIfError: time.Hour}, 61*s, "", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "nonsense is zero", "max-age=60, stale-if-error=x", cache.Options{StaleIfError: time.Hour}, 61*s, "", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "a directive beats the default, in Strict too", "max-age=60, stale-if-error=10", cache.Options{Strict: true}, 71*s, "", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "of two values none", "max-age=60, stale-if-error=10, stale-if-error=20", product, 61*s, "", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "only of the stored response", "max-age=60", product, 61*s, "", "503 x | Cache-Control: stale-if-error=60", passedOn(503)),
		fails("RFC 5861 §4 ¶2", "the caller's", "max-age=60", product, 70*s, "Cache-Control: stale-if-error=10", "down", standsIn(70)),
		fails("RFC 5861 §4 ¶2", "the caller's, over", "max-age=60", product, 70*s+1, "Cache-Control: stale-if-error=10", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "the caller's does not beat must-revalidate", "max-age=60, must-revalidate", product, 61*s, "Cache-Control: stale-if-error=10", "down", sawError(asked)),
		fails("RFC 5861 §4 ¶2", "the caller's shorter one", "max-age=60, stale-if-error=60", product, 71*s, "Cache-Control: stale-if-error=10", "down", sawError(asked)),
		fails("RFC 9111 §5.2.1.4 ¶1", "the caller's no-cache wants nothing old", "max-age=60, stale-if-error=10", product, 61*s, "Cache-Control: no-cache", "down", sawError(asked)),
		fails("RFC 9111 §5.2.2.2 ¶2", "must-revalidate: never", "max-age=60, stale-if-error=10, must-revalidate", cache.Options{Strict: true}, 61*s, "", "down", sawError(asked)),
		fails("RFC 9111 §5.2.2.2 ¶2", "must-revalidate: not for 503 either", "max-age=60, stale-if-error=10, must-revalidate", cache.Options{Strict: true}, 61*s, "", "503 x", passedOn(503)),
		fails("RFC 9111 §5.2.2.2 ¶1", "must-revalidate beats max-stale", "max-age=60, must-revalidate", product, 61*s, "Cache-Control: max-stale", "304", sawValidated("one", asked)),
		fails("RFC 9111 §5.2.2.2 ¶1", "must-revalidate is nothing while fresh", "max-age=60, must-revalidate", product, 59*s, "", "", sawHit("one", 59)),
		fails("RFC 9111 §5.2.2.4 ¶3", "no-cache: never without validation", "max-age=60, no-cache", product, 0, "", "304", sawValidated("one", asked)),
		fails("RFC 9111 §5.2.2.4 ¶4", "no-cache: not for those who serve stale either", "no-cache, stale-if-error=10", cache.Options{Strict: true}, 1*s, "", "down", sawError(asked)),
		fails("RFC 9111 §5.2.2.4 ¶3", "no-cache beats max-stale", "no-cache", product, 1*s, "Cache-Control: max-stale", "304", sawValidated("one", asked)),
		fails("RFC 9111 §5.2.2.4 ¶9", "no-cache with field names is no-cache", `max-age=60, no-cache="set-cookie, x"`, product, 0, "", "304", sawValidated("one", asked)),
		fails("RFC 9111 §4.2.4 ¶3", "no directive", "max-age=60", product, 61*s, "", "down", sawError(asked)),
		fails("RFC 9111 §4.2.4 ¶3", "no directive, 503", "max-age=60", product, 61*s, "", "503 x", passedOn(503)),
		fails("RFC 9111 §4.2.4 ¶3", "disconnected, in Strict", "max-age=60", cache.Options{Strict: true}, 61*s, "", "down", standsIn(61)),
		fails("RFC 9111 §4.2.4 ¶3", "configured", "max-age=60", cache.Options{StaleIfError: 10 * s}, 70*s, "", "502 x", standsIn(70)),
		fails("RFC 9111 §4.2.4 ¶3", "configured, over", "max-age=60", cache.Options{StaleIfError: 10 * s}, 71*s, "", "502 x", passedOn(502)),
		fails("RFC 9111 §4.2.4 ¶3", "a body that breaks off is an error", "max-age=60", product, 61*s, "", "cut", cut),
		fails("RFC 9111 §4.2.4 ¶3", "our own refusal is no failure of the origin", "max-age=60, stale-if-error=10",
			cache.Options{Failed: errors.New("unreachable")}, 61*s, "", "down", sawError(asked)),
	}
	for _, status := range []string{"500", "502", "503", "504"} {
		laws = append(laws, fails("RFC 5861 §4 ¶3", status+" is an error", "max-age=60, stale-if-error=10", product, 61*s, "", status+" x", standsIn(61)))
	}
	for _, status := range []string{"501", "505", "400", "403", "404", "410", "429", "200"} {
		laws = append(laws, fails("RFC 5861 §4 ¶3", status+" is an answer", "max-age=60, stale-if-error=10", product, 61*s, "", status+" x", passedOn(statusOf(t, status))))
	}
	runLaws(t, laws)
}

// RFC 9111 §4.2: using a stale response does not make it fresh for longer.
func TestStaleUseProlongsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(say(200, "one", "Cache-Control", "max-age=60, stale-if-error=600"), fail(errDown))
		tr := newTransport(t, o, nil)
		ended := time.Now().Add(time.Minute)
		get(t, tr, home)
		for n := 1; n <= 3; n++ {
			time.Sleep(time.Minute)
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			wanted := cache.Facts{From: cache.FromStale, StaleReason: cache.StaleError, Age: time.Duration(n) * time.Minute, FreshUntil: ended}
			if _, facts, _ := cache.Of(resp); !cmp.Equal(wanted, facts) {
				t.Errorf("use %d (-want +got):\n%s", n, cmp.Diff(wanted, facts))
			}
			wantCount(t, "each use", o, n+1)
		}
	})
}

// When a stale response is served while it is renewed in the background.
func TestWhileRevalidate(t *testing.T) {
	const s = time.Second
	const asked = `If-None-Match: "1"`
	const window = `200 one | Etag: "1" | Cache-Control: max-age=60, stale-while-revalidate=10`
	stale := func(age int) seen { return sawStale("one", cache.StaleRevalidating, age, asked) }
	runLaws(t, []law{
		rule("RFC 5861 §3 ¶3", "served once, and renewed by a 200",
			turn{say: window},
			turn{wait: 61 * s, say: `200 two | Cache-Control: max-age=60`, want: stale(61)},
			turn{wait: s, want: sawHit("two", 1)}),
		rule("RFC 5861 §3 ¶3", "renewed by a 304",
			turn{say: window},
			turn{wait: 61 * s, say: "304", want: stale(61)},
			turn{wait: 59 * s, want: sawHit("one", 59)},
			turn{wait: s, say: "304", want: stale(60)}),
		rule("RFC 5861 §3 ¶3", "the window begins at expiry and has an end",
			turn{say: window},
			turn{wait: 59 * s, want: sawHit("one", 59)},
			turn{wait: 11 * s, say: "503 x", want: stale(70)},
			turn{wait: 1, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 5861 §3 ¶4", "a failure leaves what is stored",
			turn{say: window},
			turn{wait: 61 * s, say: "down", want: stale(61)},
			turn{wait: 5 * s, say: "304", want: stale(66)},
			turn{want: sawHit("one", 0)}),
		rule("RFC 5861 §3 ¶4", "so does an error of the origin",
			turn{say: window},
			turn{wait: 61 * s, say: "500 x", want: stale(61)},
			turn{wait: 5 * s, say: "304", want: stale(66)},
			turn{want: sawHit("one", 0)}),
		rule("RFC 5861 §3 ¶4", "so does a body that breaks off",
			turn{say: window},
			turn{wait: 61 * s, say: "cut", want: stale(61)},
			turn{wait: 5 * s, say: "304", want: stale(66)},
			turn{want: sawHit("one", 0)}),
		rule("RFC 5861 §3 ¶3", "a 404 replaces it",
			turn{say: window},
			turn{wait: 61 * s, say: "404 gone | Cache-Control: max-age=60", want: stale(61)},
			turn{want: seen{Status: 404, Body: "gone", From: cache.FromMemory, Age: "0"}}),
		rule("RFC 5861 §3 ¶3", "zero is no window",
			turn{say: `200 one | Etag: "1" | Cache-Control: max-age=60, stale-while-revalidate=0`},
			turn{wait: 60 * s, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 5861 §3 ¶3", "nonsense is no window",
			turn{say: `200 one | Etag: "1" | Cache-Control: max-age=60, stale-while-revalidate=x`},
			turn{wait: 60 * s, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.2.2 ¶1", "must-revalidate wins",
			turn{say: window + ", must-revalidate"},
			turn{wait: 61 * s, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.2.4 ¶3", "no-cache wins",
			turn{say: window + ", no-cache"},
			turn{wait: 1 * s, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.1.4 ¶1", "the caller's no-cache wins",
			turn{say: window},
			turn{wait: 61 * s, ask: "Cache-Control: no-cache", say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.1.1 ¶3", "the caller's max-age wants nothing stale",
			turn{say: window},
			turn{wait: 61 * s, ask: "Cache-Control: max-age=3600", say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.1.2 ¶3", "the caller's max-stale is a bound",
			turn{say: window},
			turn{wait: 66 * s, ask: "Cache-Control: max-stale=5", say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.1.3 ¶3", "the caller's min-fresh wants nothing stale",
			turn{say: window},
			turn{wait: 61 * s, ask: "Cache-Control: min-fresh=1", say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §5.2.1.7 ¶1", "only-if-cached asks nobody",
			turn{say: window},
			turn{wait: 61 * s, ask: "Cache-Control: only-if-cached", want: sawStale("one", cache.StaleRevalidating, 61)}),
		rule("RFC 9111 §5.2.1.5 ¶1", "the caller's no-store is not stored in the background",
			turn{say: window},
			turn{wait: 61 * s, ask: "Cache-Control: no-store", say: "304", want: sawValidated("one", asked)},
			turn{say: "304", want: stale(61)}),
		rule("RFC 5861 §3 ¶3", "the background asks for the caller's variant",
			turn{ask: "Accept: a", say: window + " | Vary: Accept"},
			turn{wait: 61 * s, ask: "Accept: a", say: "200 two | Cache-Control: max-age=60 | Vary: Accept", want: stale(61)},
			turn{ask: "Accept: a", want: sawHit("two", 0)},
			turn{ask: "Accept: b", say: "200 three"}),
	})
}

// RFC 5861 §3: however many callers get a stale response, one request renews it, and it does not
// delay them.
func TestOneRevalidationInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(
			say(200, "one", "Cache-Control", "max-age=60, stale-while-revalidate=60"),
			func(*http.Request) (*http.Response, error) {
				time.Sleep(time.Second)
				return response(200, "two", "Cache-Control", "max-age=60"), nil
			},
		)
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		time.Sleep(61 * time.Second)
		began := time.Now()
		var wg sync.WaitGroup
		for range testkit.Crowd(100) {
			wg.Go(func() {
				want(t, "meanwhile", get(t, tr, home), result{200, "one", cache.FromStale, cache.StaleRevalidating})
			})
		}
		wg.Wait()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("they waited %v", waited)
		}
		synctest.Wait()
		wantCount(t, "for all", o, 2)
		time.Sleep(2 * time.Second)
		want(t, "afterwards", get(t, tr, home), result{200, "two", cache.FromMemory, ""})
		wantCount(t, "in all", o, 2)
	})
}

// RFC 5861 §3: the request in the background outlives the caller, and Close
// ends it and waits for that.
func TestCloseEndsRevalidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		o := script(
			say(200, "one", "Cache-Control", "max-age=60, stale-while-revalidate=60"),
			func(req *http.Request) (*http.Response, error) {
				<-req.Context().Done()
				ended <- req.Context().Err()
				return nil, req.Context().Err()
			},
		)
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		time.Sleep(61 * time.Second)
		ctx, leave := context.WithCancel(t.Context())
		want(t, "meanwhile", do(t, tr, newRequest(ctx, home)), result{200, "one", cache.FromStale, cache.StaleRevalidating})
		leave()
		synctest.Wait()
		if len(ended) > 0 {
			t.Errorf("the background ended by itself: %v", <-ended)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if len(ended) == 0 {
			t.Error("Close does not wait for the background")
		}
	})
}

// A renewal that fails is not repeated with each caller: while the origin fails, there is one request in
// five seconds for a URL.
func TestAFailedRenewalPauses(t *testing.T) {
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"an error": fail(errors.New("broken")),
		"503":      say(503, "no"),
		"429":      say(429, "no", "Retry-After", "60"),
		"a cut body": func(*http.Request) (*http.Response, error) {
			resp := response(200, "x", "Cache-Control", "max-age=1")
			resp.Body = io.NopCloser(brokenBody{})
			return resp, nil
		},
	} {
		for _, opts := range []*cache.Options{nil, {StaleIfError: time.Hour}} {
			synctest.Test(t, func(t *testing.T) {
				failing := true
				o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
					if n > 1 && failing {
						return answer(req)
					}
					return response(200, "one", "Cache-Control", "max-age=60, stale-while-revalidate=600", "Etag", `"1"`), nil
				}}
				tr := newTransport(t, o, opts)
				get(t, tr, home)
				time.Sleep(100 * time.Second)
				for range 200 {
					want(t, name, get(t, tr, home), result{200, "one", cache.FromStale, cache.StaleRevalidating})
					synctest.Wait()
					time.Sleep(50 * time.Millisecond)
				}
				wantCount(t, name+": requests", o, 3)
				failing = false
				time.Sleep(5 * time.Second)
				get(t, tr, home)
				synctest.Wait()
				want(t, "renewed", get(t, tr, home), result{200, "one", cache.FromMemory, ""})
			})
		}
	}
}
