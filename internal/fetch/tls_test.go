package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
)

// handshakes serves TLS with config and counts requests that came through.
func (w *world) handshakes(config *tls.Config, requests *atomic.Int32) {
	w.name("shop.example.com", ip1)
	l := w.listen(ip1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				secure := tls.Server(c, config)
				if secure.Handshake() == nil && readHeader(secure) == nil {
					requests.Add(1)
				}
			}()
		}
	}()
}

func TestP035_Certificates(t *testing.T) {
	later := func(c *x509.Certificate) { c.NotBefore = notAfter().AddDate(-1, 0, 0) }
	tests := []struct {
		name, reason string
		change       func(*x509.Certificate)
		foreign      bool
	}{
		{"expired", "certificate expired", func(c *x509.Certificate) { c.NotAfter = notBefore().AddDate(1, 0, 0) }, false},
		{"not yet valid", "certificate not yet valid", later, false},
		{"wrong name", "certificate for another host", func(c *x509.Certificate) { c.DNSNames = []string{"other.example.com"} }, false},
		{"wildcard two levels deep", "certificate for another host", func(c *x509.Certificate) { c.DNSNames = []string{"*.com"} }, false},
		{"common name only", "certificate for another host", func(c *x509.Certificate) { c.DNSNames, c.Subject.CommonName = nil, "shop.example.com" }, false},
		{"address", "certificate for another host", func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, []net.IP{net.ParseIP(ip1)} }, false},
		{"unknown authority", "unknown authority", func(*x509.Certificate) {}, true},
		{"for clients", "invalid certificate", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			ca := w.ca
			if tt.foreign {
				ca = newAuthority(t)
			}
			template := leaf("shop.example.com")
			tt.change(template)
			server := &tls.Config{Certificates: []tls.Certificate{ca.leaf(t, template)}}
			expectTLS(t, w, server, tt.reason)
			// What a caller may say about TLS changes nothing in it.
			again := newWorld(t)
			again.ca = w.ca
			expectTLS(t, again, server, tt.reason, func(o *Options) { o.UnsafeTLS = fullTLS(t, w) })
		})
	}
}

func TestP035_SelfSigned(t *testing.T) {
	w := newWorld(t)
	other := newAuthority(t)
	own := tls.Certificate{Certificate: [][]byte{other.cert.Raw}, PrivateKey: other.key}
	template := leaf("shop.example.com")
	cert := other.sign(t, template, template, &other.key.PublicKey)
	own.Certificate = [][]byte{cert.Raw}
	expectTLS(t, w, &tls.Config{Certificates: []tls.Certificate{own}}, "")
}

// expectTLS asks once: no retry, no request line, one dial.
func expectTLS(t *testing.T, w *world, config *tls.Config, reason string, change ...func(*Options)) {
	t.Helper()
	var requests atomic.Int32
	w.handshakes(config, &requests)
	got, err := getErr(t, t.Context(), w.stack(func(o *Options) {
		for _, f := range change {
			f(o)
		}
	}), site)
	sameAnswer(t, failed("tls", wayfind.CodeTLS), got)
	if !strings.Contains(err.Error(), reason) {
		t.Errorf("%v does not say %q", err, reason)
	}
	if requests.Load() != 0 || w.dialCount() != 1 {
		t.Errorf("%d requests, %d dials", requests.Load(), w.dialCount())
	}
}

func TestP036_OldTLS(t *testing.T) {
	w := newWorld(t)
	expectTLS(t, w, &tls.Config{
		MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11,
		Certificates: []tls.Certificate{w.ca.leaf(t, leaf("shop.example.com"))},
	}, "handshake")
}

// TestPlainHTTP: a server without TLS gets no plain request, and no retry.
func TestPlainHTTP(t *testing.T) {
	w := newWorld(t)
	w.name("shop.example.com", ip1)
	l := w.listen(ip1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			_ = c.Close()
		}
	}()
	got := get(t, t.Context(), w.stack(nil), site)
	sameAnswer(t, failed("tls", wayfind.CodeTLS), got)
	if w.dialCount() != 1 {
		t.Errorf("%d dials", w.dialCount())
	}
}

// TestP037_Stalls: each stage has its limit, whatever trickles in.
func TestP037_Stalls(t *testing.T) {
	trickle := func(c *tls.Conn) {
		for {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	tests := []struct {
		name  string
		setup func(*world)
		want  answer
		limit time.Duration
	}{
		{"accept", func(w *world) { w.name("shop.example.com", ip1); w.listen(ip1) },
			failed("tls", wayfind.CodeTimeout), handshakeTimeout},
		{"request", func(w *world) { w.raw("shop.example.com", ip1, stall) },
			failed("headers", wayfind.CodeTimeout), headerTimeout},
		{"slow header", func(w *world) { w.raw("shop.example.com", ip1, trickle) },
			failed("headers", wayfind.CodeTimeout), headerTimeout},
		{"body", func(w *world) {
			w.raw("shop.example.com", ip1, func(c *tls.Conn) {
				says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(c)
				stall(c)
			})
		}, answer{Status: 200, Op: "body", Code: wayfind.CodeTimeout, Kind: wayfind.ErrUnreachable}, requestTimeout},
		{"slow body", func(w *world) {
			w.raw("shop.example.com", ip1, func(c *tls.Conn) {
				says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(c)
				trickle(c)
			})
		}, answer{Status: 200, Op: "body", Code: wayfind.CodeTimeout, Kind: wayfind.ErrUnreachable}, requestTimeout},
		{"h2 request", func(w *world) {
			w.site("shop.example.com", ip1, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "h2")
		}, failed("headers", wayfind.CodeTimeout), headerTimeout},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			tt.setup(w)
			start := time.Now()
			got := get(t, t.Context(), w.stack(nil), site)
			sameAnswer(t, tt.want, got)
			if d := time.Since(start); d != tt.limit {
				t.Errorf("%s: took %v, want %v", tt.name, d, tt.limit)
			}
			time.Sleep(2 * time.Second) // until the server has noticed
		})
	}
}

// TestSilentConnectionIsLeft: with HTTP/2, requests after a time-out do not
// follow the first into the hole.
func TestSilentConnectionIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var n atomic.Int32
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			if n.Add(1) == 1 {
				<-r.Context().Done()
			}
			hello(rw, r)
		}, "h2")
		c := w.stack(nil)
		sameAnswer(t, failed("headers", wayfind.CodeTimeout), get(t, t.Context(), c, site))
		sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
		if w.dialCount() != 2 {
			t.Errorf("%d dials", w.dialCount())
		}
	})
}
