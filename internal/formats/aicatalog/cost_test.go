package aicatalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/aicatalog"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A catalogue of 4 MiB costs less than a second of one processor.
func TestNoCatalogueCostsMoreThanASecond(t *testing.T) {
	fill := func(head, each, tail string) string {
		n := (testkit.Size(256<<10, 4<<20) - len(head) - len(tail)) / (len(each) + 1)
		return head + strings.TrimSuffix(strings.Repeat(each+",", n), ",") + tail
	}
	const tiny = `{"id":"a","type":"b"}`
	inner := fmt.Sprintf(`{"id":"a","type":"b","data":{"entries":[%s]}}`, strings.TrimSuffix(strings.Repeat(tiny+",", 180), ","))
	long := strings.Repeat("x", 3<<10)
	for name, body := range map[string]string{
		"entries":              fill(`{"entries":[`, tiny, `]}`),
		"catalogues inside":    fill(`{"entries":[`, inner, `]}`),
		"one catalogue":        fill(`{"entries":[{"id":"a","type":"b","data":{"entries":[`, tiny, `]}}]}`),
		"three levels":         fill(`{"entries":[{"id":"a","type":"b","data":{"entries":[{"id":"a","type":"b","data":{"entries":[`, tiny, `]}}]}}]}`),
		"long texts":           fill(`{"entries":[`, `{"id":"a","type":"b","description":"`+long+`"}`, `]}`),
		"members":              `{"entries":[{"id":"a","type":"b","data":{` + members(280_000) + `}}]}`,
		"digests of data":      fill(`{"entries":[`, `{"id":"a","type":"b","digest":"sha256:`+strings.Repeat("0", 64)+`","data":{"a":["`+long+`"]}}`, `]}`),
		"other publishers":     `{"entries":[` + publishers(1000) + `]}`,
		"more values than fit": fill(`{"entries":[`+tiny+`,`, `0`, `]}`),
		"deeper than fits":     fill(`{"entries":[`+tiny+`,`, strings.Repeat("[", 2000)+strings.Repeat("]", 2000), `]}`),
		"names too long":       fill(`{"entries":[`, `{"id":"a","type":"b","`+strings.Repeat("n", 5000)+`":1}`, `]}`),
		"links to one origin":  fill(`{"entries":[`, `{"id":"a","type":"mcp","url":"https://shop.example/a"}`, `]}`),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: site + aicatalog.PathCatalog})
			took := time.Since(start)
			if err != nil || r.Format != "aicatalog" && r.Reason == "" {
				t.Fatalf("%v, %s (%s)", err, r.Verdict, r.Reason)
			}
			t.Logf("%d bytes, %d documents: %v", len(body), len(r.Site.Documents), took)
			if len(r.Site.Documents) > 3000 {
				t.Errorf("%d documents", len(r.Site.Documents))
			}
		})
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func publishers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = entry(fmt.Sprintf("urn:air:p%d.example:a", i), "text/plain", fmt.Sprintf("https://shop.example/%d", i))
	}
	return strings.Join(list, ",")
}
