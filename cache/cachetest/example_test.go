package cachetest_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/cache/cachetest"
)

func ExampleEntry() {
	e := cachetest.Entry("key", "hello")
	fmt.Printf("%s %d %s\n", e.URL, e.Status, e.Body)
	// Output: https://example.com/card.json?q=1 200 hello
}
