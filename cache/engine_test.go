package cache

import (
	"net/http"
	"testing"
	"time"
)

// t0 is when the responses of these tests arrive.
func t0() time.Time { return time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC) }

// at formats a time relative to t0.
func at(d time.Duration) string { return t0().Add(d).Format(http.TimeFormat) }

// header makes a header of pairs.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// unusedStore is the store of an Engine that does not use it.
type unusedStore struct{ Store }

// entry returns the entry that the engine makes of a response that took delay to arrive.
func entry(status int, h http.Header, delay time.Duration, opts Options, rules Rules) *Entry {
	e := newEntry(&call{key: "k", ask: &Ask{}}, &http.Response{StatusCode: status, Header: h}, []byte("body"),
		&exchange{sent: t0().Add(-delay), received: t0()}, false)
	NewEngine(unusedStore{}, &opts).finish(rules, e)
	return e
}

// An obligation is obeyed in spite of all directives. A floor does not make a response fresh.
func TestDecideObligation(t *testing.T) {
	overlay := func(*Entry, Lifetime) Lifetime {
		return Lifetime{For: 24 * time.Hour, Source: "negative", Obligation: true}
	}
	e := entry(404, header("Cache-Control", "no-cache"), 0, Options{}, &TestRules{Lifetimes: overlay})
	for _, request := range []string{"", "no-cache", "max-age=0", "no-store"} {
		d := parseRequest([]string{request}, nil)
		if got := e.decide(&d, 23*time.Hour, true); got != useFresh {
			t.Errorf("request %q inside the obligation: %v, want fresh", request, got)
		}
		if got := e.decide(&d, 24*time.Hour, true); got != useNot {
			t.Errorf("request %q after the obligation: %v, want revalidation", request, got)
		}
	}
}

// Even if an Origin reports no facts about its connection, it reports whether it decoded the
// content. A 304 and a store keep that.
func TestAnEntryKnowsThatItsContentWasDecoded(t *testing.T) {
	for _, decoded := range []bool{false, true} {
		e := newEntry(&call{key: "k", ask: &Ask{}}, &http.Response{StatusCode: 200, Header: header("ETag", `"1"`), Uncompressed: decoded}, []byte("body"), &exchange{}, false)
		e.outer = e.outer.validated(nil)
		data, err := (&Variants{Entries: []*Entry{e}}).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		stored, err := UnmarshalVariants(data)
		if err != nil {
			t.Fatal(err)
		}
		if e.Decoded() != decoded || stored.Entries[0].Decoded() != decoded {
			t.Errorf("decoded %v: %v, from a store %v", decoded, e.Decoded(), stored.Entries[0].Decoded())
		}
	}
}
