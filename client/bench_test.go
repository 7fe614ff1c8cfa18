package client_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// BenchmarkResolveHit is a Resolve of a domain that is known: by its canonical
// spelling, and by another one.
func BenchmarkResolveHit(b *testing.B) {
	internet := clienttest.New(b)
	internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a", "/b", "/c")})
	c := internet.Client()
	if _, err := c.Resolve(b.Context(), "shop.example"); err != nil {
		b.Fatal(err)
	}
	for _, spelling := range []struct{ name, domain string }{{"clean", "shop.example"}, {"dirty", "Shop.EXAMPLE."}} {
		b.Run(spelling.name, func(b *testing.B) {
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Resolve(ctx, spelling.domain); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			ctx := context.Background()
			for pb.Next() {
				if _, err := c.Resolve(ctx, "shop.example"); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// BenchmarkResolveCold is a Resolve by a new Client, over a new connection with TLS on the loopback
// interface. For comparison it measures a bare GET of the same document by a new http.Client.
func BenchmarkResolveCold(b *testing.B) {
	server := httptest.NewUnstartedServer(clienttest.Pages{wellKnown: manifest("example.com", "/a", "/b", "/c")})
	server.EnableHTTP2 = true
	server.StartTLS()
	b.Cleanup(server.Close)
	b.Run("wayfind", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c, err := client.New(clienttest.FromServer(b, server))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := c.Resolve(b.Context(), "example.com"); err != nil {
				b.Fatal(err)
			}
			if err := c.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare-get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			transport := server.Client().Transport.(*http.Transport).Clone()
			resp, err := (&http.Client{Transport: transport}).Get(server.URL + wellKnown)
			if err != nil {
				b.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				b.Fatal(err)
			}
			transport.CloseIdleConnections()
		}
	})
}

// memoryDomains is the number of domains that a Client holds while its memory is measured. It is
// large enough for the tables that grow by doubling to even out.
const memoryDomains = 200

// BenchmarkMemoryPerDomain measures the memory of a Client for each known domain: the Site, the
// document and the answers of all other places, which are 404. The Client itself with its first
// domain, and connections, are excluded.
func BenchmarkMemoryPerDomain(b *testing.B) {
	for _, capabilities := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("capabilities=%d", capabilities), func(b *testing.B) {
			var bytes, objects float64
			for b.Loop() {
				none, full := holding(b, 1, capabilities), holding(b, memoryDomains+1, capabilities) // tables begin with the first
				bytes += (full.bytes - none.bytes) / memoryDomains
				objects += (full.objects - none.objects) / memoryDomains
			}
			b.ReportMetric(bytes/float64(b.N), "bytes/domain")
			b.ReportMetric(objects/float64(b.N), "objects/domain")
			b.ReportMetric(float64(len(memoryDocument("d100.example.com", capabilities))), "document-bytes")
			b.ReportMetric(0, "ns/op") // says nothing here
		})
	}
}

// memoryDocument is a manifest with so many capabilities.
func memoryDocument(host string, capabilities int) string {
	var details []string
	for i := range capabilities {
		details = append(details, fmt.Sprintf("/capabilities/task_%02d", i))
	}
	return manifest(host, details...)
}

// heap contains the size and number of live objects.
type heap struct{ bytes, objects float64 }

func readHeap() heap {
	runtime.GC()
	runtime.GC() // what pools and finalizers held on to
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return heap{float64(m.HeapAlloc), float64(m.HeapObjects)}
}

// holding returns the memory that becomes free when a Client that knows so many domains is closed
// and dropped. By then the server and all connections have ended.
func holding(b *testing.B, domains, capabilities int) heap {
	c, quiet := newMemoryClient(b, capabilities)
	for i := range domains {
		if _, err := c.Resolve(b.Context(), memoryDomain(i)); err != nil {
			b.Fatal(err)
		}
	}
	quiet()
	for i := range domains {
		site, ok := c.Peek(memoryDomain(i))
		if !ok {
			b.Fatalf("%s is not held", memoryDomain(i))
		}
		if n := len(site.Services[0].Capabilities); n != capabilities {
			b.Fatalf("%s has %d capabilities, want %d", memoryDomain(i), n, capabilities)
		}
	}
	before := readHeap()
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	after := readHeap()
	return heap{before.bytes - after.bytes, before.objects - after.objects}
}

func memoryDomain(i int) string { return fmt.Sprintf("d%d.example.com", 100+i) }

// newMemoryClient makes a Client to whom one server on loopback is every
// domain. quiet ends the server, once no connection is open any more.
func newMemoryClient(b *testing.B, capabilities int) (c *client.Client, quiet func()) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clienttest.Pages{wellKnown: memoryDocument(r.Host, capabilities)}.ServeHTTP(w, r)
	}))
	b.Cleanup(server.Close)
	opts := clienttest.FromServer(b, server)
	everywhere := loopback{server.Listener.Addr().String(), new(sync.WaitGroup)}
	opts.Network.Resolver, opts.Network.Dial = everywhere, everywhere.dial
	opts.Limits.Concurrency, opts.Network.KeepAlive = 1, time.Millisecond
	opts.Limits.Memory = 64 << 20 // all domains must be held
	c, err := client.New(opts)
	if err != nil {
		b.Fatal(err)
	}
	return c, func() {
		everywhere.open.Wait()
		server.Close()
	}
}

// loopback is a network of one server.
type loopback struct {
	address string
	open    *sync.WaitGroup // the connections
}

// LookupNetIP implements client.Resolver.
func (loopback) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}

func (l loopback) dial(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.address)
	if err != nil {
		return nil, err
	}
	l.open.Add(1)
	return &countedConn{Conn: conn, closed: sync.OnceFunc(l.open.Done)}, nil
}

// countedConn reports when the client has closed it.
type countedConn struct {
	net.Conn
	closed func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
