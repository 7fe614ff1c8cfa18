package bulk

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// counted is a queue that reports its progress.
type counted struct {
	crawl.Queue
	counts crawl.Counts
}

func (q counted) Count(context.Context) (crawl.Counts, error) { return q.counts, nil }

// Answers that workers could not write to their stores are shown, in both forms. If there are none,
// nothing is shown.
func TestCrawlStatusShowsAnswersThatWereNotStored(t *testing.T) {
	for name, row := range map[string]struct {
		unstored uint64
		json     bool
		want     string
	}{
		"text":       {7, false, "answers not written to --cache  7"},
		"JSON":       {7, true, `"unstored":7`},
		"none":       {0, false, ""},
		"none, JSON": {0, true, ""},
	} {
		var out bytes.Buffer
		a := &ui.App{Out: &out, Err: &out, JSON: row.json, Schemas: Schemas()}
		if err := crawlStatus(t.Context(), a, counted{counts: crawl.Counts{Finished: 3, Unstored: row.unstored}}, false); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(out.String(), `": `, `":`)
		if row.want == "" && (strings.Contains(got, "unstored") || strings.Contains(got, "not written")) || !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q in it", name, out.String(), row.want)
		}
	}
}
