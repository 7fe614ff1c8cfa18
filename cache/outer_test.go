package cache_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// entryOf returns the entry that a Transport makes of a response.
func entryOf(t *testing.T, change func(*http.Response)) *cache.Entry {
	t.Helper()
	tr := newTransport(t, &origin{answer: func(int, *http.Request) (*http.Response, error) {
		r := response(200, "x", "Cache-Control", "max-age=60")
		change(r)
		return r, nil
	}}, nil)
	resp, err := tr.RoundTrip(newRequest(t.Context(), home))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	e, _, ok := cache.Of(resp)
	if !ok {
		t.Fatal("no entry")
	}
	return e
}

// chain returns the certificates of an origin.
func chain(names ...string) *tls.ConnectionState {
	state := &tls.ConnectionState{Version: tls.VersionTLS13, CipherSuite: tls.TLS_AES_256_GCM_SHA384}
	for _, name := range names {
		state.PeerCertificates = append(state.PeerCertificates, &x509.Certificate{Raw: []byte(name)})
	}
	return state
}

// The facts of a response are serialised in each combination, damage is found, and only the digests
// of its certificates are restored.
func TestFactsOfAResponseAreWrittenDownAndReadBack(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*http.Response)
		peers  [][sha256.Size]byte
	}{
		"nothing":      {change: func(*http.Response) {}},
		"protocol":     {change: func(r *http.Response) { r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/3.0", 3, 0 }},
		"trailer":      {change: func(r *http.Response) { r.Trailer = http.Header{"X-Sum": {"1", ""}, "X-None": {}} }},
		"uncompressed": {change: func(r *http.Response) { r.Uncompressed, r.ContentLength = true, -1 }},
		"TLS":          {change: func(r *http.Response) { r.TLS = chain() }},
		"a chain":      {change: func(r *http.Response) { r.TLS = chain("leaf", "root") }, peers: [][sha256.Size]byte{sha256.Sum256([]byte("leaf")), sha256.Sum256([]byte("root"))}},
	} {
		t.Run(name, func(t *testing.T) {
			e := entryOf(t, row.change)
			data := marshal(t, &cache.Variants{Entries: []*cache.Entry{e}})
			v, err := cache.UnmarshalVariants(data)
			if err != nil {
				t.Fatal(err)
			}
			for what, e := range map[string]*cache.Entry{"before": e, "after": v.Entries[0]} {
				if diff := cmp.Diff(row.peers, e.PeerDigests()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if !bytes.Equal(marshal(t, v), data) {
				t.Error("written again it is something else")
			}
			for n := range data {
				wantCorrupt(t, strconv.Itoa(n)+" bytes", data[:n])
			}
			for i := range 8 * len(data) {
				flipped := bytes.Clone(data)
				flipped[i/8] ^= 1 << (i % 8)
				if v, err := cache.UnmarshalVariants(flipped); err == nil && !bytes.Equal(marshal(t, v), flipped) {
					t.Errorf("bit %d: another way to write a value is accepted", i)
				}
			}
		})
	}
}

// A change of the form without another number would be damage to all that is
// stored.
func TestSchemaRises(t *testing.T) {
	v := wired()
	v.Entries = append(v.Entries, entryOf(t, func(r *http.Response) {
		r.Proto, r.ProtoMajor, r.ProtoMinor, r.Trailer, r.Uncompressed, r.TLS = "HTTP/2.0", 2, 0, http.Header{"X-Sum": {"1"}}, true, chain("leaf", "root")
	}))
	e := v.Entries[len(v.Entries)-1]
	e.RequestTime, e.ResponseTime = time.Unix(1, 0), time.Unix(2, 0)
	forms := map[int]string{5: "4aa847999fd4b161eb4a697c4b91b70faa0ee2f4ad051cd64daed276e534b874"}
	if got := fmt.Sprintf("%x", sha256.Sum256(marshal(t, v))); got != forms[cache.Schema] {
		t.Errorf("schema %d is written as %s: a change needs another number", cache.Schema, got)
	}
}

// TestUnreadableEntriesAreNotWritten: an entry that could not be read back is not written.
func TestUnreadableEntriesAreNotWritten(t *testing.T) {
	for name, change := range map[string]func(*http.Response){
		"a negative version": func(r *http.Response) { r.ProtoMajor = -1 },
		"a large version":    func(r *http.Response) { r.ProtoMinor = 256 },
		"trailer":            func(r *http.Response) { r.Trailer = http.Header{"X": make([]string, 5000)} },
		"chain":              func(r *http.Response) { r.TLS = chain(make([]string, 5000)...) },
	} {
		v := &cache.Variants{Entries: []*cache.Entry{entryOf(t, change)}}
		if data, err := v.MarshalBinary(); err == nil {
			t.Errorf("%s: written as %d bytes", name, len(data))
		}
	}
}

// TestATrailerIsKeptByTheRulesOfAHeader: trailer fields for one caller, or for one connection, are
// not stored.
func TestATrailerIsKeptByTheRulesOfAHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(int, *http.Request) (*http.Response, error) {
			r := response(200, "x", "Cache-Control", "max-age=60")
			r.Trailer = http.Header{"Set-Cookie": {"sid=alice"}, "Connection": {"X-Hop"}, "X-Hop": {"1"}, "X-Sum": {"2"}}
			return r, nil
		}}
		tr := newTransport(t, o, nil)
		for range 2 {
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if diff := cmp.Diff(http.Header{"X-Sum": {"2"}}, resp.Trailer); diff != "" {
			t.Errorf("the trailer that another caller gets (-want +got):\n%s", diff)
		}
	})
}

