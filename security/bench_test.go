package security

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
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
		TrustOf(from, from, to)
	}
}

func BenchmarkCheckAddr(b *testing.B) {
	addr := netip.MustParseAddr("93.184.216.34")
	b.ReportAllocs()
	for b.Loop() {
		_ = (*Policy)(nil).CheckAddr(addr)
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

func BenchmarkCleanText(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":   strings.Repeat("Sends an email to anyone. ", 40),
		"unicode": strings.Repeat("Grüße an alle, 世界. ", 40),
		"hostile": strings.Repeat("a\u202e\U000E0041e\u0301\u0301\n", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				CleanText(s, true, 16<<10)
			}
		})
	}
}
