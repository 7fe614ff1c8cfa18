package cache_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
)

// An encoded body answers requests that accept its coding, and requests with the same
// Accept-Encoding as the first one, whether Vary names Accept-Encoding or not.
func TestACodingAnswersCallersThatAcceptIt(t *testing.T) {
	const absent = "(absent)"
	for name, row := range map[string]struct {
		first, coding, next string
		serves              bool
	}{
		"the same":               {"gzip, br", "gzip", "gzip,br", true},
		"another list":           {"gzip", "gzip", "br, gzip;q=0.5", true},
		"in another case":        {"gzip", "GZip", "GZIP", true},
		"the old name":           {"gzip", "x-gzip", "gzip", true},
		"any":                    {"gzip", "gzip", "*", true},
		"any other":              {"gzip", "gzip", "gzip;q=0, *", false},
		"any but by name":        {"gzip", "gzip", "*;q=0, gzip;q=0.001", true},
		"nothing but plain":      {"gzip", "gzip", "identity", false},
		"not asked for":          {"gzip", "gzip", absent, false},
		"empty":                  {"gzip", "gzip", "", false},
		"refused":                {"gzip", "gzip", "gzip;q=0.000", false},
		"refused in capitals":    {"gzip", "gzip", "gzip; Q = 0", false},
		"two, both":              {"gzip, br", "gzip, br", "br, gzip", true},
		"two, one":               {"gzip, br", "gzip, br", "br", false},
		"always in a coding":     {absent, "gzip", absent, true},
		"always, then asked for": {absent, "gzip", "gzip", true},
		"always, then plain":     {absent, "gzip", "identity", false},
		"plain":                  {"gzip", "identity", absent, true},
		"no coding":              {"gzip", "", absent, true},
	} {
		t.Run(name, func(t *testing.T) {
			pairs := []string{"Cache-Control", "max-age=600"}
			if row.coding != "" {
				pairs = append(pairs, "Content-Encoding", row.coding)
			}
			o := script(say(200, "first", pairs...), say(200, "second", "Cache-Control", "max-age=600"))
			tr := newTransport(t, o, nil)
			ask := func(accept string) result {
				if accept == absent {
					return get(t, tr, home)
				}
				return get(t, tr, home, "Accept-Encoding", accept)
			}
			ask(row.first)
			if got := ask(row.next); (got.Body == "first") != row.serves || (got.From == cache.FromMemory) != row.serves {
				t.Errorf("%q after %q: %+v", row.next, row.first, got)
			}
			want(t, "the first again", ask(row.first), result{200, "first", cache.FromMemory, ""})
		})
	}
}

// Over net/http, a caller without Accept-Encoding reads text, as it does without a cache, even if a
// store has the encoded bytes of another caller.
func TestACallerOfNetHTTPReadsText(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("text"))
	_ = z.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}))
	t.Cleanup(server.Close)
	for name, store := range map[string]cache.Store{"memory": newMemory(t), "disk": patientDisk{openDisk(t)}} {
		tr := newTransportOver(t, store, server.Client().Transport, nil)
		for range 2 {
			if got := get(t, tr, server.URL, "Accept-Encoding", "gzip"); got.Body != packed.String() {
				t.Errorf("%s: a caller that unpacks by itself gets %q", name, got.Body)
			}
			if got := get(t, tr, server.URL); got.Body != "text" {
				t.Errorf("%s: a caller that says nothing gets %q", name, got.Body)
			}
		}
	}
}
