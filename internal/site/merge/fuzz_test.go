package merge_test

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/resolve"
)

// FuzzPair merges any two documents with any robots.txt. Steps are in proportion to the bytes, the
// order of arrival does not matter, each capability has a key of its own, and cancelled work leaves
// no goroutine behind.
func FuzzPair(f *testing.F) {
	documents := worstDocuments()
	for i, d := range documents {
		other := documents[(i+1)%len(documents)]
		f.Add([]byte(d.of(1<<10, "x")), []byte(d.of(1<<10, "y")), []byte("User-agent: *\nDisallow: /*x\n"), "/1", "/2")
		f.Add([]byte(d.of(1<<10, "x")), []byte(other.of(1<<10, "y")), []byte("Disallow: /\n"), d.path, other.path)
	}
	reader := newReader()
	f.Fuzz(func(t *testing.T, a, b, rules []byte, at, beside string) {
		in := merge.Input{Target: resolve.Target{Origin: "https://shop.example"}, Robots: robotsOf(rules)}
		w := fuel.Under(t.Context())
		for i, body := range [][]byte{a, b} {
			u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/" + []string{at, beside}[i]}
			res := &reading.Response{URL: u, Status: http.StatusOK, Header: http.Header{}, Body: body, Digest: sha256.Sum256(body)}
			o := &merge.Outcome{Candidate: &places.Candidate{URL: u.String(), Depth: i}}
			if err := w.Do(func() {
				o.Readings, o.Diagnostics = reader.Read(w, res).At(reading.At{Work: w, Requested: u, Final: u})
			}); err != nil {
				t.Fatal(err)
			}
			in.Outcomes = append(in.Outcomes, o)
		}
		site, err := merge.SiteWithin(w, in)
		if err != nil {
			t.Fatal(err)
		}
		const besides = 20_000 // of small documents
		if most := besides + stepsPerByte*int64(len(a)+len(b)+len(rules)); w.Steps() > most {
			t.Errorf("%d steps for %d, %d and %d bytes", w.Steps(), len(a), len(b), len(rules))
		}
		keys := map[string]bool{}
		for _, c := range site.Capabilities() {
			if keys[c.Key] {
				t.Errorf("two capabilities have the key %q", c.Key)
			}
			keys[c.Key] = true
		}
		whole := jsonOf(t, site)
		slices.Reverse(in.Outcomes)
		if again := jsonOf(t, merge.Site(in)); again != whole {
			t.Errorf("in the other order:\n%s\n%s", whole, again)
		}
		if part, err := merge.SiteWithin(fuel.Within(1), in); err == nil && len(site.Sources) > 0 || err != nil && len(part.Sources)+len(part.Services) > 0 {
			t.Errorf("ended with %v, and %d services are there", err, len(part.Services))
		}
	})
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
