package jsonscan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// manifest returns a document of about n bytes, like published ones.
func manifest(n int) []byte {
	var b strings.Builder
	b.WriteString("{\n  \"name\": \"Example Shop\",\n  \"version\": \"1.0\",\n  \"capabilities\": [")
	for i := 0; b.Len() < n-200; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `
    {
      "id": "list_orders_%d",
      "description": "Lists the orders of a customer, newest first. Page with \"cursor\".",
      "method": "GET",
      "endpoint": "/api/v1/orders/%d",
      "parameters": {"limit": {"type": "integer", "maximum": 100, "required": false}, "cursor": {"type": "string"}},
      "auth": {"type": "oauth2", "scopes": ["orders:read", "profile"]},
      "rate_limit": {"requests": 60, "window_seconds": 60.5}, "deprecated": false, "successor": null
    }`, i, i)
	}
	b.WriteString("\n  ]\n}\n")
	return []byte(b.String())
}

func sizes() map[string]int { return map[string]int{"2K": 2 << 10, "16K": 16 << 10, "256K": 256 << 10} }

func BenchmarkScan(b *testing.B) {
	for _, name := range []string{"2K", "16K", "256K"} {
		body := manifest(sizes()[name])
		b.Run(name+"/jsonscan", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonscan.Scan(body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/v1", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(body, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkScanHostile scans the bodies of TestHostileGrowth with 256 KiB.
func BenchmarkScanHostile(b *testing.B) {
	for name, body := range hostile(256 << 10) {
		b.Run(name, func(b *testing.B) {
			raw := []byte(body)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = jsonscan.Scan(raw)
			}
		})
	}
}
