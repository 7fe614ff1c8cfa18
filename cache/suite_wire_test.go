package cache_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// suiteWire puts net/http between a cache and the origin of the suite: bodies come in chunks, and
// compressed if net/http has asked for that. If the origin sends a Content-Length, the body is
// neither (RFC 9112 §6.2). Content of which a range is asked later is not compressed, because net/http
// decodes it, and ranges are of the bytes that the origin sends.
func suiteWire(t *testing.T, o http.RoundTripper, compress bool) http.RoundTripper {
	t.Helper()
	tr := &http.Transport{
		DisableKeepAlives: true, // a request that breaks a connection is not tried again
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go serveSuite(far, o, compress)
			return near, nil
		},
	}
	w := &framed{Transport: tr, compressed: compress}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		if w.bodies < 100 {
			t.Errorf("%d bodies came as they were to come", w.bodies)
		}
	})
	return w
}

// framed counts the bodies that arrive in chunks, or compressed.
type framed struct {
	*http.Transport
	compressed bool
	mu         sync.Mutex
	bodies     int
}

func (w *framed) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.Transport.RoundTrip(req)
	if err == nil && resp.Uncompressed == w.compressed && (w.compressed || len(resp.TransferEncoding) > 0) {
		w.mu.Lock()
		w.bodies++
		w.mu.Unlock()
	}
	return resp, err
}

// serveSuite answers one request.
func serveSuite(conn net.Conn, o http.RoundTripper, compress bool) {
	defer conn.Close()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if req.URL, err = url.Parse("http://" + req.Host + req.RequestURI); err != nil {
		return
	}
	resp, err := o.RoundTrip(req)
	if err != nil {
		return
	}
	resp.ProtoMajor, resp.ProtoMinor = 1, 1
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	resp.ContentLength = int64(len(body))
	plain := len(body) == 0 || resp.Header["Content-Length"] != nil
	ranges := strings.HasPrefix(req.Header.Get("Test-Id"), "partial-")
	if compress && !plain && !ranges && req.Header.Get("Accept-Encoding") == "gzip" && resp.Header["Content-Encoding"] == nil {
		resp.Header.Set("Content-Encoding", "gzip")
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body)
		_ = z.Close()
		body = b.Bytes()
	}
	if !plain {
		resp.ContentLength, resp.TransferEncoding = -1, []string{"chunked"}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	_ = resp.Write(conn)
}
