package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

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

// BenchmarkResolveCold is a Resolve by a new Client, over a new connection
// with TLS on the loopback interface; beside it a bare GET of the same
// document by a new http.Client.
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
