package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
)

// RFC 9110 §15.2: interim responses reach the caller whose request brings the final
// one. A stored response has neither them nor their fields.
func TestInterimResponsesReachTheirCallerAndAreNotStored(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProcessing)
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = w.Write([]byte("x"))
	}))
	defer origin.Close()
	tr := newTransport(t, origin.Client().Transport, &cache.Options{Strict: true})
	for _, row := range []struct {
		from    string
		interim []string
	}{
		{cache.FromNetwork, []string{"102 []", "103 [</style.css>; rel=preload]"}},
		{cache.FromMemory, nil},
	} {
		var interim []string
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
				interim = append(interim, fmt.Sprint(code, " ", header["Link"]))
				return nil
			},
		})
		resp, err := tr.RoundTrip(newRequest(ctx, origin.URL))
		if err != nil {
			t.Fatal(err)
		}
		_, facts, _ := cache.Of(resp)
		if !slices.Equal(interim, row.interim) || facts.From != row.from || resp.Header["Link"] != nil {
			t.Errorf("from %s after %q, with %v; want %s after %q", facts.From, interim, resp.Header, row.from, row.interim)
		}
		if text, err := io.ReadAll(resp.Body); string(text) != "x" || err != nil {
			t.Errorf("the body is %q, %v", text, err)
		}
		_ = resp.Body.Close()
	}
}
