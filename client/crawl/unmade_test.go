package crawl_test

import (
	"io"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// TestWhatAWorkerNeedsIsNamed leaves out one value after another.
func TestWhatAWorkerNeedsIsNamed(t *testing.T) {
	c, err := client.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	talking, err := client.New(&client.Options{Live: []client.LiveProber{livemcp.New(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = talking.Close() })
	queue := crawl.NewStream(io.Discard, nil)
	for name, row := range map[string]struct {
		client *client.Client
		queue  crawl.Queue
		opts   *crawl.Options
		want   string
	}{
		"no client":                             {nil, queue, nil, "client.New"},
		"a zero client":                         {&client.Client{}, queue, nil, "client.New"},
		"no queue":                              {c, nil, nil, "OpenFile"},
		"a nil queue":                           {c, (*crawl.File)(nil), nil, "OpenFile"},
		"a client that asks targets as servers": {talking, queue, nil, "TargetsListed"},
		"a nil store":                           {c, queue, &crawl.Options{Store: (*memory.Store)(nil)}, "Options.Store"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := crawl.Work(t.Context(), row.client, row.queue, row.opts); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("it says %v, not %q", err, row.want)
			}
		})
	}
}
