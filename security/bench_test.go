package security

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

func BenchmarkCanonicalHost(b *testing.B) {
	for _, host := range []string{"api.example.com", "API.Example.com.", "bücher.example"} {
		b.Run(host, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = CanonicalHost(host)
			}
		})
	}
}

func BenchmarkTrustOf(b *testing.B) {
	from, to := mustURL(b, "https://shop.example.com/.well-known/ai"), mustURL(b, "https://api.example.com/x")
	b.ReportAllocs()
	for b.Loop() {
		bundled().TrustOf(from, from, to)
	}
}

func BenchmarkCheckAddr(b *testing.B) {
	addr := netip.MustParseAddr("93.184.216.34")
	b.ReportAllocs()
	for b.Loop() {
		_ = (*Guard)(nil).CheckAddr(addr)
	}
}

func BenchmarkParseSuffixList(b *testing.B) {
	text := string(golden.Read(b, golden.Vectors(b, "psl", "public_suffix_list.dat")))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseSuffixList(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
