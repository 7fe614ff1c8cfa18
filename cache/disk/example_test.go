package disk_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/disk"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "wayfind")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := disk.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("key", "a card")}}
	if err := store.Save(ctx, "key", v, 24*time.Hour); err != nil {
		fmt.Println(err)
	}
	if err := store.Close(); err != nil {
		fmt.Println(err)
	}

	// Another process, later.
	store, err = disk.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	if v, err = store.Load(ctx, "key"); err != nil || v == nil {
		fmt.Println("a miss:", err)
		return
	}
	fmt.Printf("%s from %s\n", v.Entries[0].Body, v.From)
	// Output: a card from disk
}
