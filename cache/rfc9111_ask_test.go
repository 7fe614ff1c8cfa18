package cache_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// How a stored response is validated, and what becomes of it.
func TestValidation(t *testing.T) {
	const (
		tagged = `200 one | Cache-Control: no-cache | Etag: "1"`
		asked  = `If-None-Match: "1"`
		dated  = "200 one | Cache-Control: no-cache | Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"
		since  = "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT"
	)
	// refetched is a 304 about something else: one plain request follows.
	refetched := func(body string) seen {
		s := sawFetch(body)
		s.Asked = []string{asked, plain}
		return s
	}
	instead := func(conditions, body string) seen {
		s := sawFetch(body)
		s.Asked = []string{conditions}
		return s
	}
	runLaws(t, []law{
		rule("RFC 9111 §4.3.1 ¶4", "Last-Modified as received",
			turn{say: "200 one | Cache-Control: no-cache | Last-Modified: Saturday, 01-Jan-00 00:00:00 GMT"},
			turn{say: "304", want: sawValidated("one", "If-Modified-Since: Saturday, 01-Jan-00 00:00:00 GMT")}),
		rule("RFC 9111 §4.3.1 ¶5", "entity tag as received", turn{say: tagged}, turn{say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9110 §8.8.3 ¶4", "a weak one with its W/",
			turn{say: `200 one | Cache-Control: no-cache | Etag: W/"1"`},
			turn{say: "304", want: sawValidated("one", `If-None-Match: W/"1"`)}),
		rule("RFC 9110 §8.8.3 ¶4", "one without quotes as it is",
			turn{say: `200 one | Cache-Control: no-cache | Etag: 1`},
			turn{say: "304", want: sawValidated("one", `If-None-Match: 1`)}),
		rule("RFC 9110 §13.1.3 ¶3", "both validators are sent",
			turn{say: tagged + " | Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"},
			turn{say: "304", want: sawValidated("one", asked, since)}),
		rule("RFC 9111 §4.3.1 ¶2", "without a validator there is no condition",
			turn{say: "200 one | Cache-Control: no-cache"}, turn{say: "200 two"}),
		rule("RFC 9111 §4.3.3 ¶2.1", "304 after expiry",
			turn{say: `200 one | Cache-Control: max-age=60 | Etag: "1"`},
			turn{wait: 59 * time.Second, want: sawHit("one", 59)},
			turn{wait: time.Second, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.3 ¶2.1", "a validator outlives freshness by the retention",
			turn{say: tagged},
			turn{wait: cache.Retention - time.Second, say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.3 ¶2.2", "a full answer replaces",
			turn{say: tagged},
			turn{say: `200 two | Cache-Control: max-age=60 | Etag: "2"`, want: instead(asked, "two")},
			turn{want: sawHit("two", 0)}),
		rule("RFC 9111 §4.3.3 ¶2.2", "also one that may not be stored, which then leaves nothing",
			turn{say: tagged},
			turn{say: "200 two | Cache-Control: no-store", want: instead(asked, "two")},
			turn{say: "200 three"}),
		rule("RFC 9111 §4.3.3 ¶2.2", "404 is a full answer",
			turn{say: tagged},
			turn{say: "404 gone", want: seen{Asked: []string{asked}, Status: 404, Body: "gone", From: cache.FromNetwork}},
			turn{say: "200 two"}),
		rule("RFC 9111 §4.3.3 ¶2.3", "5xx is passed on, and what is stored stays",
			turn{say: tagged},
			turn{say: "503 down", want: seen{Asked: []string{asked}, Status: 503, Body: "down", From: cache.FromNetwork}},
			turn{say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.3 ¶2.3", "or the stored response answers, where it may",
			turn{say: `200 one | Cache-Control: max-age=60, stale-if-error=60 | Etag: "1"`},
			turn{wait: time.Minute, say: "503 down", want: sawStale("one", cache.StaleError, 60, asked)},
			turn{say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.4 ¶3.1", "the same strong tag",
			turn{say: tagged}, turn{say: `304 | Etag: "1"`, want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.4 ¶3.1", "another strong tag: one plain request",
			turn{say: tagged},
			turn{say: "304 | Etag: \"2\"\n200 two", want: refetched("two")}),
		rule("RFC 9111 §4.3.4 ¶3.1", "a strong tag where none is stored",
			turn{say: dated},
			turn{say: "304 | Etag: \"2\"\n200 two", want: seen{Asked: []string{since, plain}, Status: 200, Body: "two", From: cache.FromNetwork}}),
		rule("RFC 9111 §4.3.4 ¶3.1", "never two plain requests",
			turn{say: tagged},
			turn{say: "304 | Etag: \"2\"\n304 | Etag: \"3\"", want: seen{Asked: []string{asked, plain}, Status: 304, From: cache.FromNetwork}},
			turn{say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.4 ¶3.1", "the plain request fails",
			turn{say: tagged},
			turn{say: "304 | Etag: \"2\"\ndown", want: sawError(asked, plain)},
			turn{say: "304", want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.4 ¶3.2", "a strong tag for a weak one (DIVERGENCES)",
			turn{say: `200 one | Cache-Control: no-cache | Etag: W/"1"`},
			turn{say: `304 | Etag: "1"`, want: sawValidated("one", `If-None-Match: W/"1"`)}),
		rule("RFC 9111 §4.3.4 ¶3.2", "the same tag, weak",
			turn{say: tagged}, turn{say: `304 | Etag: W/"1"`, want: sawValidated("one", asked)}),
		rule("RFC 9111 §4.3.4 ¶3.2", "another weak tag: one plain request",
			turn{say: tagged}, turn{say: "304 | Etag: W/\"2\"\n200 two", want: refetched("two")}),
		rule("RFC 9111 §4.3.4 ¶3.2", "a weak tag where none is stored",
			turn{say: dated},
			turn{say: `304 | Etag: W/"2"`, want: sawValidated("one", since)},
			turn{say: "304", want: sawValidated("one", `If-None-Match: W/"2"`, since)}),
		rule("RFC 9111 §4.3.4 ¶3.2", "another Last-Modified: one plain request",
			turn{say: dated},
			turn{say: "304 | Last-Modified: {-1h}\n200 two", want: seen{Asked: []string{since, plain}, Status: 200, Body: "two", From: cache.FromNetwork}}),
		rule("RFC 9111 §4.3.4 ¶3.2", "the same Last-Modified",
			turn{say: dated}, turn{say: "304 | Last-Modified: {+0s}", want: sawValidated("one", since)}),
		rule("RFC 9111 §4.3.4 ¶3.3", "no validator in the 304",
			turn{say: dated}, turn{say: "304", want: sawValidated("one", since)}),
		rule("RFC 9110 §15.4.5 ¶1", "a 304 to a plain request is passed on and not stored",
			turn{say: "304 | Cache-Control: max-age=60", want: seen{Asked: []string{plain}, Status: 304, From: cache.FromNetwork}},
			turn{say: "200 one"}),
		rule("RFC 9111 §4.3.2 ¶2", "the caller's own conditions pass",
			turn{say: tagged},
			turn{ask: `If-None-Match: "9"`, say: "304", want: seen{Asked: []string{`If-None-Match: "9"`}, Status: 304}},
			turn{ask: "If-Modified-Since: {-1h}", say: "200 two", want: seen{Asked: []string{"If-Modified-Since: {-1h}"}, Status: 200, Body: "two"}},
			turn{ask: `If-Match: "1"`, say: "412 no", want: seen{Asked: []string{`If-Match: "1"`}, Status: 412, Body: "no"}},
			turn{say: "304", want: sawValidated("one", asked)}),
	})
}

// RFC 9111 §4.3.4: a 304 updates its response even if the store has lost it meanwhile.
func TestForgottenWhileValidated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, store := &origin{}, newMemory(t)
		tr := newTransportOver(t, store, o, &cache.Options{Strict: true})
		var key string
		o.answer = func(n int, req *http.Request) (*http.Response, error) {
			if n == 1 {
				return response(200, "one", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
			}
			if err := store.Delete(req.Context(), key); err != nil {
				t.Error(err)
			}
			return response(304, "", "Etag", `"1"`), nil
		}
		get(t, tr, home)
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		e, _, _ := cache.Of(resp)
		key = e.Key
		time.Sleep(time.Minute)
		want(t, "validated", get(t, tr, home), result{200, "one", cache.FromValidated, ""})
		want(t, "stored again", get(t, tr, home), result{200, "one", cache.FromMemory, ""})
	})
}

// These are the effects of a request with another method on the stored responses of its URL.
func TestInvalidation(t *testing.T) {
	const fresh = "200 one | Cache-Control: max-age=60"
	var laws []law
	for _, tt := range []struct {
		section, method, status string
		gone                    bool
	}{
		{"RFC 9111 §4.4 ¶2", "POST", "200", true},
		{"RFC 9111 §4.4 ¶2", "PUT", "204", true},
		{"RFC 9111 §4.4 ¶2", "DELETE", "202", true},
		{"RFC 9111 §4.4 ¶2", "PATCH", "201", true},
		{"RFC 9111 §4.4 ¶2", "FROB", "200", true},
		{"RFC 9111 §4.4 ¶5", "POST", "303", true},
		{"RFC 9111 §4.4 ¶5", "POST", "400", false},
		{"RFC 9111 §4.4 ¶5", "PUT", "500", false},
		{"RFC 9111 §4.4 ¶1", "OPTIONS", "200", false},
		{"RFC 9111 §4.4 ¶1", "TRACE", "200", false},
	} {
		after := turn{want: sawHit("one", 0)}
		if tt.gone {
			after = turn{say: "200 two"}
		}
		laws = append(laws, rule(tt.section, tt.method+" answered "+tt.status,
			turn{say: fresh},
			turn{method: tt.method, say: tt.status + " done", want: seen{Asked: []string{plain}, Body: "done", Status: statusOf(t, tt.status)}},
			after))
	}
	runLaws(t, append(laws,
		rule("RFC 9111 §4.4 ¶1", "HEAD is answered from a stored GET, and invalidates nothing",
			turn{say: fresh},
			turn{method: "HEAD", want: seen{Status: 200, From: cache.FromMemory, Age: "0"}},
			turn{want: sawHit("one", 0)}),
		rule("RFC 9111 §4.4 ¶1", "HEAD that passes invalidates nothing",
			turn{say: fresh + " | Vary: Accept"},
			turn{method: "HEAD", ask: "Accept: b", say: "200 done", want: sawPassed(200, "done")},
			turn{want: sawHit("one", 0)}),
		rule("RFC 9111 §4.4 ¶2", "a request that fails invalidates nothing",
			turn{say: fresh},
			turn{method: "POST", say: "down", want: sawError(plain)},
			turn{want: sawHit("one", 0)}),
		rule("RFC 9111 §4.4 ¶4", "all variants go",
			turn{ask: "Accept: a", say: fresh + " | Vary: Accept"},
			turn{ask: "Accept: b", say: fresh + " | Vary: Accept"},
			turn{method: "POST", say: "200 done", want: sawPassed(200, "done")},
			turn{ask: "Accept: a", say: "200 two"},
			turn{ask: "Accept: b", say: "200 three"}),
	))
}

func statusOf(t *testing.T, text string) int {
	t.Helper()
	r, err := turn{}.answer(text)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode
}

// The effects of a request's own directives.
func TestDemands(t *testing.T) {
	const (
		minute = `200 one | Cache-Control: max-age=60 | Etag: "1"`
		asked  = `If-None-Match: "1"`
	)
	valid := sawValidated("one", asked)
	// then is a law about a second request after a while. If say is "", the stored response
	// answers.
	then := func(section, name, first string, wait time.Duration, ask, say string, want seen) law {
		return rule(section, name, turn{say: first}, turn{wait: wait, ask: ask, say: say, want: want})
	}
	const s = time.Second
	runLaws(t, []law{
		then("RFC 9111 §5.2.1.1 ¶3", "max-age, younger", minute, 30*s, "Cache-Control: max-age=30", "", sawHit("one", 30)),
		then("RFC 9111 §5.2.1.1 ¶3", "max-age, older", minute, 31*s, "Cache-Control: max-age=30", "304", valid),
		then("RFC 9111 §5.2.1.1 ¶3", "max-age, older by less than a second", minute, 30*s+1, "Cache-Control: max-age=30", "304", valid),
		then("RFC 9111 §5.2.1.1 ¶3", "max-age=0", minute, 0, "Cache-Control: max-age=0", "304", valid),
		then("RFC 9111 §5.2.1.1 ¶3", "max-age does not freshen", minute, 60*s, "Cache-Control: max-age=3600", "304", valid),
		then("RFC 9111 §5.2.1.1 ¶3", "the shortest of two", minute, 30*s, "Cache-Control: max-age=50, max-age=20", "304", valid),
		then("RFC 9111 §5.2.1.1 ¶3", "nonsense is zero", minute, 0, "Cache-Control: max-age=x", "304", valid),
		then("RFC 9111 §5.2 ¶5", "quoted-string form", minute, 30*s, `Cache-Control: max-age="30"`, "", sawHit("one", 30)),
		then("RFC 9111 §5.2 ¶5", "any case", minute, 31*s, "Cache-Control: MAX-age=30", "304", valid),
		then("RFC 9110 §5.3 ¶2", "the second line counts", minute, 31*s, "Cache-Control: x | Cache-Control: max-age=30", "304", valid),
		then("RFC 9111 §5.2.3 ¶1", "unknown directives", minute, 30*s, `Cache-Control: x="no-cache, max-age=0", y`, "", sawHit("one", 30)),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale, however stale", minute, 23*time.Hour, "Cache-Control: max-stale", "", sawStale("one", cache.StaleAccepted, 23*3600)),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale, within", minute, 65*s, "Cache-Control: max-stale=5", "", sawStale("one", cache.StaleAccepted, 65)),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale, beyond", minute, 66*s, "Cache-Control: max-stale=5", "304", valid),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale, fresh", minute, 59*s, "Cache-Control: max-stale", "", sawHit("one", 59)),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale, nonsense is none", minute, 60*s, "Cache-Control: max-stale=x", "304", valid),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale, empty is none", minute, 60*s, "Cache-Control: max-stale=", "304", valid),
		then("RFC 9111 §5.2.1.2 ¶3", "the shortest of two", minute, 66*s, "Cache-Control: max-stale, max-stale=5", "304", valid),
		then("RFC 9111 §5.2.1.2 ¶3", "max-stale without any lifetime", `200 one | Etag: "1"`, 5*s, "Cache-Control: max-stale=5", "", sawStale("one", cache.StaleAccepted, 5)),
		then("RFC 9111 §5.2.1.1 ¶3", "max-stale beside max-age, stale enough", minute, 65*s, "Cache-Control: max-age=65, max-stale=5", "", sawStale("one", cache.StaleAccepted, 65)),
		then("RFC 9111 §5.2.1.1 ¶3", "max-stale beside max-age, too old", minute, 65*s, "Cache-Control: max-age=64, max-stale=5", "304", valid),
		then("RFC 9111 §5.2.1.3 ¶3", "min-fresh, for long enough", minute, 50*s, "Cache-Control: min-fresh=10", "", sawHit("one", 50)),
		then("RFC 9111 §5.2.1.3 ¶3", "min-fresh, not for long enough", minute, 51*s, "Cache-Control: min-fresh=10", "304", valid),
		then("RFC 9111 §5.2.1.3 ¶3", "min-fresh, nonsense is none", minute, 51*s, "Cache-Control: min-fresh=x", "", sawHit("one", 51)),
		then("RFC 9111 §5.2.1.3 ¶3", "min-fresh beside max-stale", minute, 51*s, "Cache-Control: min-fresh=10, max-stale", "304", valid),
		then("RFC 9111 §5.2.1.3 ¶3", "min-fresh beside max-stale, stale", minute, 61*s, "Cache-Control: min-fresh=10, max-stale", "304", valid),
		then("RFC 9111 §5.2.1.4 ¶1", "no-cache validates, and is no bare GET", minute, 0, "Cache-Control: no-cache", "304", valid),
		then("RFC 9111 §5.2.1.4 ¶1", "no-cache beats max-stale", minute, 60*s, "Cache-Control: no-cache, max-stale", "304", valid),
		then("RFC 9111 §5.2.1.6 ¶1", "no-transform asks nothing of us", minute, 0, "Cache-Control: no-transform", "", sawHit("one", 0)),
		then("RFC 9111 §5.2.1.7 ¶1", "only-if-cached, fresh", minute, 0, "Cache-Control: only-if-cached", "", sawHit("one", 0)),
		then("RFC 9111 §5.2.1.7 ¶1", "only-if-cached, stale", minute, 60*s, "Cache-Control: only-if-cached", "", sawTimeout()),
		then("RFC 9111 §5.2.1.7 ¶1", "only-if-cached, with the other constraints", minute, 0, "Cache-Control: only-if-cached, no-cache", "", sawTimeout()),
		then("RFC 9111 §5.2.1.7 ¶1", "only-if-cached, stale and accepted", minute, 65*s, "Cache-Control: only-if-cached, max-stale=5", "", sawStale("one", cache.StaleAccepted, 65)),
		rule("RFC 9111 §5.2.1.7 ¶1", "only-if-cached, nothing stored", turn{ask: "Cache-Control: only-if-cached", want: sawTimeout()}),
		rule("RFC 9111 §5.2.1.5 ¶1", "no-store stores nothing",
			turn{ask: "Cache-Control: no-store", say: minute},
			turn{ask: "Cache-Control: only-if-cached", want: sawTimeout()}),
		rule("RFC 9111 §5.2.1.5 ¶3", "no-store may be answered by what is stored",
			turn{say: minute}, turn{ask: "Cache-Control: no-store", want: sawHit("one", 0)}),
		rule("RFC 9111 §5.2.1.5 ¶1", "no-store leaves what is stored as it is",
			turn{say: minute},
			turn{wait: time.Minute, ask: "Cache-Control: no-store", say: `200 two | Cache-Control: max-age=60`, want: seen{Asked: []string{asked}, Status: 200, Body: "two", From: cache.FromNetwork}},
			turn{say: "304", want: valid}),
		rule("RFC 9111 §5.2.1.5 ¶1", "also when it was validated",
			turn{say: minute},
			turn{wait: time.Minute, ask: "Cache-Control: no-store", say: "304", want: valid},
			turn{say: "304", want: valid}),
		then("RFC 9111 §5.4 ¶1", "Pragma alone", minute, 0, "Pragma: no-cache", "304", valid),
		then("RFC 9111 §5.4 ¶1", "Pragma in any case", minute, 0, "Pragma: No-Cache", "304", valid),
		then("RFC 9111 §5.4 ¶1", "Pragma beside Cache-Control", minute, 0, "Pragma: no-cache | Cache-Control: max-age=60", "", sawHit("one", 0)),
		then("RFC 9111 §5.4 ¶1", "another Pragma", minute, 0, "Pragma: foo", "", sawHit("one", 0)),
		then("RFC 8246 §2 ¶3", "immutable, in Strict no-cache validates", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 0, "Cache-Control: no-cache", "304", valid),
		then("RFC 8246 §2 ¶3", "immutable and fresh: no conditional request on reload", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 59*s, "Cache-Control: max-age=0", "", sawHit("one", 59)).under(cache.Options{}),
		then("RFC 8246 §2 ¶3", "immutable and fresh: a forced reload", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 59*s, "Cache-Control: no-cache", "304", valid).under(cache.Options{}),
		then("RFC 8246 §2 ¶3", "immutable and fresh: Pragma forces too", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 59*s, "Pragma: no-cache", "304", valid).under(cache.Options{}),
		then("RFC 8246 §2 ¶3", "immutable, in Strict max-age=0 validates", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 0, "Cache-Control: max-age=0", "304", valid),
		then("RFC 8246 §2 ¶3", "immutable, insisting", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 0, "Cache-Control: no-cache, max-age=0", "304", valid).under(cache.Options{}),
		then("RFC 8246 §2 ¶3", "immutable, stale", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 60*s, "Cache-Control: no-cache", "304", valid).under(cache.Options{}),
		then("RFC 8246 §2 ¶3", "immutable, stale and accepted: no-cache wins", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 60*s, "Cache-Control: no-cache, max-stale", "304", valid).under(cache.Options{}),
		then("RFC 8246 §2 ¶1", "immutable does not prolong", "200 one | Cache-Control: max-age=60, immutable | Etag: \"1\"", 60*s, "", "304", valid).under(cache.Options{}),
		then("RFC 8246 §2 ¶1", "immutable is no lifetime", "200 one | Cache-Control: immutable | Etag: \"1\"", 0, "", "304", valid).under(cache.Options{}),
	})
}

// The callers that a stored response may answer.
func TestCredentials(t *testing.T) {
	const fresh = "200 one | Cache-Control: max-age=60"
	var laws []law
	for _, field := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
		laws = append(laws, rule("RFC 9111 §3.5 ¶1", field+" is stored by a private cache, apart",
			turn{ask: field + ": a", say: fresh},
			turn{ask: field + ": a", want: sawHit("one", 0)},
			turn{ask: field + ": b", say: "200 two"},
			turn{say: "200 three"}))
	}
	runLaws(t, laws)
}

// An error of the origin is returned unchanged, and an error of a body is returned at its end.
func TestErrorsPass(t *testing.T) {
	o := script(fail(errDown), func(*http.Request) (*http.Response, error) { return turn{}.answer("cut") })
	tr := newTransport(t, o, &cache.Options{Strict: true})
	if _, err := tr.RoundTrip(newRequest(t.Context(), home)); !errors.Is(err, errDown) {
		t.Errorf("RoundTrip = %v, want %v", err, errDown)
	}
	resp, err := tr.RoundTrip(newRequest(t.Context(), home))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); string(b) != "half" || err != io.ErrUnexpectedEOF {
		t.Errorf("body %q, %v; want half of it and %v", b, err, io.ErrUnexpectedEOF)
	}
}
