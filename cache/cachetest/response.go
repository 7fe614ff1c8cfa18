package cachetest

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// shelf is a store of one key. A Transport uses it that must not wait for the store under test.
type shelf struct {
	cache.Store
	key string
	has *cache.Variants
}

func (s *shelf) Load(_ context.Context, key string) (*cache.Variants, error) {
	if key != s.key {
		return nil, nil
	}
	return s.has, nil
}

func (s *shelf) Save(_ context.Context, key string, v *cache.Variants, _ time.Duration) error {
	s.key, s.has = key, v
	return nil
}

// secured answers one request, as a server that supports HTTP/2 and compresses.
type secured struct{ asked bool }

func (o *secured) RoundTrip(req *http.Request) (*http.Response, error) {
	if o.asked {
		return nil, errors.New("asked twice")
	}
	o.asked = true
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/2.0", ProtoMajor: 2, Request: req, ContentLength: -1, Uncompressed: true,
		Header: http.Header{"Cache-Control": {"max-age=600"}}, Trailer: http.Header{"X-Sum": {"123", ""}},
		Body: io.NopCloser(strings.NewReader("text")),
		TLS: &tls.ConnectionState{
			Version: tls.VersionTLS13, CipherSuite: tls.TLS_AES_128_GCM_SHA256, HandshakeComplete: true, ServerName: "example.com",
			PeerCertificates: []*x509.Certificate{{Raw: []byte("leaf")}, {Raw: []byte("root")}},
		},
	}, nil
}

// testResponse checks that the properties of a response that net/http reports, in addition to
// status, fields and content, survive when its entry is saved and loaded. For TLS a store may
// keep only the version, the cipher suite and the digests of the certificates.
func testResponse(t *testing.T, s cache.Store) {
	on := &shelf{}
	tr := cache.NewTransport(on, &secured{}, nil)
	defer tr.Close()
	first := respond(t, tr)
	if on.has == nil {
		t.Fatal("the response was not stored")
	}
	before := on.has
	save(t, s, on.key, before, time.Hour)
	on.has = load(t, s, on.key)
	compare(t, before, on.has)
	if diff := cmp.Diff(first, respond(t, tr)); diff != "" {
		t.Errorf("the response (-as received +as loaded):\n%s", diff)
	}
}

// statement contains the properties of a response.
type statement struct {
	Proto          string
	Major, Minor   int
	Uncompressed   bool
	Trailer        http.Header
	Version, Suite uint16
	Shaken         bool
	Peers          [][sha256.Size]byte
	Body           string
}

func respond(t *testing.T, tr *cache.Transport) statement {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	e, _, ok := cache.Of(resp)
	if err != nil || !ok || resp.TLS == nil {
		t.Fatalf("a response without an entry: %v, TLS %v", err, resp.TLS)
	}
	return statement{
		resp.Proto, resp.ProtoMajor, resp.ProtoMinor, resp.Uncompressed, resp.Trailer,
		resp.TLS.Version, resp.TLS.CipherSuite, resp.TLS.HandshakeComplete, e.PeerDigests(), string(body),
	}
}
