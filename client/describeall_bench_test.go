package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// manyOperations is a description of n operations with shared schemas.
func manyOperations(n int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Many","version":"1"},"servers":[{"url":"https://shop.example"}],
		"components":{"schemas":{"Item":{"type":"object","properties":{"id":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}}},"paths":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"/items/%d/{id}":{"post":{"operationId":"op%d","summary":"Does %d.","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}},
			{"name":"q","in":"query","schema":{"type":"string"}}],"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Item"}}}},
			"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Item"}}}}}}}`, i, i, i)
	}
	b.WriteString("}}")
	return b.String()
}

// manySite is a Site with n operations, and a Client that knows it.
func manySite(t testing.TB, internet *clienttest.Internet, n int) (*client.Client, *wayfind.Site, []string) {
	t.Helper()
	internet.Host("shop.example", clienttest.Pages{"/llms.txt": linking("https://shop.example/openapi.json"), "/openapi.json": manyOperations(n)})
	c := internet.Client()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, capability := range site.Capabilities() {
		if capability.Lazy {
			keys = append(keys, capability.Key)
		}
	}
	if len(keys) != n {
		t.Fatalf("%d keys of %d", len(keys), n)
	}
	return c, site, keys
}

// BenchmarkDescribe300 describes 300 operations of one document: each by itself, then all together.
// For comparison it reads the document once with all its details.
func BenchmarkDescribe300(b *testing.B) {
	c, site, keys := manySite(b, clienttest.New(b), 300)
	body := []byte(manyOperations(300))
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			for _, key := range keys {
				if _, err := c.Describe(b.Context(), site, key); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			for _, err := range c.DescribeAll(b.Context(), site, keys...) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := client.Parse(b.Context(), body, &client.ParseOptions{URL: "https://shop.example/openapi.json"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse-full", func(b *testing.B) {
		for b.Loop() {
			if _, err := client.Parse(b.Context(), body, &client.ParseOptions{URL: "https://shop.example/openapi.json", Full: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
