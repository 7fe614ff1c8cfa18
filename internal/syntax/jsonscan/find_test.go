package jsonscan_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Find and Get return the same for each spelling of the name.
func TestFindIsGet(t *testing.T) {
	for name, body := range map[string]string{
		"small": manyMembers(5), "large": manyMembers(500), "escaped": strings.ReplaceAll(manyMembers(500), `"k`, `"\u006b`), "list": "[" + strings.Repeat("1,", 20) + "1]",
	} {
		doc, err := jsonscan.Scan([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		root := doc.Root()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range 600 {
					key := fmt.Sprint("k", i)
					if got, want := root.Find(key), root.Get(key); got != want {
						t.Errorf("%s: %s is %v, not %v", name, key, got, want)
					}
				}
			})
		}
		all.Wait()
	}
	if (jsonscan.Node{}).Find("x") != (jsonscan.Node{}) {
		t.Error("a value that is not there has a member")
	}
}

// The members are sorted once: later calls of Find allocate nothing.
func TestFindSortsOnce(t *testing.T) {
	doc, err := jsonscan.Scan([]byte(manyMembers(10_000)))
	if err != nil {
		t.Fatal(err)
	}
	if found := doc.Root().Find("k1"); found != doc.Root().Child(1) {
		t.Fatal(found)
	}
	if n := testing.AllocsPerRun(100, func() { doc.Root().Find("k9999") }); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
