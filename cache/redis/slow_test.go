package redis_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// slowly is a way to a server on which each piece of a reply takes some time, in nanoseconds. It
// counts the pieces that clients send, and returns a URL.
func slowly(t *testing.T, addr string, delay, sent *atomic.Int64) string {
	t.Helper()
	return fakeListener(t, func(conn net.Conn) {
		behind, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer behind.Close()
		go func() {
			defer conn.Close()
			b := make([]byte, 64<<10)
			for {
				n, err := behind.Read(b)
				time.Sleep(time.Duration(delay.Load()))
				if _, failed := conn.Write(b[:n]); err != nil || failed != nil {
					return
				}
			}
		}()
		_, _ = io.Copy(behind, counting{conn, sent})
	})
}

// counting counts the reads of a connection.
type counting struct {
	net.Conn
	reads *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.reads.Add(1)
	return n, err
}

// page asks for a page through a Transport and returns its Cache-Status.
func page(t *testing.T, tr *cache.Transport, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp.Header.Get("Cache-Status")
}

// TestASlowServer: within the budget of a call its answers are used. Beyond it the
// server is left alone after three calls, with or without memory before it.
func TestASlowServer(t *testing.T) {
	server := testkit.StartRedis(t)
	for name, before := range map[string]bool{"alone": false, "behind memory": true} {
		t.Run(name, func(t *testing.T) {
			server.Do("FLUSHALL")
			var delay, sent atomic.Int64
			s := open(t, slowly(t, server.Addr(), &delay, &sent), func(o *redis.Options) { o.Budget = 500 * time.Millisecond })
			var store cache.Store = s
			if before {
				near, err := memory.New(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				defer near.Close()
				layered := cache.NewLayered(near, s, nil)
				defer layered.Close()
				store = layered
			}
			tr := cache.NewTransport(store, &turning{control: "max-age=600"}, nil)
			defer tr.Close()
			delay.Store(int64(20 * time.Millisecond))
			page(t, tr, "slow")
			eventually(t, "a slow server has the page", func() bool { return strings.Contains(page(t, tr, "slow"), "; hit") })

			delay.Store(int64(time.Hour))
			page(t, tr, "late")
			page(t, tr, "late")
			before, start := sent.Load(), time.Now()
			for i := range 200 {
				page(t, tr, fmt.Sprint(i))
			}
			// Each second allows for a trial, whatever the length of the rest is.
			if n, most := sent.Load()-before, 20+int64(time.Since(start)/time.Second); n > most {
				t.Errorf("200 requests sent %d pieces to a server that is left alone, at most %d are expected", n, most)
			}
		})
	}
}

// TestTLSOfTheServer: a store works over the TLS of the server. If the server requires a client
// certificate, each call without one fails.
func TestTLSOfTheServer(t *testing.T) {
	c := certificate(t, time.Now().Add(time.Hour))
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := [2]string{filepath.Join(dir, "cert"), filepath.Join(dir, "key")}
	for i, block := range []*pem.Block{{Type: "CERTIFICATE", Bytes: c.Certificate.Certificate[0]}, {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(files[i], pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := testkit.StartRedisTLS(t, files[0], files[1])
	cachetest.TestStore(t, func(t *testing.T) cache.Store {
		server.Do("FLUSHALL")
		return open(t, server.TLSURL(), func(o *redis.Options) { o.TLS = c.roots() })
	})
	server.Do("CONFIG", "SET", "tls-auth-clients", "yes")
	if works(t, open(t, server.TLSURL(), func(o *redis.Options) { o.TLS = c.roots() })) {
		t.Error("the server takes a client without a certificate")
	}
	known := open(t, server.TLSURL(), func(o *redis.Options) {
		o.TLS = c.roots()
		o.TLS.Certificates = append(o.TLS.Certificates, c.Certificate)
	})
	if !works(t, known) {
		t.Error(eachCall(t, known, patience))
	}
}
