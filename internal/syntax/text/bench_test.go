package text

import (
	"strings"
	"testing"
)

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
				Clean(s, true, 16<<10)
			}
		})
	}
}