// TestAValidatingExchangeBringsCertificates: a serialised entry has no certificates, but the
// exchange that validates it does.
func TestAValidatingExchangeBringsCertificates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newWritten()
		o := &origin{answer: func(n int, _ *http.Request) (*http.Response, error) {
			r := response(304, "", "Cache-Control", "max-age=60", "Etag", `"1"`)
			if n == 1 {
				r = response(200, "x", "Cache-Control", "max-age=60", "Etag", `"1"`)
				r.Uncompressed, r.ContentLength, r.Trailer = true, -1, http.Header{"X-Sum": {"123"}}
			}
			r.TLS = chain("certificate " + strconv.Itoa(n))
			return r, nil
		}}
		get(t, cache.NewTransport(store, o, nil), home)
		tr := cache.NewTransport(store, o, nil)
		defer tr.Close()
		for n, certificates := range []int{0, 1, 0} {
			if n == 1 {
				time.Sleep(2 * time.Minute)
			}
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			e, _, _ := cache.Of(resp)
			want := sha256.Sum256([]byte("certificate " + strconv.Itoa(1+min(n, 1))))
			if got := e.PeerDigests(); len(got) != 1 || got[0] != want {
				t.Errorf("response %d: digests %x", n, got)
			}
			if resp.TLS == nil || len(resp.TLS.PeerCertificates) != certificates || !resp.Uncompressed || resp.Trailer.Get("X-Sum") != "123" {
				t.Errorf("response %d: TLS %+v, uncompressed %v, trailer %v", n, resp.TLS, resp.Uncompressed, resp.Trailer)
			}
		}
	})
}

// elder is a store whose names hold no schema, and which another version has
// written to.
type elder struct{ *written }

func (s elder) Load(ctx context.Context, key string) (*cache.Variants, error) {
	v, err := s.written.Load(ctx, key)
	if v == nil || err != nil {
		return v, err
	}
	data, err := v.MarshalBinary()
	if err != nil {
		return nil, err
	}
	data[len("wfv")]--
	return cache.UnmarshalVariants(data)
}

// Bytes of another schema are a miss, and nothing that is reported.
func TestOtherSchemaIsAMiss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := elder{newWritten()}
		layers := cache.NewLayered(newStore(t), far, nil)
		defer layers.Close()
		for name, store := range map[string]cache.Store{"alone": far, "behind": layers} {
			first := cache.NewTransport(far, always(200, "x", "Cache-Control", "max-age=60"), nil)
			get(t, first, home)
			_ = first.Close()
			tr := cache.NewTransport(store, always(200, "y", "Cache-Control", "max-age=60"), nil)
			want(t, name, get(t, tr, home), result{200, "y", cache.FromNetwork, ""})
			if s := tr.Stats(); s.StoreErrors != 0 || s.Corrupt != 0 {
				t.Errorf("%s: %+v", name, s)
			}
			_ = tr.Close()
		}
	})
}
