package fetch

import (
	"io"
	"net/http"
	"testing"
)

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestStatusesWithoutContent: 204 and 304 have no content, whatever a peer
// sends after them, and the Content-Length of a 304 is that of another answer
// (RFC 9110 §8.6).
func TestStatusesWithoutContent(t *testing.T) {
	for _, status := range []int{204, 304} {
		resp, err := NewBody(roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: 100, Body: io.NopCloser(endless{})}, nil
		})).RoundTrip(request(t, t.Context(), site))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.CopyN(io.Discard, resp.Body, 1<<20)
		if n != 0 || err != io.EOF || resp.ContentLength != 0 {
			t.Errorf("%d: %d bytes of %d, %v", status, n, resp.ContentLength, err)
		}
	}
	for _, proto := range []string{"h2", "http/1.1"} {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", "100")
			rw.WriteHeader(http.StatusNotModified)
		}, proto)
		rt := w.stack(nil)
		for range 3 {
			sameAnswer(t, answer{Status: 304}, get(t, t.Context(), rt, site))
		}
		if w.dialCount() != 1 {
			t.Errorf("%s: %d dials", proto, w.dialCount())
		}
	}
}
