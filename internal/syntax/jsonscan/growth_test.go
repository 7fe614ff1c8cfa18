package jsonscan_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

func manyMembers(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + strconv.Itoa(i) + `":"v"`)
	}
	return b.String() + "}"
}

// hostile returns bodies of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63) + ","
	return map[string]string{
		"numbers":        "[" + strings.Repeat("0,", n/2) + "0]",
		"empty objects":  "[" + strings.Repeat("{},", n/3) + "{}]",
		"members":        manyMembers(n / 12),
		"escaped names":  strings.ReplaceAll(manyMembers(n/18), `"k`, `"\u006b`),
		"small objects":  "[" + strings.Repeat(`{"a":1,"b":2},`, n/14) + "{}]",
		"depth":          "[" + strings.Repeat(deep, n/len(deep)) + "1]",
		"long number":    `{"n":` + strings.Repeat("9", n) + "}",
		"long exponent":  `{"n":1e` + strings.Repeat("9", n) + "}",
		"long string":    `{"s":"` + strings.Repeat("é", n/2) + `"}`,
		"escapes":        `{"s":"` + strings.Repeat(`\u0061`, n/6) + `"}`,
		"blanks":         strings.Repeat(" \n", n/2) + "{}",
		"long names":     "{" + longNames(n) + `"":0}`,
		"unclosed":       "[" + strings.Repeat(`{"a":[1]},`, n/10),
		"late duplicate": strings.TrimSuffix(manyMembers(n/12), "}") + `,"k0":1}`,
	}
}

func longNames(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(`"` + strings.Repeat("k", 4000) + strconv.Itoa(i) + `":0,`)
	}
	return b.String()
}

// work scans a body, reads each value and rewrites each string, and returns the number of
// allocated bytes.
func work(body string) float64 {
	raw := []byte(body)
	return testkit.Allocated(func() {
		if doc, err := jsonscan.Scan(raw); err == nil {
			visit(doc.Root())
			_, _ = jsonscan.RewriteStrings(raw, func(s string) string { return s[:len(s)/2] })
		}
	})
}

func visit(n jsonscan.Node) {
	n.Int()
	n.Float()
	n.Str()
	for i := range n.Len() {
		visit(n.Child(i))
	}
}

// TestHostileGrowth checks that memory grows in proportion to any body.
func TestHostileGrowth(t *testing.T) {
	const small, large = 16 << 10, 512 << 10
	testkit.BoundGrowth(t, hostile(small), hostile(large), work)
	for name, big := range hostile(large) {
		if perByte := work(big) / float64(len(big)); perByte > 100 {
			t.Errorf("%s: %.0f bytes allocated per byte of the body", name, perByte)
		}
	}
}

// TestNodesAreCounted checks that the table has exactly one entry per value.
func TestNodesAreCounted(t *testing.T) {
	for body, want := range map[string]int{
		"1": 1, "[]": 1, "[1,2]": 3, `{"a":{"b":[null]}}`: 4, manyMembers(20_000): 20_001,
	} {
		if got := scan(t, body).Nodes(); got != want {
			t.Errorf("%.40s: %s", body, fmt.Sprintf("%d nodes, want %d", got, want))
		}
	}
}
