package crawl_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/crawl"
)

// One worker asks the domains of a queue in a file. Workers on several machines
// share a queue of package crawl/nats, and a cache.Store.
func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("docs.example", clienttest.Pages{"/llms.txt": "# Docs\n\n> A site.\n\n## Guides\n\n- [One](/one.md): first\n"})
	internet.Host("bare.example", clienttest.Pages{})

	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	queue, err := crawl.OpenFile(filepath.Join(dir, "queue.jsonl"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer queue.Close()
	ctx := context.Background()
	for _, domain := range []string{"docs.example", "bare.example", "https://DOCS.example/"} {
		added, err := queue.Offer(ctx, domain)
		fmt.Println(domain, added, err)
	}

	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	report, err := crawl.Work(ctx, c, queue, nil)
	fmt.Println(report.Results, err)
	// Output:
	// docs.example true <nil>
	// bare.example true <nil>
	// https://DOCS.example/ false <nil>
	// map[found:1 nothing_found:1] <nil>
}
