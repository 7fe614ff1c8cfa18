package crawltest_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/crawltest"
)

// The test of a queue opens one queue for each law.
func ExampleTestQueue() {
	_ = func(t *testing.T) {
		dir := t.TempDir()
		crawltest.TestQueue(t, crawltest.Maker{Lease: time.Second, Open: func(t *testing.T, name string) crawl.Queue {
			q, err := crawl.OpenFile(filepath.Join(dir, name), &crawl.FileOptions{Lease: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			return q
		}})
	}
}
