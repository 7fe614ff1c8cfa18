package main

import (
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

func Example() {
	if err := run(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// client 1 read https://docs.example.com/llms.txt; it asked the site: true
	// client 2 read https://docs.example.com/llms.txt; it asked the site: false
}

func TestMap(t *testing.T) {
	cachetest.TestStore(t, func(*testing.T) cache.Store { return NewMap() })
}
